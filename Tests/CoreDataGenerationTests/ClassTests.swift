// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States which classes are generated for a model, and their contents.

import CoreDataModelFiles
import Foundation
import Testing

@testable import CoreDataGeneration

@Suite("Generated classes") struct ClassTests {
    private func generation(
        _ body: String, style: GenerationOptions.Style = .xcode, everything: Bool = false, sources: [String] = []
    ) throws -> ClassGeneration {
        let data = Data("<model>\n\(body)\n</model>".utf8)
        var options = GenerationOptions()
        options.style = style
        var index = SourceIndex()
        for source in sources {
            index.add(DeclarationScanner.scan(Array(source.utf8), file: "A.swift"), module: "Shop")
        }
        return ClassGeneration(
            GenerationModel(
                name: "Shop.xcdatamodeld", document: try ModelDocument(modelFile: data), file: "M",
                lines: try ModelDocument.read(modelFile: data).lines),
            options: options, module: "Shop", everything: everything, declarations: index)
    }

    private static let book = """
        <entity name="Book" representedClassName=".Book" codeGenerationType="class">
        <attribute name="class2" attributeType="Boolean" usesScalarValueType="YES"/>
        <attribute name="in" optional="YES" attributeType="String"/>
        <attribute name="pages" attributeType="Integer 32" usesScalarValueType="YES"/>
        <attribute name="price" attributeType="Decimal"/>
        <attribute name="rating" optional="YES" attributeType="Float" usesScalarValueType="NO"/>
        <relationship name="tags" toMany="YES" destinationEntity="Tag" inverseName="books"/>
        </entity>
        <entity name="Tag" representedClassName="Tag" codeGenerationType="category">
        <relationship name="books" toMany="YES" ordered="YES" destinationEntity="Book" inverseName="tags"/>
        </entity>
        <entity name="Own" representedClassName="Own"/>
        <entity name="None" codeGenerationType="class"/>
        """

    @Test("are those that the codegen setting asks for") func parts() throws {
        let found = try generation(Self.book)
        #expect(found.diagnostics.isEmpty)
        #expect(found.sources.keys.sorted() == ["Book", "Tag"])
        #expect(found.sources["Book"]?.contains("public class Book: NSManagedObject {") == true)
        #expect(found.sources["Tag"]?.contains("class Tag:") == false)
        #expect(try generation(Self.book, everything: true).sources.keys.sorted() == ["Book", "Own", "Tag"])
    }

    @Test("a class may be named with the module that it is generated for") func moduleOfClass() throws {
        let entity = "<entity name=\"A\" representedClassName=\"Shop.A\" codeGenerationType=\"class\"/>"
        let found = try generation(entity)
        #expect(found.diagnostics.isEmpty && found.sources.keys.sorted() == ["A"])
        #expect(found.sources["A"]?.contains("public class A: NSManagedObject {") == true)
        // The class of another module is generated there.
        #expect(try generation(entity.replacing("Shop.", with: "Kernel.")).sources.isEmpty)
    }

    @Test("have Xcode's types, names in back-ticks where Swift asks, and slots") func xcode() throws {
        let text = try #require(try generation(Self.book).sources["Book"])
        for line in [
            "StaticString { \"class2:b in:s pages:i price:x rating:f tags:m\" }",
            "@nonobjc public class func fetchRequest() -> NSFetchRequest<Book> {",
            "public var class2: Bool {", "get { _boolean(0, \"class2\") ?? false }",
            "public var `in`: String? {", "set { _setString(newValue, 1, \"in\") }",
            "public var pages: Int32 {", "get { Int32(truncatingIfNeeded: _integer(2, \"pages\") ?? 0) }",
            "set { _setInteger(Int64(truncatingIfNeeded: newValue), 2, \"pages\") }",
            "public var price: NSDecimalNumber? {", "get { _value(3, \"price\") }",
            "public var rating: NSNumber? {", "get { (_double(4, \"rating\")).map { NSNumber(value: Float($0)) } }",
            "public var tags: NSSet? {", "public func addToTags(_ value: Tag) {",
            "public func removeFromTags(_ value: Tag) {", "mutableSetValue(forKey: \"tags\").remove(value)",
            "public func removeFromTags(_ values: NSSet) {", "extension Book: Identifiable {}",
        ] {
            #expect(text.contains(line), "\(line)\nin\n\(text)")
        }
        let tag = try #require(try generation(Self.book).sources["Tag"])
        for line in [
            "public var books: NSOrderedSet? {", "func insertIntoBooks(_ value: Book, at idx: Int)",
            "func replaceBooks(at indexes: NSIndexSet, with values: [Book])",
        ] {
            #expect(tag.contains(line), "\(line)\nin\n\(tag)")
        }
    }

    @Test("in the modern form are never nil where the model says so") func modern() throws {
        let text = try #require(try generation(Self.book, style: .modern).sources["Book"])
        for line in [
            "public var price: Decimal {", "public var rating: Float? {", "public var tags: Set<Tag> {",
            "get { _memberSet(\"tags\") }", "enum Keys: String, CaseIterable, Sendable {", "case `in`",
            "struct Values: Sendable {", "public var price: Decimal", "price = object.price",
            "public func addToTags(_ values: Set<Tag>) {",
        ] {
            #expect(text.contains(line), "\(line)\nin\n\(text)")
        }
        #expect(try generation(Self.book, style: .modern).sources["Tag"]?.contains("var books: [Book] {") == true)
        // Without a value a truth value reads as false.
        let optional = Self.book.replacing("name=\"class2\"", with: "name=\"class2\" optional=\"YES\"")
        let changed = try generation(optional, style: .modern).sources["Book"]
        #expect(changed?.contains("public var class2: Bool {") == true)
    }

    @Test("have the accessors of the classes that Benchmarks measures") func measured() throws {
        let found = try generation(
            """
            <entity name="Employee" representedClassName="Employee" codeGenerationType="class">
            <attribute name="name" attributeType="String"/><attribute name="salary" attributeType="Double"/>
            <attribute name="isActive" attributeType="Boolean"/><attribute name="badge" attributeType="Integer 64"/>
            <attribute name="hireDate" attributeType="Date"/>
            <relationship name="department" maxCount="1" destinationEntity="Employee" inverseName="department"/>
            <relationship name="manager" maxCount="1" destinationEntity="Employee" inverseName="reports"/>
            <relationship name="reports" toMany="YES" destinationEntity="Employee" inverseName="manager"/></entity>
            """, style: .modern)
        let text = try #require(found.sources["Employee"])
        for line in [
            "{ \"badge:i department:r hireDate:t isActive:b manager:r name:s reports:m salary:d\" }",
            "get { _string(5, \"name\") ?? \"\" }", "set { _setString(newValue, 5, \"name\") }",
            "get { _double(7, \"salary\") ?? 0 }", "set { _setDouble(newValue, 7, \"salary\") }",
            "get { _boolean(3, \"isActive\") ?? false }", "set { _setBoolean(newValue, 3, \"isActive\") }",
            "get { _integer(0, \"badge\") ?? 0 }", "set { _setInteger(newValue, 0, \"badge\") }",
            "get { _date(2, \"hireDate\") ?? ", "set { _setDate(newValue, 2, \"hireDate\") }",
            "get { _destination(4, \"manager\") }", "set { _setDestination(newValue, 4, \"manager\") }",
        ] {
            #expect(text.contains(line), "\(line)\nin\n\(text)")
        }
    }

    @Test("inherit from the class of the superentity; its slots come first") func inheritance() throws {
        let found = try generation(
            """
            <entity name="B" representedClassName="B" parentEntity="A" codeGenerationType="class">
            <attribute name="a" attributeType="Date" usesScalarValueType="NO"/></entity>
            <entity name="A" representedClassName="A" codeGenerationType="class">
            <attribute name="z" attributeType="UUID" usesScalarValueType="NO"/></entity>
            """)
        let text = try #require(found.sources["B"])
        #expect(text.contains("public class B: A {") && text.contains("{ \"z:x a:t\" }"))
        #expect(text.contains("get { _date(1, \"a\") }"))
        #expect(!text.contains("Identifiable") && found.sources["A"]?.contains("extension A: Identifiable {}") == true)
    }

    @Test("leave out declarations that the sources have") func declared() throws {
        let found = try generation(
            """
            <entity name="A" representedClassName="A" codeGenerationType="category">
            <attribute name="kind" attributeType="Integer 16" defaultValueString="2" usesScalarValueType="YES">
            <userInfo><entry key="swiftEnum" value="Kind"/></userInfo></attribute>
            <attribute name="picture" optional="YES" attributeType="Transformable" customClassName="[String]"/></entity>
            """,
            sources: ["class A: NSManagedObject, Identifiable {}\nenum Kind: Int16 { case first = 1, second }"])
        let text = try #require(found.sources["A"])
        #expect(!text.contains("Identifiable"))
        #expect(
            text.contains("public var kind: Kind {")
                && text.contains(".flatMap { Kind(rawValue: $0) } ?? Kind(rawValue: 2)"))
        #expect(text.contains("set { _setInteger(Int64(truncatingIfNeeded: newValue.rawValue), 0, \"kind\") }"))
        #expect(text.contains("public var picture: [String]? {"))
    }

    @Test(
        "are refused with file and line",
        arguments: [
            (
                "<entity name=\"A\" representedClassName=\"C\" codeGenerationType=\"class\"/>\n"
                    + "<entity name=\"B\" representedClassName=\"C\" codeGenerationType=\"class\"/>",
                "M:3: error: 'B': Its class 'C' is that of 'A', too: give one of them another class, or none."
            ),
            (
                "<entity name=\"A\" representedClassName=\"A\" codeGenerationType=\"class\">\n"
                    + "<attribute name=\"faultingState\" attributeType=\"String\"/></entity>",
                "M:3: error: 'A.faultingState': A class cannot have a property of this name; rename it."
            ),
            (
                "<entity name=\"A\" representedClassName=\"A B\" codeGenerationType=\"class\"/>",
                "M:2: error: 'A': Its class 'A B' has no name that Swift takes."
            ),
        ])
    func refused(body: String, message: String) throws {
        #expect(try generation(body).diagnostics.map(\.description) == [message])
    }
}
