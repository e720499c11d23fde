// swift-tools-version: 6.1
import PackageDescription

let coreData: Target.Dependency = .product(name: "CoreData", package: "OpenCoreData")
let plugins: [Target.PluginUsage] = [.plugin(name: "CoreDataModelPlugin", package: "OpenCoreData")]

let package = Package(
    name: "ManagedStyles",
    dependencies: [.package(name: "OpenCoreData", path: "../..")],
    targets: [
        .target(name: "Kernel", dependencies: [coreData], plugins: plugins),
        .executableTarget(name: "Styles", dependencies: ["Kernel", coreData], plugins: plugins),
    ]
)
