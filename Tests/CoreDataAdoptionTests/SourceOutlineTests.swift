// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The extents of declarations, conditions, and cuts.

import CoreDataGeneration
import Foundation
import Testing

@testable import CoreDataAdoption

@Suite("Declarations of a source") struct SourceOutlineTests {
    private func outline(_ text: String) -> SourceOutline {
        SourceOutline(BuildConditions().active(SwiftLexer.tokens(Array(text.utf8))))
    }

    private func source(_ text: String) -> AdoptedSource {
        AdoptedSource(
            URL(fileURLWithPath: "/p/Item.swift"), path: "Item.swift", bytes: Array(text.utf8),
            ported: Array(text.utf8), conditions: BuildConditions(), bundle: nil)
    }

    @Test("each declaration ends where the next one begins") func extents() {
        let text = """
            import Foundation
            @objc(Item) public final class Item<T>: Base where T: P {
                @Published var name = "a }" {
                    didSet { print(name) }
                }
                var color: String { "x" }
                private(set) lazy var list: [Int] = {
                    [1, 2]
                }()
                let a = b
                    .map { $0 }
                    + 1, c = 2
                static let shared = Item()
                @NSManaged var tags: NSSet?
                init() {}
                func run(
                    _ x: Int = { 1 }()
                ) async throws
                    -> Int
                {
                    1
                }
                class func make() {}
                enum Kind { case one, two(Int)
                    case three }
                subscript(i: Int) -> Int { i }
            }
            extension Item.Kind: Codable {}
            #Preview { Text("a") }
            let global = 1; func after() {}
            """
        let found = outline(text).declarations
        #expect(found.map(\.name) == ["Foundation", "Item", "extension Item.Kind", "#Preview", "global", "after"])
        let members = found[1].members
        #expect(
            members.map(\.name) == [
                "Item.name", "Item.color", "Item.list", "Item.a", "Item.shared", "Item.tags", "Item.init", "Item.run",
                "Item.make", "Item.Kind", "Item.subscript",
            ])
        #expect(
            members.map(\.kind) == [
                .storage, .member, .storage, .storage, .member, .member, .member, .member, .member, .type, .member,
            ])
        #expect(members[3].lines == 10...12)
        #expect(members[7].lines == 16...22)
        #expect(members[9].members.map(\.name) == ["Item.Kind.one", "Item.Kind.three"])
    }

    @Test(
        "unbalanced sources have an outline",
        arguments: ["class A {", "}}}", "func (", "@", "var", "#if A", "\"\"\"", "case"])
    func unbalanced(text: String) {
        let found = outline(text + "\nstruct B {}")
        #expect(found.declarations.count <= 3)
    }

    @Test("random pieces of source have an outline of ordered declarations") func randomPieces() {
        let pieces = [
            "class", "A", "{", "}", "(", ")", "func", "var", "=", "#if", "os(iOS)", "#endif", "\n", "@X", "\"", "case",
            ".",
            "extension", "init", "static", ",", ":", "import", "`", "/*", "*/", "[", "]", "->", "let",
        ]
        var state: UInt64 = 7
        for _ in 0..<400 {
            var text = ""
            for _ in 0..<40 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                text += pieces[Int(state >> 33) % pieces.count] + " "
            }
            let places = outline(text).declarations.map(\.bytes)
            #expect(zip(places, places.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound }, "\(text)")
            var source = source(text)
            for line in 1...5 { _ = source.cut(line: line, reason: "r") }
            #expect(source.text.count { $0 == "\n" } == text.count { $0 == "\n" }, "\(text)")
        }
    }

    @Test(
        "conditions have their values on Linux",
        arguments: [
            ("os(iOS) || os(macOS)", false), ("!os(iOS) && DEBUG", true), ("canImport(UIKit)", false),
            ("canImport(CoreData) && (os(Linux) || X)", true), ("swift(>=5.5)", true), ("compiler(<5.9)", false),
            ("targetEnvironment(simulator)", false), ("", false), ("((((", false), ("true", true),
            ("hasFeature(X)", false),
        ])
    func conditions(text: String, value: Bool) {
        #expect(BuildConditions().isTrue(text) == value)
    }

    @Test("only active blocks are read, with #elseif and nested blocks") func blocks() {
        let text = """
            #if os(iOS)
            struct A {
            #elseif DEBUG
            struct B {
            #if canImport(UIKit)
            var x = 1
            #else
            var y = 1
            #endif
            #else
            struct C {
            #endif
            }
            """
        let found = outline(text).declarations
        #expect(found.map(\.name) == ["B"])
        #expect(found[0].members.map(\.name) == ["B.y"])
    }

    @Test("an error cuts the member at its line, and keeps the lines") func memberCut() {
        var source = source(
            """
            struct Item {
                var name = ""
                #if canImport(ObjectiveC)
                @objc
                #endif
                func draw() {
                    Color.red
                }
                func keep() {}
            }
            """)
        let result1 = source.cut(line: 7, reason: "Cannot find 'Color' in scope.")
        #expect(result1)
        #expect(source.cuts.map(\.declaration) == ["Item.draw"])
        #expect(source.text == "struct Item {\n    var name = \"\"\n\n\n\n\n\n\n    func keep() {}\n}")
        let result2 = source.cut(line: 7, reason: "again")
        #expect(!result2)
        #expect(source.reasonLeftOut == nil)
    }

    @Test("an error in a stored property cuts the type, and a file without declarations is left out") func storageCut()
    {
        var source = source("import Foundation\nstruct Item {\n    var color: Color\n    func keep() {}\n}\n")
        let result3 = source.cut(line: 4, reason: "first")
        #expect(result3)
        let result4 = source.cut(line: 3, reason: "second")
        #expect(result4)
        #expect(source.cuts.map(\.declaration) == ["Item"])
        #expect(source.reasonLeftOut == "second")
    }

    @Test("a missing module is blanked, its interface is cut, and a model next to a view is taken") func interface() {
        var source = source(
            """
            import SwiftUI
            import SwiftData
            @Model final class Item { var name = ""; init() {} }
            struct Row: View {
                @Query var items: [Item]
                var body: some View { Text("a") }
            }
            extension Item {
                var title: String { name }
                var view: some View { Text(name) }
            }
            """)
        source.cutInterface(StatementRule(declared: source.declaredNames))
        #expect(source.cuts.map(\.declaration) == ["Row", "Item.view"])
        #expect(source.cuts.first?.reason == "It uses 'View' of SwiftUI.")
        #expect(source.text.hasPrefix("import Foundation\nimport SwiftData\n@Model final class Item"))
        #expect(source.text.contains("var title: String"))
        #expect(!source.text.contains("View"))
        #expect(!source.isUnchanged)
    }

    @Test(
        "a source that uses the network imports its module on the same line",
        arguments: [
            ("import Foundation\nlet a: URLRequest? = nil", "import Foundation; import FoundationNetworking\n"),
            ("import UIKit\nlet a: URLRequest? = nil", "import Foundation; import FoundationNetworking\n"),
            (
                "import UIKit\nimport Foundation\nlet a: URLSession? = nil",
                "import FoundationNetworking\nimport Foundation\n"
            ),
            ("import FoundationNetworking\nlet a: URLRequest? = nil", "import FoundationNetworking\n"),
            ("import Foundation\nlet a = 1", "import Foundation\n"),
        ])
    func networking(text: String, beginning: String) {
        #expect(source(text).text.hasPrefix(beginning))
    }

    @Test("a class that views observe is taken with the names of Combine that Linux has instead") func observed() {
        var stack = source("import CoreData\nimport SwiftUI\nclass Stack: ObservableObject { @Published var a = 1 }\n")
        stack.cutInterface(StatementRule(declared: []))
        #expect(stack.cuts.isEmpty)
        #expect(stack.text.hasPrefix("import CoreData\nimport Foundation; import CombineShims\nclass Stack"))
        #expect(stack.imports("CombineShims"))
        #expect(!source("import SwiftUI\nclass Stack {}\n").imports("CombineShims"))
    }

    @Test("the name of an interface that the project declares is no reason") func ownNames() {
        var source = source("import UIKit\nstruct UIState { var a: UIState? }\nstruct View {}\n")
        source.cutInterface(StatementRule(declared: source.declaredNames))
        #expect(source.cuts.isEmpty)
    }

    @Test("cut tests are counted by name") func cutTests() {
        var source = source(
            """
            import XCTest
            final class ItemTests: XCTestCase {
                func testOne() { X() }
                func testTwo(_ a: Int) {}
                func helper() {}
            }
            @Test("name") func three() async { X() }
            """)
        let result5 = source.cut(line: 7, reason: "r")
        #expect(result5)
        let result6 = source.cut(line: 2, reason: "r")
        #expect(result6)
        #expect(source.cuts.flatMap(\.tests) == ["three", "ItemTests.testOne"])
    }
}
