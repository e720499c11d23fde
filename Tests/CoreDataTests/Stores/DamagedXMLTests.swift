// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tests XML stores whose objects do not fit together, as an editor may leave them.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

@Suite("XML stores with wrong objects") struct DamagedXMLTests {
    private static func model() -> NSManagedObjectModel {
        let base = NSEntityDescription("Base", abstract: true)
        let note = NSEntityDescription("Note")
        note.attribute("text", .stringAttributeType)
        note.relate("next", .one, to: note, inverse: "previous", .one)
        base.subentities = [note]
        return NSManagedObjectModel(base, note)
    }

    /// The error of opening a store of two notes in which a text is replaced.
    private func error(replacing text: String, by other: String) throws -> NSError {
        let stack = try Stack(.xml, Self.model())
        let (one, two) = (stack.insert("Note"), stack.insert("Note"))
        one.setValue("one", forKey: "text")
        two.setValue("two", forKey: "text")
        one.setValue(two, forKey: "next")
        try stack.context.save()
        try stack.coordinator.remove(stack.store)
        let file = try String(contentsOf: stack.url, encoding: .utf8)
        let changed = file.replacingOccurrences(of: text, with: other)
        #expect(changed != file, "\(file)")
        try Data(changed.utf8).write(to: stack.url)
        let error = #expect(throws: NSError.self) { try stack.reopen() }
        #expect(try Data(contentsOf: stack.url) == Data(changed.utf8))
        return try #require(error)
    }

    private func isDamage(_ error: NSError, _ words: String) -> Bool {
        error.code == CocoaError.Code.fileReadCorruptFile.rawValue && error.localizedDescription.contains(words)
    }

    @Test("objects of an abstract entity, and two objects with one id, are refused")
    func objects() throws {
        #expect(isDamage(try error(replacing: "type=\"NOTE\"", by: "type=\"BASE\""), "'Base', which is abstract"))
        let first = #"id="z10[0-9]+""#
        let stack = try Stack(.xml, Self.model())
        for _ in 0..<2 { _ = stack.insert("Note") }
        try stack.context.save()
        try stack.coordinator.remove(stack.store)
        let file = try String(contentsOf: stack.url, encoding: .utf8)
        let changed = file.replacingOccurrences(of: first, with: #"id="z102""#, options: .regularExpression)
        try Data(changed.utf8).write(to: stack.url)
        let twice = try #require(#expect(throws: NSError.self) { try stack.reopen() })
        #expect(isDamage(twice, "z102"))
    }

    @Test("an attribute that is there twice, or as a relationship, is refused")
    func properties() throws {
        let attribute = #"<attribute name="text" type="string">one</attribute>"#
        #expect(isDamage(try error(replacing: attribute, by: attribute + attribute), "'text' twice"))
        let relationship = #"<relationship name="text" type="1/1" destination="NOTE"></relationship>"#
        #expect(isDamage(try error(replacing: attribute, by: relationship), "'text'"))
    }

    @Test("a to-one with two destinations is refused")
    func severalDestinations() throws {
        let error = try error(replacing: "idrefs=\"z", by: "idrefs=\"z102 z")
        #expect(isDamage(error, "several objects"))
    }
}
