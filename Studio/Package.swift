// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// A separate package, so that users of OpenCoreData build no server.
let package = Package(
    name: "Studio",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "coredata-studio", targets: ["coredata-studio"]),
        .executable(name: "coredata-mcp", targets: ["coredata-mcp"]),
    ],
    dependencies: [
        .package(name: "OpenCoreData", path: ".."),
        .package(name: "Sync", path: "../Sync"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.0.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.80.0"),
    ],
    targets: [
        .target(
            name: "CoreDataStudio",
            dependencies: [
                .product(name: "CoreData", package: "OpenCoreData"),
                .product(name: "CoreDataSyncProtocol", package: "Sync"),
                .product(name: "CoreDataSyncServer", package: "Sync"),
                .product(name: "CoreDataToolKit", package: "OpenCoreData"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            resources: ["studio.css", "studio.js", "grid.js", "filter.js", "picture.js", "icon.svg"].map {
                .embedInCode("Resources/\($0)")
            },
            swiftSettings: settings
        ),
        .executableTarget(
            name: "coredata-studio",
            dependencies: [
                "CoreDataStudio", .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "CoreDataToolKit", package: "OpenCoreData"),
            ],
            swiftSettings: settings
        ),
        // The server of agents over HTTP (Documentation/Internals/Agents.md).
        .executableTarget(
            name: "coredata-mcp",
            dependencies: [
                "CoreDataStudio", .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "CoreDataToolKit", package: "OpenCoreData"),
            ],
            swiftSettings: settings
        ),
        // The other program of Studio's tests.
        .target(
            name: "StudioSample", dependencies: [.product(name: "CoreData", package: "OpenCoreData")],
            path: "Tests/StudioSample", swiftSettings: settings),
        .executableTarget(
            name: "studio-sample",
            dependencies: ["StudioSample", .product(name: "CoreData", package: "OpenCoreData")],
            path: "Tests/studio-sample", swiftSettings: settings),
        .testTarget(
            name: "CoreDataStudioTests",
            dependencies: [
                "CoreDataStudio", "StudioSample", .product(name: "CoreData", package: "OpenCoreData"),
                .product(name: "CoreDataSync", package: "Sync"),
                .product(name: "CoreDataSyncProtocol", package: "Sync"),
                .product(name: "CoreDataSyncServer", package: "Sync"),
                .product(name: "CoreDataToolKit", package: "OpenCoreData"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
