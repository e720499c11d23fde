// swift-tools-version: 6.1
import PackageDescription

// A separate package, so that users of OpenCoreData do not depend on GRDB.
let package = Package(
    name: "OpenCoreDataBenchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "OpenCoreData", path: ".."),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    ],
    targets: [
        // Not the name of the package's own module, because one program contains both.
        .systemLibrary(
            name: "CSystemSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .systemLibrary(name: "CHeap"),
        .executableTarget(
            name: "bench",
            dependencies: [
                "CHeap", "CSystemSQLite",
                .product(name: "CoreData", package: "OpenCoreData"),
                // Loads libpq when a store in PostgreSQL is opened, and needs nothing of it before.
                .product(name: "CoreDataPostgreSQL", package: "OpenCoreData"),
                .product(name: "SwiftData", package: "OpenCoreData"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: [.enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("MemberImportVisibility")]
        ),
    ],
    swiftLanguageModes: [.v6]
)
