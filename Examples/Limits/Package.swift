// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "Limits",
    dependencies: [.package(name: "OpenCoreData", path: "../..")],
    targets: [
        .executableTarget(name: "Limits", dependencies: [.product(name: "CoreData", package: "OpenCoreData")])
    ]
)
