// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let coreData = Target.Dependency.product(name: "CoreData", package: "OpenCoreData")

// A separate package, so that users of OpenCoreData build neither a server nor a client.
let package = Package(
    name: "Sync",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "CoreDataSyncProtocol", targets: ["CoreDataSyncProtocol"]),
        .library(name: "CoreDataSync", targets: ["CoreDataSync"]),
        .library(name: "SwiftDataSync", targets: ["SwiftDataSync"]),
        .library(name: "CoreDataCloudSync", targets: ["CoreDataCloudSync"]),
        .library(name: "CoreDataSyncServer", targets: ["CoreDataSyncServer"]),
    ],
    dependencies: [.package(name: "OpenCoreData", path: "..")],
    targets: [
        // What travels between a device and a server; imports Foundation only.
        .target(name: "CoreDataSyncProtocol", swiftSettings: settings),
        // The properties of a model that travel, and their values; for both sides.
        .target(name: "CoreDataSyncModel", dependencies: ["CoreDataSyncProtocol", coreData], swiftSettings: settings),
        // The client. It brings the transport over URLSession: the address of a server is all that an app has to give.
        .target(
            name: "CoreDataSync",
            dependencies: ["CoreDataSyncHTTPClient", "CoreDataSyncModel", "CoreDataSyncProtocol", coreData],
            swiftSettings: settings),
        // The client for SwiftData's containers, apart because SwiftData builds swift-syntax for its macros.
        .target(
            name: "SwiftDataSync",
            dependencies: [
                "CoreDataSync", "CoreDataSyncProtocol", .product(name: "SwiftData", package: "OpenCoreData"),
            ],
            swiftSettings: settings),
        // Sync for the containers that Apple's systems sync with iCloud. Apart, because Apple's classes lack the hook.
        .target(name: "CoreDataCloudSync", dependencies: ["CoreDataSync", coreData], swiftSettings: settings),
        .target(
            name: "CoreDataSyncServer", dependencies: ["CoreDataSyncModel", "CoreDataSyncProtocol", coreData],
            swiftSettings: settings),
        // Devices, a server, a network and clocks in one process under one seed.
        .target(
            name: "CoreDataSyncSimulation",
            dependencies: [
                "CoreDataSync", "CoreDataSyncModel", "CoreDataSyncProtocol", "CoreDataSyncServer", coreData,
            ],
            swiftSettings: settings),
        .executableTarget(name: "sync-simulation", dependencies: ["CoreDataSyncSimulation"], swiftSettings: settings),
        .testTarget(
            name: "CoreDataSyncProtocolTests", dependencies: ["CoreDataSyncProtocol"], swiftSettings: settings),
        .testTarget(
            name: "CoreDataSyncTests",
            dependencies: [
                "CoreDataSync", "CoreDataSyncModel", "CoreDataSyncProtocol", "CoreDataSyncServer",
                "CoreDataSyncSimulation", coreData, .product(name: "CoreDataPostgreSQL", package: "OpenCoreData"),
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)

// MARK: Clients over HTTP

package.products.append(.executable(name: "coredata-sync", targets: ["coredata-sync"]))
package.targets += [
    // The state of a store that syncs, for the command line.
    .executableTarget(
        name: "coredata-sync",
        dependencies: [
            "CoreDataSync", "CoreDataSyncProtocol", .product(name: "ArgumentParser", package: "swift-argument-parser"),
        ],
        swiftSettings: settings),
    .testTarget(
        name: "SyncClientTests",
        dependencies: [
            "coredata-sync", "CoreDataCloudSync", "CoreDataSync", "CoreDataSyncHTTP",
            "CoreDataSyncProtocol", "CoreDataSyncServer", "SwiftDataSync", coreData,
            .product(name: "SwiftData", package: "OpenCoreData"),
            .product(name: "Hummingbird", package: "hummingbird"),
            .product(name: "Logging", package: "swift-log"),
            .product(name: "NIOCore", package: "swift-nio"),
            .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        ],
        swiftSettings: settings),
]

// MARK: HTTP

package.dependencies += [
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.0.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.80.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.0.0"),
]
package.products += [
    .library(name: "CoreDataSyncHTTP", targets: ["CoreDataSyncHTTP"]),
    .library(name: "CoreDataSyncHTTPClient", targets: ["CoreDataSyncHTTPClient"]),
    .executable(name: "coredata-sync-server", targets: ["coredata-sync-server"]),
]
package.targets += [
    .systemLibrary(name: "CSyncZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    // Compressed bodies; for both sides.
    .target(name: "CoreDataSyncCompression", dependencies: ["CSyncZlib"], swiftSettings: settings),
    // The server's routes.
    .target(
        name: "CoreDataSyncHTTP",
        dependencies: [
            "CoreDataSyncCompression", "CoreDataSyncProtocol",
            .product(name: "HTTPTypes", package: "swift-http-types"),
            .product(name: "Hummingbird", package: "hummingbird"),
            .product(name: "Logging", package: "swift-log"),
            .product(name: "NIOCore", package: "swift-nio"),
            .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        ],
        swiftSettings: settings),
    // A transport over URLSession.
    .target(
        name: "CoreDataSyncHTTPClient", dependencies: ["CoreDataSyncCompression", "CoreDataSyncProtocol"],
        swiftSettings: settings),
    .executableTarget(
        name: "coredata-sync-server",
        dependencies: [
            "CoreDataSyncHTTP", "CoreDataSyncProtocol", "CoreDataSyncServer", coreData,
            .product(name: "ArgumentParser", package: "swift-argument-parser"),
            .product(name: "CoreDataPostgreSQL", package: "OpenCoreData"),
            .product(name: "Hummingbird", package: "hummingbird"),
            .product(name: "HummingbirdCore", package: "hummingbird"),
            .product(name: "Logging", package: "swift-log"),
            .product(name: "NIOCore", package: "swift-nio"),
            .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            .product(name: "UnixSignals", package: "swift-service-lifecycle"),
        ],
        swiftSettings: settings),
    // A device in one process, for tests that kill it.
    .executableTarget(
        name: "sync-process-client",
        dependencies: [
            "CoreDataSync", "CoreDataSyncHTTPClient", "CoreDataSyncProtocol", coreData,
            .product(name: "ArgumentParser", package: "swift-argument-parser"),
        ],
        path: "Tests/sync-process-client", swiftSettings: settings),
    // Devices that measure a running server: Documentation/Speed.md.
    .executableTarget(
        name: "sync-benchmark",
        dependencies: [
            "CoreDataSync", "CoreDataSyncHTTPClient", "CoreDataSyncProtocol", coreData,
            .product(name: "ArgumentParser", package: "swift-argument-parser"),
        ],
        path: "Tests/sync-benchmark", swiftSettings: settings),
    .testTarget(
        name: "CoreDataSyncHTTPTests",
        dependencies: [
            "CoreDataSyncCompression", "CoreDataSyncHTTP", "CoreDataSyncHTTPClient", "CoreDataSyncProtocol",
            .product(name: "Hummingbird", package: "hummingbird"),
            .product(name: "Logging", package: "swift-log"),
            .product(name: "NIOCore", package: "swift-nio"),
            .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        ],
        swiftSettings: settings),
]

// MARK: Telemetry

package.dependencies += [
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.9.0"),
    .package(url: "https://github.com/apple/swift-service-context", from: "1.1.0"),
]
package.products.append(.library(name: "CoreDataSyncTelemetry", targets: ["CoreDataSyncTelemetry"]))
package.targets += [
    // Spans and metrics of both sides. Apart, so that clients and servers without them compile no further package.
    .target(
        name: "CoreDataSyncTelemetry",
        dependencies: [
            "CoreDataSync", "CoreDataSyncProtocol", "CoreDataSyncServer",
            .product(name: "Metrics", package: "swift-metrics"),
            .product(name: "ServiceContextModule", package: "swift-service-context"),
            .product(name: "Tracing", package: "swift-distributed-tracing"),
        ],
        swiftSettings: settings),
    .testTarget(
        name: "SyncTelemetryTests",
        dependencies: [
            "CoreDataSync", "CoreDataSyncHTTP", "CoreDataSyncHTTPClient", "CoreDataSyncProtocol", "CoreDataSyncServer",
            "CoreDataSyncTelemetry", coreData,
            .product(name: "Hummingbird", package: "hummingbird"),
            .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
            .product(name: "Logging", package: "swift-log"),
            .product(name: "Metrics", package: "swift-metrics"),
            .product(name: "MetricsTestKit", package: "swift-metrics"),
            .product(name: "NIOCore", package: "swift-nio"),
            .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            .product(name: "ServiceContextModule", package: "swift-service-context"),
            .product(name: "Tracing", package: "swift-distributed-tracing"),
        ],
        swiftSettings: settings),
]
