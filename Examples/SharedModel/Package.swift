// swift-tools-version: 6.1
import PackageDescription

// snippet: manifest
// Apple's systems have Core Data, and Xcode compiles models: the three marked lines are only for Linux.
#if os(Linux)
    let dependencies: [Package.Dependency] = [.package(name: "OpenCoreData", path: "../..")]  // 1
    let coreData: [Target.Dependency] = [.product(name: "CoreData", package: "OpenCoreData")]  // 2
    let plugins: [Target.PluginUsage] = [.plugin(name: "CoreDataModelPlugin", package: "OpenCoreData")]  // 3
#else
    let dependencies: [Package.Dependency] = []
    let coreData: [Target.Dependency] = []
    let plugins: [Target.PluginUsage] = []
#endif

let package = Package(
    name: "SharedModel",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [.library(name: "SharedModel", targets: ["SharedModel"])],
    dependencies: dependencies,
    targets: [
        .target(name: "SharedModel", dependencies: coreData, plugins: plugins),
        .testTarget(name: "SharedModelTests", dependencies: ["SharedModel"] + coreData),
    ]
)
// end
