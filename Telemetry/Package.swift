// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let coreData = Target.Dependency.product(name: "CoreData", package: "OpenCoreData")

// A separate package, so that users of OpenCoreData build none of the packages that it needs.
let package = Package(
    name: "Telemetry",
    platforms: [.macOS(.v15)],
    products: [.library(name: "CoreDataTelemetry", targets: ["CoreDataTelemetry"])],
    dependencies: [
        .package(name: "OpenCoreData", path: ".."),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.3.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
        .package(url: "https://github.com/apple/swift-service-context", from: "1.1.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.6.0"),
    ],
    targets: [
        .target(
            name: "CoreDataTelemetry",
            dependencies: [
                coreData,
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "ServiceContextModule", package: "swift-service-context"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            swiftSettings: settings),
        // Look-ups and saves without an observer, with one, and with metrics: Scripts/test-telemetry --cost.
        .executableTarget(
            name: "telemetry-cost",
            dependencies: [
                "CoreDataTelemetry", coreData, .product(name: "Metrics", package: "swift-metrics"),
            ],
            path: "Tests/telemetry-cost", swiftSettings: settings),
        .testTarget(
            name: "CoreDataTelemetryTests",
            dependencies: [
                "CoreDataTelemetry", coreData,
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "ServiceContextModule", package: "swift-service-context"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
