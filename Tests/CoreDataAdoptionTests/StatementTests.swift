// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Statements that are cut in place of their functions, and statements that must stay.

import CoreDataGeneration
import Foundation
import Testing

@testable import CoreDataAdoption

@Suite("Statements that need a screen") struct StatementTests {
    private func source(_ text: String) -> AdoptedSource {
        AdoptedSource(
            URL(fileURLWithPath: "/p/Stack.swift"), path: "Stack.swift", bytes: Array(text.utf8),
            ported: Array(text.utf8), conditions: BuildConditions(), bundle: nil)
    }

    /// The statements of a function's body, by their first words.
    private func statements(_ body: String) throws -> [String] {
        let outline = SourceOutline(SwiftLexer.tokens(Array("func f() {\(body)}".utf8)))
        let function = try #require(outline.declarations.first)
        let open = try #require(outline.tokens.firstIndex { $0.is("{") })
        return outline.statements(in: open + 1..<function.tokens.upperBound - 1).map {
            outline.tokens[$0.lowerBound].text
        }
    }

    private func allows(_ statement: String, missing: String?, _ rule: StatementRule = StatementRule()) -> Bool {
        rule.allows(SwiftLexer.tokens(Array(statement.utf8))[...], missing: missing)
    }

    @Test("statements end with their lines, and labels and signatures are no part of them") func extents() throws {
        #expect(
            try statements("a(); b\n    .c()\n if d { e }\n else { f }\n g = {\n h\n }()") == ["a", "b", "if", "g"])
        #expect(try statements(" [weak self] granted, _ in\n a()\n b() ") == ["a", "b"])
        #expect(try statements(" value in a() ") == ["a"])
        #expect(try statements("case .a(let x): b()\n c()\n default: d()") == ["b", "c", "d"])
        #expect(try statements("for x in y { z() }\n w()") == ["for", "w"])
    }

    @Test("a statement with a subject that Linux lacks may be cut")
    func allowed() {
        #expect(allows("UIApplication.shared.registerForRemoteNotifications()", missing: "UIApplication"))
        #expect(allows("UINavigationBar.appearance().tintColor = .red", missing: "UINavigationBar"))
        #expect(allows("_ = try? Analytics.log(\"start\")", missing: "Analytics"))
        #expect(allows("let appearance = UINavigationBarAppearance()", missing: "UINavigationBarAppearance"))
        #expect(allows("appearance.backgroundColor = color", missing: "appearance"))
        #expect(allows("if UIApplication.shared.isActive { show() }", missing: "UIApplication"))
        let observer = "NotificationCenter.default.addObserver(forName: UIScene.didEnterBackground) { _ in save() }"
        #expect(allows(observer, missing: "UIScene"))
        let cuts = StatementRule(harmless: ["setAppearance"], properties: ["icon"])
        #expect(allows("setAppearance()", missing: "setAppearance", cuts))
        #expect(allows("self.icon = icon", missing: "icon", cuts))
    }

    @Test(
        "a statement stays that others need, or that may change what is stored",
        arguments: [
            ("return UIApplication.shared", "UIApplication"), ("throw UIError()", "UIError"),
            ("item.image = UIImage(named: \"a\")", "UIImage"), ("item.data = image.data", "image"),
            ("let data = convert(UIImage())", "UIImage"), ("context.insert(UIThing())", "UIThing"),
            ("UIView.animate { context.delete(item) }", "UIView"), ("UIView.animate { item.name = \"b\" }", "UIView"),
            ("UIView.animate { self.save() }", "UIView"), ("Request.send { completion($0) }", "Request"),
            ("guard let x = UIThing() else { return }", "UIThing"), ("if UIThing.on { return }", "UIThing"),
            ("if UIThing.on { a() } else { b() }", "UIThing"), ("importPhotos()", "importPhotos"),
            ("Record.save()", "Record"), ("name = UIDevice.current.name", "UIDevice"), ("", "UIThing"),
            ("= )", "UIThing"),
        ])
    func kept(statement: String, missing: String) {
        #expect(!allows(statement, missing: missing, StatementRule(declared: ["importPhotos"])))
    }

    @Test("an initializer loses the statement with an interface, and its class stays") func initializer() {
        var source = source(
            """
            import CoreData
            import UIKit
            final class Stack {
                let container = NSPersistentContainer(name: "Shop")
                init() {
                    container.loadPersistentStores { _, _ in
                        UINavigationBar.appearance().tintColor = .red
                    }
                    NotificationCenter.default.addObserver(
                        forName: UIApplication.willTerminateNotification, object: nil, queue: nil
                    ) { [weak self] _ in self?.save() }
                    container.viewContext.undoManager = nil
                }
                func save() {}
                func style() {
                    UINavigationBar.appearance().tintColor = .red
                }
            }
            """)
        source.cutInterface(StatementRule(declared: ["Stack"]))
        #expect(
            source.cuts.map(\.declaration) == ["a statement of Stack.init", "a statement of Stack.init", "Stack.style"])
        #expect(source.cuts.first?.reason == "It uses 'UINavigationBar' of UIKit.")
        #expect(!source.text.contains("UIApplication") && source.text.contains("undoManager = nil"))
        #expect(source.reasonLeftOut == nil)
    }

    @Test("an error cuts its statement by line and column, and a record restores the cut") func errors() {
        let text = """
            import Foundation
            struct Importer {
                func run() -> Int {
                    let count = 1; Analytics.log("run")
                    return count
                }
            }
            """
        var first = source(text)
        let error = CompilerError(path: "", line: 4, column: 24, message: "cannot find 'Analytics' in scope")
        let isCut = first.cutStatement(error, StatementRule(), reason: "r")
        #expect(isCut)
        #expect(first.text.contains("let count = 1;\n") || first.text.contains("let count = 1; "))
        #expect(!first.text.contains("Analytics") && first.text.contains("return count"))
        let again = first.cutStatement(error, StatementRule(), reason: "r")
        #expect(!again)
        var second = source(text)
        for cut in first.cuts { second.restore(cut) }
        #expect(second.text == first.text && second.cuts == first.cuts)
    }

    @Test("a test never loses a statement alone") func tests() {
        var source = source(
            """
            import XCTest
            final class T: XCTestCase {
                func testA() {
                    Screen.show()
                    XCTAssertTrue(true)
                }
            }
            """)
        let error = CompilerError(path: "", line: 4, column: 9, message: "cannot find 'Screen' in scope")
        let isCut = source.cutStatement(error, StatementRule(), reason: "r")
        #expect(!isCut)
    }

    @Test("a class in no store loses a property, and a type with a stored form does not") func properties() {
        let text = """
            import UIKit
            class Feedback {
                private let generator = UINotificationFeedbackGenerator()
                var image: UIImage?
                var count = 0
            }
            @Model final class Item {
                var font: UIFont?
            }
            struct Point: Codable {
                var font: UIFont?
            }
            class Needs {
                let font: UIFont
                init(_ count: Int) { self.font = UIFont() }
            }
            """
        var source = source(text)
        source.cutInterface(StatementRule())
        #expect(source.cuts.map(\.declaration).contains("Feedback.generator"))
        #expect(["Item", "Point", "Needs"].allSatisfy { source.cuts.map(\.declaration).contains($0) })
        #expect(source.text.contains("var count = 0"))
        let names = source.cutNames(StatementRule())
        #expect(names.properties.contains("generator"))
    }

    @Test("a function with an effect on a store is not harmless") func harmless() {
        func isHarmless(_ text: String) -> Bool {
            StatementRule().isHarmless(SwiftLexer.tokens(Array(text.utf8))[...])
        }
        #expect(isHarmless("func style() { self.color = UIColor.red\n let a = 1\n print(a) }"))
        #expect(!isHarmless("func load() { order.date = Date() }"))
        #expect(!isHarmless("func load() { context.insert(x) }"))
        #expect(!isHarmless("func load() -> Int { return 1 }"))
    }
}
