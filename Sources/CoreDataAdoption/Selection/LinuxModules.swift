// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The modules that sources of an app can import on Linux.

enum LinuxModules {
    /// Modules of the toolchain, and those of OpenCoreData.
    static let known: Set<String> = [
        "Swift", "Foundation", "FoundationEssentials", "FoundationNetworking", "FoundationXML",
        "FoundationInternationalization", "Dispatch", "Observation", "Synchronization", "RegexBuilder", "Distributed",
        "Cxx", "Glibc", "XCTest", "Testing", "CoreData", "SwiftData", shims,
        combineShims, swiftDataShims,
    ]

    /// The product with names of Apple's frameworks, for sources that import one of these.
    static let shims = "AppleShims"

    /// The names in that product that Apple's interfaces have.
    static let shimNames: Set<String> = [
        "CLLocationCoordinate2D", "CLLocationDegrees", "CLLocation", "CLLocationDistance", "CLLocationAccuracy",
        "UIColor", "NSColor", "Color", "UIImage", "Animation", "withAnimation", "fromOffsets", "atOffsets",
        "LocalizedStringKey", "UITraitCollection", "UIUserInterfaceStyle", "NSAppearance", "row",
    ]

    /// The names in that product that Foundation has on Apple's systems.
    static let foundationShimNames: Set<String> = [
        "documentsDirectory", "applicationSupportDirectory", "cachesDirectory", "containerURL", "autoreleasepool",
        "LocalizedStringResource", "LocalizationValue",
    ]

    /// The product with the names of SwiftUI that fetch models.
    static let swiftDataShims = "SwiftDataShims"

    /// The product with three names of Combine.
    static let combineShims = "CombineShims"

    static let combineShimNames: Set<String> = ["ObservableObject", "ObservableObjectPublisher", "Published"]

    /// The modules in place of Combine, if sources use more of it.
    static let openCombine = ["OpenCombine", "OpenCombineFoundation", "OpenCombineDispatch"]

    /// Modules with imports that `port` moves under a condition.
    static let ported: Set<String> = ["os", "OSLog"]

    /// Modules of Apple's interfaces. A file that imports one of them may use its names without the compiler's help.
    static let interface: Set<String> = [
        "SwiftUI", "UIKit", "AppKit", "Cocoa", "WatchKit", "WidgetKit", "Charts", "MapKit", "PhotosUI", "WebKit",
        "SpriteKit", "SceneKit", "ARKit", "RealityKit", "TipKit", "StoreKit", "AppIntents", "ActivityKit",
        "SafariServices", "MessageUI", "QuickLook", "PencilKit", "PDFKit", "CoreSpotlight", "CloudKit", "Intents",
    ]
}
