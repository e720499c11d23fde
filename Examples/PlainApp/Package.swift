// swift-tools-version: 6.1
import PackageDescription

// snippet: manifest
let coreData: Target.Dependency = .product(name: "CoreData", package: "OpenCoreData")

let testing: Target.Dependency = .product(name: "CoreDataTesting", package: "OpenCoreData")

let package = Package(
    name: "PlainApp",
    dependencies: [.package(name: "OpenCoreData", path: "../..")],
    targets: [
        .target(
            name: "PlainApp", dependencies: [coreData],
            plugins: [.plugin(name: "CoreDataModelPlugin", package: "OpenCoreData")]),
        .testTarget(name: "PlainAppTests", dependencies: ["PlainApp", coreData, testing]),
        .testTarget(
            name: "PlainAppSwift5Tests", dependencies: [coreData], swiftSettings: [.swiftLanguageMode(.v5)]),
    ]
)
// end
