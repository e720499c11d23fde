// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Project files in the forms of Xcode 8 and Xcode 16.

enum SampleProject {
    /// Groups, an app, a test bundle with a host, a model with two versions, settings at both levels, a script.
    static let groups = """
        // !$*UTF8*$!
        {
        \tarchiveVersion = 1;
        \tobjectVersion = 46;
        \tobjects = {
        /* Begin PBXBuildFile section */
        \t\tB1 /* Item.swift in Sources */ = {isa = PBXBuildFile; fileRef = F1 /* Item.swift */; };
        \t\tB2 = {isa = PBXBuildFile; fileRef = F2; };
        \t\tB3 = {isa = PBXBuildFile; fileRef = V1; };
        \t\tB4 = {isa = PBXBuildFile; fileRef = F4; };
        \t\tB5 = {isa = PBXBuildFile; fileRef = F5; };
        \t\tB6 = {isa = PBXBuildFile; fileRef = F6; };
        \t\tB7 = {isa = PBXBuildFile; };
        \t\tF1 = {isa = PBXFileReference; lastKnownFileType = sourcecode.swift; path = item.swift; sourceTree = "<group>"; };
        \t\tF2 = {isa = PBXFileReference; path = "Shop View.swift"; sourceTree = "<group>"; };
        \t\tF3 = {isa = PBXFileReference; path = "Shop 2.xcdatamodel"; sourceTree = "<group>"; };
        \t\tF4 = {isa = PBXFileReference; path = Gone.swift; sourceTree = SOURCE_ROOT; };
        \t\tF5 = {isa = PBXFileReference; path = ShopTests.swift; sourceTree = "<group>"; };
        \t\tF6 = {isa = PBXFileReference; path = Old.m; sourceTree = "<group>"; };
        \t\tF7 = {isa = PBXFileReference; path = Base.xcconfig; sourceTree = "<group>"; };
        \t\tV1 = {isa = XCVersionGroup; children = ( F3, ); currentVersion = F3; path = Shop.xcdatamodeld; sourceTree = "<group>"; };
        \t\tG0 = {isa = PBXGroup; children = ( G1, G2, F4, F7, ); sourceTree = "<group>"; };
        \t\tG1 = {isa = PBXGroup; children = ( G3, F2, V1, F6, G0, ); path = Shop; sourceTree = "<group>"; };
        \t\tG2 = {isa = PBXGroup; children = ( F5 ); path = ShopTests; sourceTree = "<group>"; };
        \t\tG3 = {isa = PBXGroup; children = ( F1, ); name = Model; path = Model; sourceTree = "<group>"; };
        \t\tP1 = {isa = PBXSourcesBuildPhase; files = ( B1, B2, B3, B4, B6, B7, MISSING, ); };
        \t\tP2 = {isa = PBXSourcesBuildPhase; files = ( B5, ); };
        \t\tP3 = {isa = PBXShellScriptBuildPhase; name = "Lint \\"all\\""; shellScript = "rm -rf /\\n"; };
        \t\tT1 = {isa = PBXNativeTarget; name = "Shop App"; productType = "com.apple.product-type.application"; buildPhases = ( P1, P3, ); buildConfigurationList = L1; dependencies = ( ); };
        \t\tT2 = {isa = PBXNativeTarget; name = ShopTests; productType = "com.apple.product-type.bundle.unit-test"; buildPhases = ( P2, ); buildConfigurationList = L2; dependencies = ( D1, ); };
        \t\tD1 = {isa = PBXTargetDependency; target = T1; };
        \t\tL0 = {isa = XCConfigurationList; buildConfigurations = ( C1, C0, ); };
        \t\tL1 = {isa = XCConfigurationList; buildConfigurations = ( C3, C2, ); };
        \t\tL2 = {isa = XCConfigurationList; buildConfigurations = ( ); };
        \t\tC0 = {isa = XCBuildConfiguration; name = Debug; buildSettings = { SWIFT_ACTIVE_COMPILATION_CONDITIONS = DEBUG; SWIFT_VERSION = 5.0; BASE = Shop; }; };
        \t\tC1 = {isa = XCBuildConfiguration; name = Release; buildSettings = { SWIFT_VERSION = 4.0; }; };
        \t\tC2 = {isa = XCBuildConfiguration; name = Debug; baseConfigurationReference = F7; buildSettings = { SWIFT_ACTIVE_COMPILATION_CONDITIONS = "$(inherited) BETA"; PRODUCT_NAME = "$(BASE) Kit"; SWIFT_DEFAULT_ACTOR_ISOLATION = MainActor; }; };
        \t\tC3 = {isa = XCBuildConfiguration; name = Release; buildSettings = { PRODUCT_NAME = Wrong; }; };
        \t\tR = {isa = PBXProject; mainGroup = G0; buildConfigurationList = L0; targets = ( T1, T2, ); };
        \t};
        \trootObject = R /* Project object */;
        }

        """

    static let groupFiles = [
        "Shop.xcodeproj/project.pbxproj": groups, "Shop/Model/Item.swift": "struct Item {}\n",
        "Shop/Shop View.swift": "import SwiftUI\n", "Shop/Shop.xcdatamodeld/Shop 2.xcdatamodel/contents": "<model/>",
        "Shop/Old.m": "", "ShopTests/ShopTests.swift": "import XCTest\n",
        "Base.xcconfig": "#include \"More.xcconfig\"\nSWIFT_STRICT_CONCURRENCY = complete // all\n",
        "More.xcconfig": "SWIFT_APPROACHABLE_CONCURRENCY = YES\nSWIFT_VERSION[sdk=iphone*] = 3.0\n",
    ]

    /// Synchronized folders: the app has all files but one, which the extension has.
    static let folders = """
        {
            objectVersion = 77;
            objects = {
                E1 = {isa = PBXFileSystemSynchronizedBuildFileExceptionSet; membershipExceptions = ( Info.plist, Views/Old.swift, ); target = T1; };
                E2 = {isa = PBXFileSystemSynchronizedBuildFileExceptionSet; membershipExceptions = ( Model/Item.swift, ); target = T2; };
                S1 = {isa = PBXFileSystemSynchronizedRootGroup; exceptions = ( E1, E2, ); path = Shop; sourceTree = "<group>"; };
                S2 = {isa = PBXFileSystemSynchronizedRootGroup; path = Widget; sourceTree = "<group>"; };
                G0 = {isa = PBXGroup; children = ( S1, S2 ); sourceTree = "<group>"; };
                T1 = {isa = PBXNativeTarget; name = Shop; productType = "com.apple.product-type.application"; fileSystemSynchronizedGroups = ( S1, ); buildPhases = ( ); };
                T2 = {isa = PBXNativeTarget; name = Widget; productType = "com.apple.product-type.app-extension"; fileSystemSynchronizedGroups = ( S2, ); buildPhases = ( ); };
                K1 = {isa = XCLocalSwiftPackageReference; relativePath = Kit; };
                R = {isa = PBXProject; mainGroup = G0; targets = ( T1, T2, ); packageReferences = ( K1 ); };
            };
            rootObject = R;
        }
        """

    static let folderFiles = [
        "Shop.xcodeproj/project.pbxproj": folders, "Shop/Model/Item.swift": "", "Shop/Views/Old.swift": "",
        "Shop/Views/List.swift": "", "Shop/Info.plist": "", "Shop/Shop.xcdatamodeld/Shop.xcdatamodel/contents": "",
        "Shop/Data/cities.json": "[]", "Widget/Widget.swift": "",
        "Kit/Package.swift": """
        // swift-tools-version: 5.9
        let package = Package(name: "Kit", targets: [
            .target(name: "Kit", dependencies: [.target(name: "Base"), .product(name: "Log", package: "swift-log"), "Core"]),
            .target(name: "Base", path: "Base", exclude: ["Old"]),
            .testTarget(name: "KitTests", dependencies: ["Kit"]),
            .target(name: "Nowhere"),
        ])
        """,
        "Kit/Sources/Kit/Kit.swift": "", "Kit/Base/Base.swift": "", "Kit/Base/Old/Old.swift": "",
        "Kit/Tests/KitTests/KitTests.swift": "",
    ]
}
