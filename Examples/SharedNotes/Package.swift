// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "SharedNotes",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "OpenCoreData", path: "../.."),
        .package(name: "Sync", path: "../../Sync"),
    ],
    targets: [
        .executableTarget(
            name: "SharedNotes",
            dependencies: [
                .product(name: "CoreData", package: "OpenCoreData"),
                .product(name: "CoreDataSync", package: "Sync"),
            ],
            plugins: [.plugin(name: "CoreDataModelPlugin", package: "OpenCoreData")]),
        .executableTarget(
            name: "NoteBoard",
            dependencies: [
                .product(name: "CoreDataSync", package: "Sync"),
                .product(name: "SwiftDataSync", package: "Sync"),
                .product(name: "SwiftData", package: "OpenCoreData"),
            ]),
    ]
)
