// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.

import Testing

/// A property in a managed class: the diagnostic, its place, and the source after the first fix-it.
struct PropertyCase: CustomTestStringConvertible, Sendable {
    let source: String
    let column: Int
    let message: String
    var mended: String?
    var severity = "error"
    var fix = 0

    var testDescription: String { source }
}

@Suite("Diagnostics") struct DiagnosticTests {
    static let properties = [
        PropertyCase(source: "let a: Int", column: 5, message: "a managed property is a 'var'", mended: "var a: Int"),
        PropertyCase(
            source: "let a: Int", column: 5, message: "a managed property is a 'var'", mended: "@NotManaged let a: Int",
            fix: 1),
        PropertyCase(
            source: "lazy var a: Int = 1", column: 5, message: "a managed property cannot be 'lazy'",
            mended: "var a: Int = 1"),
        PropertyCase(source: "weak var a: Tag?", column: 5, message: "a managed property cannot be 'weak'"),
        PropertyCase(
            source: "var a: Int { didSet {} }", column: 16,
            message:
                "a managed property cannot have observers: override 'didChangeValue(forKey:)', or observe the object",
            mended: "@NotManaged var a: Int { didSet {} }"),
        PropertyCase(
            source: "var a = 1", column: 9, message: "a managed property needs a type", mended: "var a: Int = 1"),
        PropertyCase(
            source: "var a = f()", column: 9, message: "a managed property needs a type",
            mended: "var a: <#Type#> = f()"),
        PropertyCase(
            source: "var a: Int, b: Int", column: 9, message: "a managed property needs a declaration of its own"),
        PropertyCase(
            source: "var description: String?", column: 9,
            message: "every managed object has a member 'description': choose another name"),
        PropertyCase(
            source: "var a: String!", column: 12, message: "a managed property is optional or not: write 'String?'",
            mended: "var a: String?"),
        PropertyCase(
            source: "var a: NSNumber?", column: 12, message: "no attribute has the type 'NSNumber': write 'Int'",
            mended: "var a: Int?"),
        PropertyCase(
            source: "var a: UInt8 = 1", column: 12, message: "no attribute has the type 'UInt8': write 'Int16'",
            mended: "var a: Int16 = 1"),
        PropertyCase(
            source: "var a: NSSet?", column: 12, message: "write 'Set<Object>' with the class of the members",
            mended: "var a: Set<<#Object#>>"),
        PropertyCase(
            source: "var a: [String]", column: 12,
            message: "no attribute has the type '[String]': mark the property '@Attribute(.codable)' or "
                + "'@Attribute(.transformable)', or '@NotManaged'", mended: "@Attribute(.codable) var a: [String]"),
        PropertyCase(
            source: "@Attribute(.indexed) var a: [String: Int]", column: 33,
            message: "no attribute has the type '[String: Int]': mark the property '@Attribute(.codable)' or "
                + "'@Attribute(.transformable)', or '@NotManaged'",
            mended: "@Attribute(.indexed, .codable) var a: [String: Int]"),
        PropertyCase(
            source: "var a: () -> Void", column: 12,
            message: "no attribute has the type '() -> Void': mark the property '@Attribute(.codable)' or "
                + "'@Attribute(.transformable)', or '@NotManaged'", mended: "@NotManaged var a: () -> Void", fix: 1),
        PropertyCase(
            source: "@NSManaged var a: Int", column: 5,
            message: "in a class with '@ManagedObject' properties are written without '@NSManaged'",
            mended: "var a: Int"),
        PropertyCase(
            source: "@Attribute static var a: Int = 1", column: 5,
            message: "'@Attribute' is for stored variables: this one belongs to the class, not to its objects"),
        PropertyCase(
            source: "@Relationship var a: Tag? { nil }", column: 5,
            message: "'@Relationship' is for stored variables: this one is computed"),
        PropertyCase(
            source: "@Relationship(inverse: \"b\") var a: Set<Tag>?", column: 40,
            message: "a to-many relationship is never nil: write 'Set<Tag>'",
            mended: "@Relationship(inverse: \"b\") var a: Set<Tag>"),
        PropertyCase(
            source: "@Relationship(inverse: \"b\") var a: String?", column: 5,
            message: "'String?' is a value: a relationship leads to managed objects",
            mended: "@Attribute var a: String?"),
        PropertyCase(
            source: "@Attribute var a: [Tag]", column: 5,
            message: "a property that leads to objects is a '@Relationship'",
            mended: "@Relationship(inverse: \"<#property of Tag#>\") var a: [Tag]"),
        PropertyCase(
            source: "@Attribute @Relationship var a: Tag?", column: 16,
            message: "a property is '@Attribute' or '@Relationship', not both"),
        PropertyCase(
            source: "@Relationship(inverse: \"b\", deleteRule: .cascad) var a: Tag?", column: 46,
            message: "there is no delete rule 'cascad'; the rules are nullify, cascade, deny, noAction",
            mended: "@Relationship(inverse: \"b\", deleteRule: .cascade) var a: Tag?"),
        PropertyCase(
            source: "@Relationship(inverse: \"b\") var a: Set<Tag> = [x]", column: 51,
            message: "a relationship has no default: set it in 'awakeFromInsert()'"),
        PropertyCase(
            source: "@Relationship(deleteRule: .deny) var a: Tag?", column: 5,
            message: "a relationship needs an inverse, or deletions leave references behind",
            mended: "@Relationship(inverse: \"<#property of Tag#>\", deleteRule: .deny) var a: Tag?",
            severity: "warning"),
        PropertyCase(
            source: "var a: [Tag]", column: 12,
            message: "a relationship needs an inverse, or deletions leave references behind",
            mended: "@Relationship(inverse: nil) var a: [Tag]", severity: "warning", fix: 1),
        PropertyCase(
            source: "var a: Date = Date()", column: 19,
            message: "'Date()' is computed once, when the model is made: set the property in 'awakeFromInsert()'",
            severity: "warning"),
    ]

    private func inClass(_ member: String) -> String {
        """
        @ManagedObject class Book: NSManagedObject {
            \(member)
        }
        """
    }

    @Test("name the fault of a property, and mend it", arguments: properties)
    func property(_ property: PropertyCase) throws {
        let check = try MacroCheck(inClass(property.source))
        #expect(check.messages == ["2:\(property.column) \(property.severity): \(property.message)"])
        #expect(property.mended == nil || check.mended(fix: property.fix) == property.mended.map(inClass))
    }

    static let sound = [
        "var a: Int = 1", "var a: String?", "var a: Genre = .novel", "var a: Foundation.Date?", "static var a = 1",
        "var a: Int { 1 }", "var a: Int { get { 1 } set {} }", "@NotManaged lazy var a = 1", "@Published var a = 1",
        "@Attribute(.codable) var a: [String]?", "@Attribute(.transformable(by: \"X\")) var a: Colour?",
        "@Relationship(inverse: nil) var a: Tag?", "@Relationship(inverse: \"b\") var a: [Tag] = []",
        "@Relationship(.required, inverse: \"b\", deleteRule: .cascade) var a: Optional<Tag> = nil",
        "private(set) var a: UUID?", "@Attribute(.unique, originalName: \"b\") public var a: Int64 = 0", "func a() {}",
    ]

    @Test("are silent about sound properties", arguments: sound) func nothing(_ member: String) throws {
        #expect(try MacroCheck(inClass(member)).messages == [])
    }

    @Test("refuse classes that are not managed") func classes() throws {
        let structure = try MacroCheck("@ManagedObject struct Book: NSManagedObject { var a: Int }")
        #expect(structure.messages == ["1:16 error: '@ManagedObject' is for subclasses of 'NSManagedObject'"])
        #expect(structure.mended() == "@ManagedObject final class Book: NSManagedObject { var a: Int }")
        #expect(
            try MacroCheck("@ManagedObject enum Book {}").messages
                == ["1:16 error: '@ManagedObject' is for subclasses of 'NSManagedObject'"])
        let root = try MacroCheck("@ManagedObject class Book { }")
        #expect(root.messages == ["1:22 error: 'Book' is no subclass of 'NSManagedObject'"])
        #expect(root.mended() == "@ManagedObject class Book: NSManagedObject { }")
        #expect(
            try MacroCheck("@ManagedObject class Book<T>: NSManagedObject {}").messages
                == ["1:26 error: a managed class cannot be generic: a model names its classes"])
    }

    @Test("say where a mark has no effect") func marks() throws {
        #expect(
            try MacroCheck("class Book: NSManagedObject { @Attribute var a: Int }").messages
                == ["1:31 error: '@Attribute' has no effect outside of a class with '@ManagedObject'"])
        #expect(
            try MacroCheck(inClass("@Relationship func a() {}")).messages == [
                "2:5 error: '@Relationship' is for properties"
            ])
    }

    @Test("say that models have no conditions") func conditions() throws {
        let check = try MacroCheck(inClass("#if DEBUG\n    var a: Int = 1\n    #endif"))
        #expect(
            check.messages == [
                "3:5 error: a managed property cannot stand under '#if': mark it '@NotManaged', or move it out"
            ])
        #expect(check.fixes == [["leave the property out of the model"]])
    }

    @Test("say everything at once") func several() throws {
        let check = try MacroCheck(inClass("let a: Int\n    lazy var b: Int = 1\n    var c = 1"))
        #expect(check.messages.map { $0.prefix(3) } == ["2:5", "3:5", "4:9"])
    }
}
