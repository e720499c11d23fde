// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "JSONStore",
    platforms: [.macOS(.v15)],
    products: [.library(name: "JSONStore", targets: ["JSONStore"])],
    dependencies: [.package(name: "OpenCoreData", path: "../..")],
    targets: [
        .target(name: "JSONStore", dependencies: [.product(name: "CoreData", package: "OpenCoreData")]),
        .testTarget(name: "JSONStoreTests", dependencies: ["JSONStore"]),
    ]
)
