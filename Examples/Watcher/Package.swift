// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "Watcher",
    dependencies: [.package(name: "OpenCoreData", path: "../..")],
    targets: [
        .executableTarget(name: "Watcher", dependencies: [.product(name: "CoreData", package: "OpenCoreData")])
    ]
)
