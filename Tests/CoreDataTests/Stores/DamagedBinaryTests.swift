// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tests binary stores with a right checksum and wrong contents, as a faulty writer leaves them.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

@Suite("Binary stores with wrong contents") struct DamagedBinaryTests {
    private static func model() -> NSManagedObjectModel {
        let base = NSEntityDescription("Base", abstract: true)
        let note = NSEntityDescription("Note")
        note.attribute("text", .stringAttributeType)
        note.attribute("exact", .decimalAttributeType)
        note.attribute("link", .URIAttributeType)
        note.relate("next", .one, to: note, inverse: "previous", .one)
        base.subentities = [note]
        return NSManagedObjectModel(base, note)
    }

    /// A property as the file describes it.
    struct Property: Sendable {
        var name = "text"
        var coding: UInt8 = 6
    }

    /// The entities with the first one's properties, and how many rows of it follow.
    private func entity(
        _ bytes: inout ByteWriter, _ name: String = "Note", _ properties: [Property] = [Property()], rows: Int
    ) {
        bytes.add(count: 1)
        bytes.add(name)
        bytes.add("")
        bytes.add(Data())
        bytes.add(count: properties.count)
        for property in properties {
            bytes.add(property.name)
            bytes.add(byte: property.coding)
            bytes.add("")
        }
        bytes.add(count: rows)
    }

    /// The error of opening a store whose file a test changes.
    private func error(_ change: (BinaryFile, URL) throws -> Void) throws -> NSError {
        let stack = try Stack(.binary, Self.model())
        stack.insert("Note").setValue("Emma", forKey: "text")
        try stack.context.save()
        try stack.coordinator.remove(stack.store)
        let file = try BinaryFile(FileReading(stack.url))
        try change(file, stack.url)
        let before = try Data(contentsOf: stack.url)
        let error = #expect(throws: NSError.self) { try stack.reopen() }
        #expect(try Data(contentsOf: stack.url) == before)
        return try #require(error)
    }

    /// The error of opening a store with other entities and rows.
    private func error(contents: (inout ByteWriter) -> Void) throws -> NSError {
        try error { file, url in
            var bytes = ByteWriter()
            contents(&bytes)
            var data = Data()
            try BinaryFile.write(
                uuid: file.uuid, lastKey: file.lastKey, metadata: file.metadata, contents: bytes.bytes[...]
            ) { data += $0 }
            try data.write(to: url)
        }
    }

    private func says(_ error: NSError, _ words: String, _ code: CocoaError.Code = .fileReadCorruptFile) -> Bool {
        error.code == code.rawValue && error.localizedDescription.contains(words)
    }

    @Test("a changed letter of a value is noticed, and the file is left as it is")
    func changedLetter() throws {
        let changed = try error { _, url in
            var bytes = try Data(contentsOf: url)
            if let place = bytes.firstRange(of: Data("Emma".utf8)) { bytes[place.lowerBound] = UInt8(ascii: "G") }
            try bytes.write(to: url)
        }
        #expect(says(changed, "Its checksum is wrong"))
    }

    @Test("numbers, counts and texts that cannot be are refused")
    func values() throws {
        let long = try error { for _ in 0..<11 { $0.add(byte: 0xFF) } }
        #expect(says(long, "more than 64 bits"))
        let many = try error { $0.add(count: 1_000_000) }
        #expect(says(many, "A count of 1000000"))
        let text = try error { bytes in
            bytes.add(count: 1)
            bytes.add(Data([0xFF, 0xFE, 0xFF]))
            bytes.add("")
        }
        #expect(says(text, "not in UTF-8"))
    }

    @Test("entities and properties that the model does not have, or has otherwise, are named")
    func entities() throws {
        let unknown = try error { bytes in
            entity(&bytes, "Poem", rows: 1)
            bytes.add(signed: 1)
        }
        #expect(says(unknown, "'Poem'", .persistentStoreIncompatibleSchema))
        let abstract = try error { bytes in
            entity(&bytes, "Base", rows: 1)
            bytes.add(signed: 1)
        }
        #expect(says(abstract, "'Base', which is abstract"))
        let coding = try error { entity(&$0, "Note", [Property(coding: 55)], rows: 0) }
        #expect(says(coding, "The type of 'text' is not known"))
        let property = try error { bytes in
            entity(&bytes, "Note", [Property(name: "body")], rows: 1)
            for _ in 0..<8 { bytes.add(byte: 1) }
        }
        #expect(says(property, "'body'", .persistentStoreIncompatibleSchema))
        let other = try error { bytes in
            entity(&bytes, "Note", [Property(coding: 1)], rows: 1)
            for _ in 0..<8 { bytes.add(byte: 1) }
        }
        #expect(says(other, "'Note.text' is of another type", .persistentStoreIncompatibleSchema))
    }

    @Test("rows with a number twice, or with a value of no type, are refused")
    func rows() throws {
        let twice = try error { bytes in
            entity(&bytes, "Note", [], rows: 2)
            for _ in 0..<2 { bytes.add(signed: 1) }
        }
        #expect(says(twice, "The key 1"))
        let none = try error { bytes in
            entity(&bytes, "Note", [], rows: 1)
            bytes.add(signed: 0)
        }
        #expect(says(none, "The key 0"))
        let decimal = try error { bytes in
            entity(&bytes, "Note", [Property(name: "exact", coding: 7)], rows: 1)
            bytes.add(signed: 1)
            bytes.add(byte: 1)
            bytes.add("seven")
        }
        #expect(says(decimal, "'seven' is no decimal number"))
    }

    @Test("a file of a later version, and metadata that are no property list, are refused")
    func frame() throws {
        let later = try error { _, url in
            var data = try Data(contentsOf: url)
            data[data.startIndex + BinaryFile.magic.count] = 9
            try data.write(to: url)
        }
        #expect(says(later, "version 9"))
        let metadata = try error { file, url in
            var inner = ByteWriter()
            inner.add(file.uuid)
            inner.add(signed: file.lastKey)
            inner.add(Data("nonsense".utf8))
            var bytes = ByteWriter()
            for byte in BinaryFile.magic { bytes.add(byte: byte) }
            bytes.add(word: BinaryFile.version)
            bytes.add(word: UInt64(BinaryFile.headSize + inner.bytes.count + 8))
            for byte in inner.bytes { bytes.add(byte: byte) }
            bytes.add(word: Checksum.of(bytes.bytes[...]))
            try Data(bytes.bytes).write(to: url)
        }
        #expect(says(metadata, "no property list"))
    }

    @Test("a file that cannot be read is an error of its description and of a migration, too")
    func elsewhere() throws {
        let stack = try Stack(.binary, Self.model())
        try stack.context.save()
        try stack.coordinator.remove(stack.store)
        try Data("nonsense".utf8).write(to: stack.url)
        let outline = #expect(throws: CocoaError.self) { try BinaryOutline(contentsOf: stack.url) }
        #expect(outline?.code == .fileReadCorruptFile)
        let opening = #expect(throws: CocoaError.self) {
            try stack.reopen(options: [NSMigratePersistentStoresAutomaticallyOption: true])
        }
        #expect(opening?.code == .fileReadCorruptFile)
    }
}
