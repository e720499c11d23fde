// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.

import Testing

@Suite("Expansions") struct ExpansionTests {
    /// Without the space between words, which the compiler chooses.
    private func words(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    private func expect(
        _ source: String, _ part: String, _ place: SourceLocation = #_sourceLocation
    ) throws {
        let expanded = try words(MacroCheck(source).expanded)
        #expect(expanded.contains(words(part)), "\(expanded)", sourceLocation: place)
    }

    @Test("accessors know their slots") func slots() throws {
        let source = """
            @ManagedObject public final class Book: NSManagedObject {
                var title: String = ""
                @Relationship(inverse: "books") public var author: Author?
                var genre: Genre = .novel
                @Attribute(.codable) var `default`: Place = .none
                @NotManaged var count = 0
            }
            """
        try expect(source, #"var title: String { get { _get(3, "title") } set { _set(newValue, 3, "title") } }"#)
        try expect(
            source, #"public var author: Author? { get { _get(0, "author") } set { _set(newValue, 0, "author") } }"#)
        try expect(source, #"{ get { _get(2, "genre", initial: .novel) } set { _set(newValue, 2, "genre") } }"#)
        try expect(source, #"get { _getTransformable(1, "default", initial: .none) }"#)
        try expect(source, "var count = 0")
        try expect(source, "public enum _DeclaredSlots { public static var count: Int { 4 }")
        try expect(
            source,
            "public override class var _declaration: (any CoreData._ManagedClassDeclaration)? { _DeclaredSlots.declaration }"
        )
    }

    @Test("slots of a subclass follow those of its superclass") func subclass() throws {
        let source = """
            @ManagedObject class Novel: Library.Book {
                var hero: String?
                var pages: Int = 1
            }
            """
        try expect(source, #"get { _get(Library.Book._DeclaredSlots.count + 1, "pages") }"#)
        try expect(source, "static var count: Int { Library.Book._DeclaredSlots.count + 2 }")
        try expect(source, "CoreDataModeling.ClassDeclaration( Novel.self, superclass: Library.Book.self)")
    }

    @Test("the declaration has types, defaults and marks as they are written") func declaration() throws {
        let source = """
            @ManagedObject(entity: "Volume", uniqueness: [["a"]]) open class Book: NSManagedObject {
                @Attribute(.indexed, originalName: "b") var a: Int16? = 3
                @Attribute(.transformable) var c: [String]?
                    }
            """
        try expect(
            source,
            #"Book.self, superclass: NSManagedObject.self, CoreDataModeling.ClassTraits(entity: "Volume", uniqueness: [["a"]]))"#
        )
        try expect(
            source,
            #"declaration.attribute("a", Int16?.self, initial: 3, CoreDataModeling.AttributeTraits(.indexed, originalName: "b"))"#
        )
        try expect(
            source,
            #"declaration.transformable("c", [String].self, mayBeNil: true, CoreDataModeling.AttributeTraits(.transformable))"#
        )
        try expect(source, "open override class var _declaration")
    }

    @Test("a derived attribute has no setter") func derived() throws {
        let source = """
            @ManagedObject class Book: NSManagedObject {
                @Attribute(derivedFrom: "pages.@count") var count: Int?
            }
            """
        try expect(source, #"var count: Int? { get { _get(0, "count") } }"#)
    }

    @Test("to-manys have methods, but for those that the class has") func mutators() throws {
        let source = """
            @ManagedObject class Book: NSManagedObject {
                @Relationship(inverse: "books") public var tags: Set<Tag>
                @Relationship(inverse: "book") var pages: [Page]
                func removeFromPages(_ page: Page) {}
            }
            """
        try expect(source, #"public func addToTags(_ value: Tag) { mutableSetValue(forKey: "tags").add(value) }"#)
        try expect(source, #"func removeFromTags(_ value: Tag) { mutableSetValue(forKey: "tags").remove(value) }"#)
        try expect(
            source,
            #"func insertIntoPages(_ value: Page, at idx: Int) { mutableOrderedSetValue(forKey: "pages").insert(value, at: idx) }"#
        )
        #expect(try !words(MacroCheck(source).expanded).contains("removeFromPages(at idx: Int)"))
    }
}
