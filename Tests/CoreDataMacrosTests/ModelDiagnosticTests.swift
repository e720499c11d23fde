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
        PropertyCase(
            source: "@Relationship let a: [Tag]", column: 19,
            message: "a relationship is a 'var': both ends of it change together",
            mended: "@Relationship var a: [Tag]"),
        PropertyCase(
            source: "var a: () -> Void", column: 12,
            message: "no attribute holds a function: mark the property '@Transient'",
            mended: "@Transient var a: () -> Void"),
        PropertyCase(
            source: "var a: (@Sendable (Int) -> Int)?", column: 12,
            message: "no attribute holds a function: mark the property '@Transient'",
            mended: "@Transient var a: (@Sendable (Int) -> Int)?"),
        PropertyCase(
            source: "var a: (x: Int, y: Int)", column: 12,
            message: "no attribute holds a tuple: write a 'Codable' structure, or mark the property '@Transient'",
            mended: "@Transient var a: (x: Int, y: Int)"),
        PropertyCase(
            source: "var a: any Codable", column: 12,
            message: "no attribute holds a value of any type: mark the property '@Transient'",
            mended: "@Transient var a: any Codable"),
        PropertyCase(
            source: "var a: Any?", column: 12,
            message: "no attribute holds a value of any type: mark the property '@Transient'",
            mended: "@Transient var a: Any?"),
        PropertyCase(
            source: "var a: Tag.Type", column: 12, message: "no attribute holds a type: mark the property '@Transient'",
            mended: "@Transient var a: Tag.Type"),
        PropertyCase(
            source: "@Attribute @Transient var a = 1", column: 5,
            message: "a property is '@Attribute' or '@Transient', not both: a transient one is not in the schema",
            mended: "@Transient var a = 1"),
    ]

    /// Without a fix-it, because the program's intention is not known.
    static let unmended = [
        PropertyCase(
            source: "@Attribute lazy var a = 1", column: 5,
            message: "'@Attribute' is for stored properties: this one is lazy"),
        PropertyCase(
            source: "@Attribute var a: Int { 1 }", column: 5,
            message: "'@Attribute' is for stored properties: this one is computed"),
        PropertyCase(
            source: "@Relationship static var a: [Tag] = []", column: 5,
            message: "'@Relationship' is for stored properties: this one belongs to the class, not to its instances"),
        PropertyCase(
            source: "@Attribute @Relationship var a: [Tag]", column: 16,
            message: "a property is '@Attribute' or '@Relationship', not both"),
        PropertyCase(
            source: "var description: String", column: 9,
            message: "every model has a member 'description': choose another name, and keep the old one in the file "
                + "with '@Attribute(originalName: \"description\")'"),
        PropertyCase(
            source: "var hasChanges = false", column: 9,
            message: "every model has a member 'hasChanges': choose another name, and keep the old one in the file "
                + "with '@Attribute(originalName: \"hasChanges\")'"),
        PropertyCase(
            source: "var a = nil", column: 9, message: "a property of a model needs a type or an initial value"),
    ]

    /// Proves: S73
    @Test("of properties have a place and a sentence that says what to do", arguments: unmended)
    func unmendedProperty(_ example: PropertyCase) throws {
        let check = try MacroCheck(
            "@Model class Book {\n    \(example.source)\n    init() {}\n}", models: true)
        #expect(check.messages.first == "2:\(example.column) \(example.severity): \(example.message)")
    }

    /// Proves: S2, S5, S7
    @Test(
        "do not come for what is allowed",
        arguments: [
            "lazy var a = 1", "var a: Int { 1 }", "static var a = 1", "let a = UUID()", "var hash: Int",
            "var id: Int", "var a: Int { willSet { print(newValue) } }", "var a = 1 { didSet {} }",
            "var `class`: String", "var a: String!", "var a: (Int)", "@Published var a = 1",
        ])
    func allowed(_ source: String) throws {
        let check = try MacroCheck(
            "@Model class Book {\n    \(source)\n    init() {}\n}", models: true)
        #expect(check.messages.isEmpty)
    }

    @Test(
        "Only classes that are not generic can be models",
        arguments: [
            ("@Model enum Book {}", "1:8 error: '@Model' is for classes"),
            ("@Model actor Book {}", "1:8 error: '@Model' is for classes"),
            ("@Model protocol Book {}", "1:8 error: '@Model' is for classes"),
            (
                "@Model class Book<T> { init() {} }",
                "1:18 error: a model class cannot be generic: a schema names its classes"
            ),
        ])
    func otherDeclarations(_ source: String, _ message: String) throws {
        #expect(try MacroCheck(source, models: true).messages.first == message)
    }

    /// Proves: S5
    @Test("An observer that does not ask for the old value gets none, so nothing is unused")
    func oldValue() throws {
        func expanded(_ body: String) throws -> String {
            try MacroCheck(
                "@Model class Book {\n    var a = 1 { didSet { \(body) } }\n    init() {}\n}",
                models: true
            ).expanded
        }
        #expect(try !expanded("count += 1").contains("let oldValue"))
        #expect(try expanded("old = oldValue").contains("let oldValue = self.a"))
    }

    /// Proves: S1
    @Test("A class on the main actor describes itself on any thread")
    func mainActor() throws {
        let source = "@Model class Book {\n    var a: Int\n    init() { a = 1 }\n}"
        let plain = try MacroCheck(source, models: true).expanded
        let isolated = try MacroCheck("@MainActor " + source, models: true).expanded
        #expect(!plain.contains("_describe") && !plain.contains("nonisolated(unsafe) private var _a"))
        #expect(isolated.contains("SwiftData._describe { @MainActor in"))
        #expect(isolated.contains("nonisolated(unsafe) private var _a"))
    }

    @Test("of properties have a place, a sentence and a fix-it", arguments: properties)
    func property(_ example: PropertyCase) throws {
        let source = "@Model class Book {\n    \(example.source)\n    init() {}\n}"
        let check = try MacroCheck(source, models: true)
        #expect(check.messages.first == "2:\(example.column) \(example.severity): \(example.message)")
        let mended = try #require(example.mended)
        #expect(check.mended() == "@Model class Book {\n    \(mended)\n    init() {}\n}")
    }

    @Test("A structure becomes a class")
    func structure() throws {
        let check = try MacroCheck("@Model struct Book {}", models: true)
        #expect(check.messages.first == "1:8 error: '@Model' is for classes")
        #expect(check.mended() == "@Model final class Book {}")
    }

    @Test("A class without initializer gets one that sets what has no value")
    func initializer() throws {
        let check = try MacroCheck(
            "@Model class Book {\n    var title: String\n    var pages = 0\n    let code: Int?\n    var note: String?\n}",
            models: true)
        #expect(check.messages.first == "1:14 error: '@Model' requires an initializer be provided for 'Book'")
        let body = "{\n        self.code = code\n        self.title = title\n    }"
        #expect(check.mended()?.contains("init(code: Int?, title: String) \(body)") == true)
    }
}
