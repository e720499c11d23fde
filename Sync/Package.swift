// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let coreData = Target.Dependency.product(name: "CoreData", package: "OpenCoreData")

// A separate package, so that users of OpenCoreData build neither a server nor a client.
let package = Package(
    name: "Sync",
    platforms: [.macOS(.v15)],
    products: [.library(name: "CoreDataSyncProtocol", targets: ["CoreDataSyncProtocol"])],
    dependencies: [.package(name: "OpenCoreData", path: "..")],
    targets: [
        // What travels between a device and a server; imports Foundation only.
        .target(name: "CoreDataSyncProtocol", swiftSettings: settings),
        .testTarget(
            name: "CoreDataSyncProtocolTests", dependencies: ["CoreDataSyncProtocol"], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
