// swift-tools-version: 6.1
import CompilerPluginSupport
import PackageDescription

// Apple's systems have their own CoreData: there this package leaves out its implementation, so that the specification
// tests, which use only the public interface, can be run against Apple's framework.
#if os(macOS) || os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
    let platformHasCoreData = true
#else
    let platformHasCoreData = false
#endif

// `OCD_PORTABLE=1 swift build` takes the portable fallback of all unsafe code (Documentation/Internals/UnsafeCode.md).
// `OCD_PORTABLE=core` leaves out all targets but `CoreData`, `CoreDataFoundation`, their parts and their suites.
let isCore = Context.environment["OCD_PORTABLE"] == "core"
let isPortable = isCore || Context.environment["OCD_PORTABLE"] == "1"
let coreTargets: Set = [
    "CSQLite", "CZlib", "CRuntime", "PredicateLanguage", "CoreDataFoundation", "CoreDataModelFiles", "SQLiteDriver",
    "CoreData", "CoreDataFoundationTests", "FixtureFiles", "COwnershipCheck", "CAllocationCounter", "CMutexOrder",
    "CoreDataTests", "JSONStore",
]

let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + (isPortable ? [.define("OCD_PORTABLE")] : [])

/// A module of swift-syntax, which is resolved only for clients with the trait `AllProducts`.
func syntax(_ module: String) -> Target.Dependency {
    .product(name: module, package: "swift-syntax", condition: .when(traits: ["AllProducts"]))
}

let libraries: [Target] = [
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .target(name: "CRuntime", cSettings: isPortable ? [.define("OCD_PORTABLE")] : []),
    .target(name: "PredicateLanguage", swiftSettings: settings),
    .target(name: "CoreDataFoundation", dependencies: ["PredicateLanguage"], swiftSettings: settings),
    .target(name: "CoreDataModelFiles", dependencies: ["CZlib", "PredicateLanguage"], swiftSettings: settings),
    .target(name: "SQLiteDriver", dependencies: ["CSQLite"], swiftSettings: settings),
    .target(
        name: "CoreData",
        dependencies: [
            "CRuntime", "CoreDataFoundation", "CoreDataModelFiles", "SQLiteDriver",
            .product(name: "Logging", package: "swift-log"),
        ],
        swiftSettings: settings
    ),
    // A store in PostgreSQL (Documentation/Internals/PostgreSQL.md). libpq is loaded when the program runs.
    .target(name: "CPostgreSQL", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux, .android]))]),
    .target(name: "PostgreSQLDriver", dependencies: ["CPostgreSQL"], swiftSettings: settings),
    .target(
        name: "CoreDataPostgreSQL",
        dependencies: [
            "CoreData", "CoreDataFoundation", "CoreDataModelFiles", "PostgreSQLDriver",
            .product(name: "Logging", package: "swift-log"),
        ],
        swiftSettings: settings),
    // Compiles and generates without CoreData and SQLite, so that tools of builds are there in seconds.
    .target(name: "CoreDataGeneration", dependencies: ["CoreDataModelFiles"], swiftSettings: settings),
    .executableTarget(name: "coredata-modelc", dependencies: ["CoreDataGeneration"], swiftSettings: settings),
    .plugin(name: "CoreDataModelPlugin", capability: .buildTool(), dependencies: ["coredata-modelc"]),
    // Only users of the product CoreDataModeling build swift-syntax.
    .macro(
        name: "CoreDataMacros",
        dependencies: [
            syntax("SwiftCompilerPlugin"), syntax("SwiftDiagnostics"), syntax("SwiftParser"), syntax("SwiftSyntax"),
            syntax("SwiftSyntaxBuilder"), syntax("SwiftSyntaxMacroExpansion"), syntax("SwiftSyntaxMacros"),
        ],
        swiftSettings: settings
    ),
    .target(
        name: "CoreDataModeling", dependencies: ["CoreData", "CoreDataMacros", "CoreDataModelFiles"],
        swiftSettings: settings),
    // Models of `import SwiftData`; only users of this product and of CoreDataModeling build swift-syntax.
    .target(
        name: "SwiftData",
        dependencies: [
            "CoreData", "CoreDataFoundation", "CoreDataMacros", "CoreDataModelFiles", "CoreDataModeling",
            "PredicateLanguage",
        ],
        swiftSettings: settings),
    // Names of Apple's frameworks for adopted sources on Linux; `coredata-tool adopt` adds it where they are used.
    .target(name: "CAppleShims"),
    .target(name: "AppleShims", dependencies: ["CAppleShims"], swiftSettings: settings),
    .target(name: "CombineShims", swiftSettings: settings),
    .target(name: "SwiftDataShims", dependencies: ["SwiftData"], swiftSettings: settings),
    // Makes a package of an app's project (Documentation/Internals/Adoption.md).
    .target(
        name: "CoreDataAdoption", dependencies: ["CoreDataGeneration", "CoreDataModelFiles"], swiftSettings: settings),
    // The records of exports and seeds, for the tool and for tests of users.
    .target(
        name: "CoreDataExchange", dependencies: ["CoreData", "CoreDataModelFiles", "SQLiteDriver"],
        swiftSettings: settings),
    // Tests of users (Documentation/Internals/Testing.md). Neither imports XCTest nor Testing.
    .target(name: "CoreDataTesting", dependencies: ["CoreData", "CoreDataExchange"], swiftSettings: settings),
    .target(
        name: "CoreDataToolKit",
        dependencies: [
            "CoreData", "CoreDataExchange", "CoreDataFoundation", "CoreDataModelFiles", "CoreDataPostgreSQL",
            "SQLiteDriver",
        ],
        swiftSettings: settings
    ),
    .executableTarget(
        name: "coredata-tool",
        dependencies: [
            "CoreDataToolKit", "CoreDataAdoption", "CoreDataExchange", "CoreDataGeneration", "CoreDataModelFiles",
            .product(
                name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["AllProducts"])),
        ],
        swiftSettings: settings
    ),
    .executableTarget(
        name: "coredata-demo",
        dependencies: ["CoreData"],
        resources: [.copy("Resources/Packages.xcdatamodeld")],
        swiftSettings: settings
    ),
    .testTarget(
        name: "CoreDataFoundationTests",
        dependencies: [
            "CoreDataFoundation", "PredicateLanguage", "SQLiteDriver", "CAllocationCounter", "FixtureFiles",
        ],
        swiftSettings: settings),
    // Files for tests: finds those that Apple's tools wrote, and makes hostile ones.
    .target(name: "FixtureFiles", path: "Tests/FixtureFiles", swiftSettings: settings),
    .target(
        name: "ModelFilesTestSupport", dependencies: ["CoreDataModelFiles", "FixtureFiles"],
        path: "Tests/ModelFilesTestSupport", swiftSettings: settings),
    .testTarget(
        name: "CoreDataModelFilesTests",
        dependencies: ["CoreDataModelFiles", "ModelFilesTestSupport", "FixtureFiles", "CSQLite"],
        swiftSettings: settings),
    .testTarget(
        name: "CoreDataGenerationTests",
        dependencies: [
            "CoreDataGeneration", "CoreDataModelFiles", "ModelFilesTestSupport", "CAllocationCounter",
        ], swiftSettings: settings),
    .testTarget(
        name: "CoreDataAdoptionTests",
        dependencies: [
            "CoreDataAdoption", "CoreDataGeneration", "CoreDataModelFiles", "ModelFilesTestSupport", "AppleShims",
            "CombineShims", "SwiftData", "SwiftDataShims",
        ],
        swiftSettings: settings),
    // Runs the plug-in, which CoreDataModeling builds, as a program: a test target that links a macro makes SwiftPM
    // compile the library twice, for the host and for the target.
    .testTarget(name: "CoreDataMacrosTests", dependencies: ["CoreDataModeling"], swiftSettings: settings),
    // Without our settings: code as users write it.
    .testTarget(name: "CoreDataModelingTests", dependencies: ["CoreDataModeling", "CoreData"]),
    // The code of README and pages, without our settings: as users write it. Scripts/docs puts it into the pages.
    .executableTarget(
        name: "FirstSteps", dependencies: ["CoreDataModeling"], path: "Documentation/Snippets/FirstSteps"),
    .testTarget(
        name: "SnippetTests",
        dependencies: ["CoreDataModeling", "CoreDataTesting", "SwiftData", "CoreDataPostgreSQL", "FirstSteps"],
        path: "Documentation/Snippets/Tests"),
    // Without our settings: code as users write it.
    .testTarget(
        name: "SwiftDataTests",
        dependencies: [
            "SwiftData", "CoreData", "CoreDataTestSupport", "FixtureFiles", "SQLiteDriver", "TypedPredicates",
        ]),
    // Code as new apps have it: all of it belongs to the main actor. The setting for that came after tools version 6.1.
    .testTarget(
        name: "SwiftDataClientTests", dependencies: ["SwiftData"],
        swiftSettings: [.swiftLanguageMode(.v5), .unsafeFlags(["-default-isolation", "MainActor"])]),
    .testTarget(
        name: "CoreDataPostgreSQLTests",
        dependencies: [
            "CoreDataPostgreSQL", "PostgreSQLDriver", "CoreData", "CoreDataModelFiles", "CoreDataTestSupport",
            "CoreDataToolKit",
        ],
        swiftSettings: settings),
    .testTarget(name: "SQLiteDriverTests", dependencies: ["SQLiteDriver", "CSQLite"], swiftSettings: settings),
    // Linked into only the tests: the ownership check is on in all of them.
    .target(name: "COwnershipCheck", path: "Tests/COwnershipCheck"),
    // Linked into only the tests: it counts their allocations.
    .target(name: "CAllocationCounter", path: "Tests/CAllocationCounter"),
    // Linked into only the tests: it reports to ThreadSanitizer the order that a Mutex makes.
    .target(name: "CMutexOrder", path: "Tests/CMutexOrder"),
    // Linked into only the proving ground: it takes the place of the system's calls on files.
    .target(name: "CFaults", dependencies: ["CSQLite"], path: "Tests/CFaults"),
    // Documentation/Internals/ProvingGround.md
    .executableTarget(
        name: "proving",
        dependencies: [
            "CoreData", "CoreDataFoundation", "CoreDataModelFiles", "PredicateLanguage", "SQLiteDriver",
            "PostgreSQLDriver", "CoreDataTestSupport", "CFaults", "CMutexOrder",
        ],
        path: "Tests/Proving", swiftSettings: settings),
    .testTarget(
        name: "CoreDataTests",
        dependencies: [
            "CoreData", "CRuntime", "CoreDataTestSupport", "CAllocationCounter", "COwnershipCheck", "CMutexOrder",
            "FixtureFiles",
        ],
        swiftSettings: settings),
    // The example's store: the suites run on it as on the built-in kinds.
    .target(
        name: "JSONStore", dependencies: ["CoreData"], path: "Examples/JSONStore/Sources/JSONStore",
        swiftSettings: settings),
    .testTarget(
        name: "JSONStoreTests", dependencies: ["CoreData", "JSONStore"],
        path: "Examples/JSONStore/Tests/JSONStoreTests", swiftSettings: settings),
    // Without our settings: code as users write it, in Swift 6 mode.
    .testTarget(name: "CoreDataClientTests", dependencies: ["CoreData"]),
    .testTarget(
        name: "CoreDataInteropTests",
        dependencies: ["CoreData", "CoreDataGeneration", "CoreDataModelFiles", "CoreDataTestSupport", "FixtureFiles"],
        swiftSettings: settings),
    .testTarget(
        name: "CoreDataAnomalyTests", dependencies: ["CoreData", "CoreDataTestSupport", "FixtureFiles", "CSQLite"],
        swiftSettings: settings),
    .testTarget(
        name: "CoreDataTestingTests",
        dependencies: ["CoreDataTesting", "CoreData", "CoreDataPostgreSQL", "CoreDataTestSupport"],
        swiftSettings: settings),
    // Stores of this version and of earlier ones (Documentation/Internals/GoldenStores.md).
    .target(name: "GoldenStores", dependencies: ["CoreData"], path: "Tests/GoldenStores", swiftSettings: settings),
    .executableTarget(
        name: "golden",
        dependencies: ["CoreData", "CoreDataTesting", "GoldenStores", "GoldenSwiftData", "SwiftData"],
        path: "Tests/Golden", swiftSettings: settings),
    .target(
        name: "GoldenSwiftData", dependencies: ["CoreData", "SwiftData"], path: "Tests/GoldenSwiftData",
        swiftSettings: settings),
    .testTarget(
        name: "GoldenTests",
        dependencies: [
            "CoreData", "CoreDataTesting", "CoreDataToolKit", "GoldenStores", "GoldenSwiftData", "SQLiteDriver",
            "SwiftData",
        ],
        swiftSettings: settings),
    // Scripts/mac-check, which builds the same sources with Apple's framework on a Mac.
    .executableTarget(name: "mac-check", dependencies: ["CoreData"], path: "Tests/MacCheck", swiftSettings: settings),
    .testTarget(
        name: "CoreDataToolTests",
        dependencies: [
            "CoreDataToolKit", "CoreData", "CoreDataExchange", "CoreDataModelFiles", "SQLiteDriver", "FixtureFiles",
            "CAllocationCounter", "coredata-tool", "coredata-demo",
        ], swiftSettings: settings),
]

let coreData: [Target.Dependency] = platformHasCoreData ? [] : ["CoreData"]
let jsonStore: [Target.Dependency] = platformHasCoreData ? [] : ["JSONStore"]
// Its suites run where a server is (Scripts/with-postgres).
let postgreSQLStore: [Target.Dependency] = platformHasCoreData || isCore ? [] : ["CoreDataPostgreSQL"]

let package = Package(
    name: "OpenCoreData",
    platforms: [.macOS(.v15)],
    products: platformHasCoreData
        ? []
        : [
            .library(name: "CoreData", targets: ["CoreData"]),
            .library(name: "CoreDataModeling", targets: ["CoreDataModeling"]),
            .library(name: "SwiftData", targets: ["SwiftData"]),
            .library(name: "CoreDataPostgreSQL", targets: ["CoreDataPostgreSQL"]),
            .library(name: "CoreDataTesting", targets: ["CoreDataTesting"]),
            .library(name: "CoreDataToolKit", targets: ["CoreDataToolKit"]),
            .library(name: "AppleShims", targets: ["AppleShims"]),
            .library(name: "CombineShims", targets: ["CombineShims"]),
            .library(name: "SwiftDataShims", targets: ["SwiftDataShims"]),
            .executable(name: "coredata-tool", targets: ["coredata-tool"]),
            .plugin(name: "CoreDataModelPlugin", targets: ["CoreDataModelPlugin"]),
        ].filter { !isCore || $0.name == "CoreData" },
    // A client of only `CoreData` or `CoreDataPostgreSQL` writes `traits: []`, and resolves neither package.
    traits: isCore
        ? []
        : [
            // One trait: SwiftPM passes the names of two in an order that changes from build to build, and other
            // arguments compile the whole library again.
            .trait(
                name: "AllProducts",
                description: "CoreDataModeling, SwiftData and coredata-tool, with swift-syntax and argument-parser."),
            .default(enabledTraits: ["AllProducts"]),
        ],
    dependencies: [.package(url: "https://github.com/apple/swift-log", from: "1.6.0")]
        + (isCore
            ? []
            : [
                .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
                .package(url: "https://github.com/swiftlang/swift-syntax", "602.0.0"..<"604.0.0"),
            ]),
    targets: (platformHasCoreData ? [] : libraries.filter { !isCore || coreTargets.contains($0.name) }) + [
        .target(
            name: "CoreDataTestSupport", dependencies: coreData + jsonStore + postgreSQLStore,
            path: "Tests/CoreDataTestSupport",
            swiftSettings: settings),
        // Random typed predicates, for the suites of both faces.
        .target(
            name: "TypedPredicates", dependencies: coreData + ["CoreDataTestSupport"], path: "Tests/TypedPredicates",
            swiftSettings: settings),
        .testTarget(
            name: "CoreDataSpecification", dependencies: coreData + ["CoreDataTestSupport", "TypedPredicates"],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
