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
        .library(name: "CoreDataSyncServer", targets: ["CoreDataSyncServer"]),
    ],
    dependencies: [.package(name: "OpenCoreData", path: "..")],
    targets: [
        // What travels between a device and a server; imports Foundation only.
        .target(name: "CoreDataSyncProtocol", swiftSettings: settings),
        // The properties of a model that travel, and their values; for both sides.
        .target(name: "CoreDataSyncModel", dependencies: ["CoreDataSyncProtocol", coreData], swiftSettings: settings),
        .target(
            name: "CoreDataSync", dependencies: ["CoreDataSyncModel", "CoreDataSyncProtocol", coreData],
            swiftSettings: settings),
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
                "CoreDataSyncSimulation", coreData,
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)

// MARK: HTTP

package.products += [.library(name: "CoreDataSyncHTTPClient", targets: ["CoreDataSyncHTTPClient"])]
package.targets += [
    .systemLibrary(name: "CSyncZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    // Compressed bodies; for both sides.
    .target(name: "CoreDataSyncCompression", dependencies: ["CSyncZlib"], swiftSettings: settings),
    // A transport over URLSession.
    .target(
        name: "CoreDataSyncHTTPClient", dependencies: ["CoreDataSyncCompression", "CoreDataSyncProtocol"],
        swiftSettings: settings),
    .testTarget(
        name: "CoreDataSyncHTTPTests",
        dependencies: ["CoreDataSyncCompression", "CoreDataSyncHTTPClient", "CoreDataSyncProtocol"],
        swiftSettings: settings),
]
