// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The modules that sources of an app can import on Linux.

enum LinuxModules {
    /// Modules of the toolchain, and those of OpenCoreData.
    static let known: Set<String> = [
        "Swift", "Foundation", "FoundationEssentials", "FoundationNetworking", "FoundationXML",
        "FoundationInternationalization", "Dispatch", "Observation", "Synchronization", "RegexBuilder", "Distributed",
        "Cxx", "Glibc", "XCTest", "Testing", "CoreData", "SwiftData", shims,
    ]

    /// The product with names of Apple's frameworks, for sources that import one of these.
    static let shims = "AppleShims"

    /// The names in that product.
    static let shimNames: Set<String> = [
        "ObservableObject", "ObservableObjectPublisher", "Published", "CLLocationCoordinate2D", "CLLocationDegrees",
    ]

    /// Modules with imports that `port` moves under a condition.
    static let ported: Set<String> = ["os", "OSLog"]

    /// Modules of Apple's interfaces. A file that imports one of them may use its names without the compiler's help.
    static let interface: Set<String> = [
        "SwiftUI", "UIKit", "AppKit", "Cocoa", "WatchKit", "WidgetKit", "Charts", "MapKit", "PhotosUI", "WebKit",
        "SpriteKit", "SceneKit", "ARKit", "RealityKit", "TipKit", "StoreKit", "AppIntents", "ActivityKit",
        "SafariServices", "MessageUI", "QuickLook", "PencilKit", "PDFKit", "CoreSpotlight", "CloudKit", "Intents",
    ]
}
