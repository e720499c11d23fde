// swift-tools-version: 6.2
import PackageDescription

let coreData: Target.Dependency = .product(name: "CoreData", package: "OpenCoreData")
let postgreSQL: Target.Dependency = .product(name: "CoreDataPostgreSQL", package: "OpenCoreData")
let plugins: [Target.PluginUsage] = [.plugin(name: "CoreDataModelPlugin", package: "OpenCoreData")]

let package = Package(
    name: "Server",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "OpenCoreData", path: "../.."),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    ],
    targets: [
        .target(
            name: "TodoServer",
            dependencies: [coreData, postgreSQL, .product(name: "Hummingbird", package: "hummingbird")],
            plugins: plugins),
        .executableTarget(
            name: "todo-server", dependencies: ["TodoServer", .product(name: "Hummingbird", package: "hummingbird")],
            path: "Sources/Program"),
        .testTarget(
            name: "TodoServerTests",
            dependencies: [
                "TodoServer", coreData, .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
            ]),
    ]
)
