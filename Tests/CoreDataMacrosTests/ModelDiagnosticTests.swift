// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Mistakes in classes with `@Model`, and their fix-its.

import Testing

@Suite("Diagnostics of models") struct ModelDiagnosticTests {
    static let properties = [
        PropertyCase(
            source: "var a: Int, b: Int", column: 9, message: "a property of a model needs a declaration of its own",
            mended: "var a: Int\n    var b: Int"),
        PropertyCase(
            source: "weak var a: Tag?", column: 5,
            message: "a property of a model cannot be 'weak': the context holds what is related", mended: "var a: Tag?"),
        PropertyCase(
            source: "@Transient var a: Int", column: 20,
            message: "a '@Transient' property needs an initial value: instances from a store have no other",
            mended: "@Transient var a: Int = <#value#>"),
        PropertyCase(
            source: "@Relationship var a: [String]", column: 5,
            message: "'[String]' is a value: a relationship leads to models", mended: "@Attribute var a: [String]"),
        PropertyCase(
            source: "@Relationship(deleteRule: .cascad) var a: [Tag]", column: 32,
            message: "there is no delete rule 'cascad'; the rules are nullify, cascade, deny, noAction",
            mended: "@Relationship(deleteRule: .cascade) var a: [Tag]"),
    ]

    @Test("of properties have a place, a sentence and a fix-it", arguments: properties)
    func property(_ example: PropertyCase) throws {
        let source = "@Model class Book {\n    \(example.source)\n    init() {}\n}"
        let check = MacroCheck(source, macros: MacroCheck.modelMacros)
        #expect(check.messages.first == "2:\(example.column) \(example.severity): \(example.message)")
        let mended = try #require(example.mended)
        #expect(check.mended() == "@Model class Book {\n    \(mended)\n    init() {}\n}")
    }

    @Test("A structure becomes a class")
    func structure() {
        let check = MacroCheck("@Model struct Book {}", macros: MacroCheck.modelMacros)
        #expect(check.messages.first == "1:8 error: '@Model' is for classes")
        #expect(check.mended() == "@Model final class Book {}")
    }

    @Test("A class without initializer gets one that sets what has no value")
    func initializer() {
        let check = MacroCheck(
            "@Model class Book {\n    var title: String\n    var pages = 0\n}", macros: MacroCheck.modelMacros)
        #expect(check.messages.first == "1:14 error: '@Model' requires an initializer be provided for 'Book'")
        #expect(check.mended()?.contains("init(title: String) {\n        self.title = title\n    }") == true)
    }
}
