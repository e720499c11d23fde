// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The delegate of an app as a plain class, and the module in place of Combine.

import CoreDataGeneration
import Foundation
import Testing

@testable import CoreDataAdoption

@Suite("Needs of a whole project") struct ProjectNeedsTests {
    private static let delegate = """
        import UIKit
        import CoreData

        @UIApplicationMain
        class AppDelegate: UIResponder, UIApplicationDelegate, Storing {
            var window: UIWindow?
            func application(
                _ application: UIApplication, didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]?
            ) -> Bool { true }
            lazy var persistentContainer: NSPersistentContainer = {
                let container = NSPersistentContainer(name: "Shop")
                container.loadPersistentStores { _, _ in }
                return container
            }()
        }
        """

    private func needs(_ files: [String: String]) throws -> (ProjectNeeds, SampleFolder) {
        let folder = try SampleFolder(files)
        var target = AppTarget("Shop", .app)
        target.sources = files.keys.sorted().map { folder.file($0) }
        return (ProjectNeeds([target]), folder)
    }

    private func source(_ text: String, _ needs: ProjectNeeds) -> AdoptedSource {
        AdoptedSource(
            URL(fileURLWithPath: "/p/File.swift"), path: "File.swift", bytes: Array(text.utf8),
            ported: Array(text.utf8), conditions: BuildConditions(), needs: needs, bundle: nil)
    }

    @Test("a delegate that others name is a plain class with its container, and they get its instance")
    func delegates() throws {
        let use = "import UIKit\nlet context = (UIApplication.shared.delegate as! AppDelegate).persistentContainer\n"
        let (needs, _) = try needs(["AppDelegate.swift": Self.delegate, "Use.swift": use])
        #expect(needs.delegates == ["AppDelegate"])
        var delegate = source(Self.delegate, needs)
        delegate.cutInterface(StatementRule(declared: ["AppDelegate", "Storing"]))
        #expect(delegate.cuts.map(\.declaration) == ["AppDelegate.window", "AppDelegate.application"])
        #expect(delegate.text.contains("class AppDelegate: NSObject, Storing { nonisolated(unsafe) static let adopted"))
        #expect(delegate.text.contains("lazy var persistentContainer") && !delegate.text.contains("@UIApplicationMain"))
        #expect(delegate.text.split(separator: "\n", omittingEmptySubsequences: false).count == 15)
        var user = source(use, needs)
        user.cutInterface(StatementRule(declared: ["AppDelegate"]))
        #expect(user.cuts.isEmpty)
        #expect(user.text.contains("let context = ((AppDelegate.adopted as AnyObject?) as! AppDelegate)"))
    }

    @Test("a delegate that no other source names is left out") func unused() throws {
        let (needs, _) = try needs(["AppDelegate.swift": Self.delegate, "Use.swift": "import UIKit\n"])
        #expect(needs.delegates.isEmpty)
        var delegate = source(Self.delegate, needs)
        delegate.cutInterface(StatementRule(declared: ["AppDelegate"]))
        #expect(delegate.reasonLeftOut == "It uses '@UIApplicationMain' of UIKit.")
    }

    @Test("subscriptions need OpenCombine in all sources, and a plain observable object does not") func combine() throws
    {
        let stack = "import Combine\nimport Foundation\nclass Stack: ObservableObject {}\n"
        let (plain, _) = try needs(["Stack.swift": stack])
        #expect(!plain.usesCombine)
        #expect(source(stack, plain).text.hasPrefix("import CombineShims\nimport Foundation\n"))
        let (full, _) = try needs([
            "Stack.swift": stack, "B.swift": "import Combine\nvar set: Set<AnyCancellable> = []\n",
        ])
        #expect(full.usesCombine)
        let imports = "import OpenCombine; import OpenCombineFoundation; import OpenCombineDispatch\n"
        #expect(source(stack, full).text.hasPrefix(imports))
        #expect(source("import UIKit\nclass A {}\n", full).text.hasPrefix("import Foundation\n"))
    }

    @Test(
        "bundles of the app are the bundle of the package, except for properties of the program",
        arguments: [
            ("Bundle.main.url(forResource: a)", "Bundle.module.url(forResource: a)"),
            ("Bundle.main.decode(a)", "Bundle.module.decode(a)"), ("f(Bundle.main)", "f(Bundle.module)"),
            ("Bundle.main.bundleIdentifier", "Bundle.main.bundleIdentifier"),
            ("Bundle(for: A.self).path", "Bundle.module.path"),
            ("Bundle(identifier: \"a\")!.path", "Optional(Bundle.module)!.path"),
        ])
    func bundles(text: String, result: String) {
        let bytes = Array("let a = \(text)\n".utf8)
        let source = AdoptedSource(
            URL(fileURLWithPath: "/p/A.swift"), path: "A.swift", bytes: bytes, ported: bytes,
            conditions: BuildConditions(), bundle: "Bundle.module")
        #expect(source.text == "let a = \(result)\n")
    }

    @Test("a class with @Observable imports Observation, which SwiftUI exports") func observation() {
        let text = source("import SwiftUI\n@Observable final class A {}\n", ProjectNeeds()).text
        #expect(text.hasPrefix("import Foundation; import Observation\n@Observable"))
    }

    @Test(
        "names that only Apple's Foundation has are imported on the first import's line",
        arguments: [
            ("import Foundation\nlet a = URL.cachesDirectory\n", true),
            ("import Foundation\nlet a = String(localized: \"b\")\n", true),
            ("import Foundation\nlet a = String(describing: 1)\n", false),
            ("import SwiftUI\nlet a = Color.red\n", true), ("import XCTest\nlet a = UIColor.red\n", true),
            ("import Foundation\nlet Color = 1\n", false),
        ])
    func foundationNames(text: String, isImported: Bool) {
        let adopted = source(text, ProjectNeeds())
        #expect(adopted.imports("AppleShims") == isImported)
        #expect(adopted.text.count { $0 == "\n" } == text.count { $0 == "\n" })
    }
}
