// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Damaged files give an error or a document, never a trap and never endless work.

import FixtureFiles
import Foundation
import ModelFilesTestSupport
import Testing

@testable import CoreDataModelFiles

@Suite("Damaged model files") struct DamagedFileTests {
    private func unfolding(_ levels: Int) -> Data { BinaryList.unfolding(levels: levels, key: "k") }

    @Test("a property list that unfolds without end is refused at once")
    func endlessLists() throws {
        for levels in [20, 30, 60] {
            #expect(!PropertyListBounds.allow(unfolding(levels)))
            #expect(throws: ModelFileError.self) { try PropertyListBounds.values(of: unfolding(levels)) }
            #expect(throws: ModelFileError.self) { try PlainPropertyList.dictionary(from: unfolding(levels)) }
        }
        let short = try #require(try PropertyListBounds.values(of: unfolding(3)) as? [String: Any])
        #expect((short["k"] as? [Any])?.count == 2)
        // An array that contains itself.
        var circle = unfolding(3)
        circle[circle.startIndex + 14] = 2
        #expect(!PropertyListBounds.allow(circle))
    }

    @Test("a property list that is nested more deeply than any stack is refused", arguments: [513, 200_000])
    func deepLists(levels: Int) {
        #expect(!PropertyListBounds.allow(nested(levels)))
        #expect(PropertyListBounds.allow(nested(100)))
    }

    /// Arrays in arrays, each with one member; the innermost one is empty.
    private func nested(_ levels: Int) -> Data {
        func number(_ value: Int, _ size: Int) -> [UInt8] {
            (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
        }
        var bytes = Array("bplist00".utf8)
        for level in 1..<levels { bytes += [0xA1] + number(level, 4) }
        bytes.append(0xA0)
        let offsets = (0..<levels).flatMap { number(8 + $0 * 5, 4) }
        let trailer = [0, 0, 0, 0, 0, 0, 4, 4] + number(levels, 8) + number(0, 8) + number(bytes.count, 8)
        return Data(bytes + offsets + trailer)
    }

    /// A dictionary with one key and one value.
    private func list(_ key: [UInt8], _ value: [UInt8], _ member: [UInt8]) -> Data {
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for object in [[0xD1, 1, 2], key, value, member] {
            offsets.append(UInt8(bytes.count))
            bytes += object
        }
        func long(_ value: Int) -> [UInt8] { Array(repeating: 0, count: 7) + [UInt8(value)] }
        let table = bytes.count
        return Data(bytes + offsets + [0, 0, 0, 0, 0, 0, 1, 1] + long(4) + long(0) + long(table))
    }

    @Test("sets and keys that are no text are refused: Foundation traps on some of them")
    func foreignCollections() throws {
        let (text, reference): ([UInt8], [UInt8]) = ([0x51, 0x6B], [0x80, 1])
        for set: [UInt8] in [[0xB1, 3], [0xC1, 3]] {
            #expect(!PropertyListBounds.allow(list(text, set, reference)))
            #expect(throws: ModelFileError.self) { try PropertyListBounds.values(of: list(text, set, text)) }
        }
        #expect(!PropertyListBounds.allow(list(reference, [0xA1, 3], text)))
        #expect(PropertyListBounds.allow(list(text, [0xA1, 3], text)))
    }

    @Test("property lists as Foundation writes them are read", arguments: [true, false])
    func soundLists(isBinary: Bool) throws {
        let format = isBinary ? PropertyListSerialization.PropertyListFormat.binary : .xml
        let shared = Array(repeating: "the same", count: 5_000)
        let values: [String: Any] = [
            "a": shared, "b": [1, 2.5, true, Date(timeIntervalSinceReferenceDate: 1), Data([1, 2])],
            "c": ["d": ["e": ["f": shared]]],
        ]
        let data = try PropertyListSerialization.data(fromPropertyList: values, format: format, options: 0)
        let read = try #require(try PropertyListBounds.values(of: data) as? [String: Any])
        #expect((read["a"] as? [String]) == shared)
        #expect((read["b"] as? [Any])?.count == 5)
    }

    @Test("a compiled model cut off anywhere is refused", .needsFixtures)
    func truncation() throws {
        let data = try Fixtures.data("mom/alemar11_CoreDataPlus__SampleModel.momd_SampleModel.mom")
        for length in 0..<data.count {
            if try outcome(data.prefix(length)) { Issue.record("\(length) bytes were read as a model") }
        }
    }

    @Test("changed bytes in archives never trap", .needsFixtures)
    func archives() throws {
        var files: [Data] = []
        for name in Fixtures.files("mom", suffix: ".mom") { files.append(try Fixtures.data("mom/\(name)")) }
        for name in Fixtures.files("models", suffix: ".bplist") {
            let data = try Fixtures.data("models/\(name)")
            if data.count < 100_000 { files.append(data) }
        }
        for (_, content) in try ModelCaches.all() {
            let data = try RawDeflate.inflate(content)
            if data.count < 100_000 { files.append(data) }
        }
        var random = Seeded(state: 20_261_121)
        var refused = 0
        for data in files {
            for _ in 0..<max(20, 200_000 / data.count) where try !outcome(random.damage(data)) { refused += 1 }
        }
        #expect(refused > 300)
    }

    @Test("changed bytes in XML never trap", .needsFixtures)
    func sources() throws {
        var random = Seeded(state: 7)
        var refused = 0
        for name in Fixtures.files("models", suffix: ".xml") {
            let data = try Fixtures.data("models/\(name)")
            for _ in 0..<3 where try !outcome(random.damage(data)) { refused += 1 }
        }
        #expect(refused > 100)
    }

    @Test("changed bytes in compressed caches never trap", .needsFixtures)
    func caches() throws {
        var random = Seeded(state: 99)
        var refused = 0
        for (_, content) in try ModelCaches.all() where content.count < 20_000 {
            for _ in 0..<20 {
                do {
                    _ = try KeyedModelReader.read(modelCache: random.damage(content))
                } catch is ModelFileError {
                    refused += 1
                }
            }
        }
        #expect(refused > 100)
    }

    @Test("a property list that unfolds without end is refused")
    func unfoldingList() {
        // Each array contains the next one ten times.
        let chain = (0..<30).map { [0xAA] + Array(repeating: UInt8($0 + 1), count: 10) } as [[UInt8]]
        #expect(propertyListFailure(BinaryList.data(chain + [[0x09]])) == .malformedPropertyList)
        // An array that contains itself.
        #expect(propertyListFailure(BinaryList.data([[0xA1, 0]])) == .malformedPropertyList)
    }

    @Test("predicates that share their parts without end are refused")
    func sharedParts() throws {
        var builder = KeyedArchiveBuilder()
        var node = builder.object("NSTruePredicate", [:])
        for _ in 0..<50 {
            let parts = builder.array([node, node, node])
            node = builder.object(
                "NSCompoundPredicate", ["NSCompoundPredicateType": .integer(1), "NSSubpredicates": parts])
        }
        let root = builder.object("Holder", ["predicate": node])
        let archive = try KeyedArchive(builder.data(root: root))
        #expect(throws: ModelFileError.self) {
            try PredicateDecoder(archive: archive).predicate(try archive.root().fields["predicate"])
        }
    }

    @Test("collections that hold themselves are refused")
    func circularValue() throws {
        var builder = KeyedArchiveBuilder()
        let place = builder.reserve()
        builder.fill(place, "NSArray", ["NS.objects": .array([.reference(place), .reference(place)])])
        let root = builder.object("Holder", ["value": .reference(place)])
        let archive = try KeyedArchive(builder.data(root: root))
        #expect(throws: ModelFileError.self) { try archive.value(try archive.root().fields["value"]) }
        // A dictionary that is its own key.
        builder.fill(place, "NSDictionary", ["NS.keys": .array([.reference(place)]), "NS.objects": .array([root])])
        let second = try KeyedArchive(builder.data(root: root))
        #expect(throws: ModelFileError.self) { try second.value(try second.root().fields["value"]) }
    }

    @Test("superentities in a circle give a document, which is for the model to refuse")
    func circularEntities() throws {
        var first = ModelDocument.Entity(name: "A")
        var second = ModelDocument.Entity(name: "B")
        first.superentityName = "B"
        second.superentityName = "A"
        var document = ModelDocument()
        document.entities = [first, second]
        for layout in [KeyedModelWriter.Layout.compiledModel, .modelCache] {
            let data = try KeyedModelWriter.data(for: document, layout: layout)
            #expect(try KeyedModelReader.read(data) == document)
        }
    }

    /// Whether a document was read; errors of types other than ours fail the test.
    private func outcome(_ data: Data) throws -> Bool {
        do {
            _ = try ModelDocument(modelFile: data)
            return true
        } catch is ModelFileError {
            return false
        }
    }

    private func propertyListFailure(_ data: Data) -> ModelFileError.Kind? {
        do {
            _ = try BinaryPropertyListReader.read(data)
            return nil
        } catch {
            return (error as? ModelFileError)?.kind
        }
    }
}

/// The same damage in each run.
private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func damage(_ data: Data) -> Data {
        var bytes = [UInt8](data)
        switch Int.random(in: 0..<6, using: &self) {
        case 0: bytes.removeLast(Int.random(in: 1..<bytes.count, using: &self))
        case 1:
            let start = Int.random(in: 0..<bytes.count, using: &self)
            bytes.removeSubrange(start..<min(bytes.count, start + Int.random(in: 1...8, using: &self)))
        case 2:
            // In the trailer and the offsets before it one byte has the greatest effect.
            bytes[max(0, bytes.count - Int.random(in: 1...60, using: &self))] = UInt8.random(in: 0...255, using: &self)
        default:
            for _ in 0..<Int.random(in: 1...12, using: &self) {
                let place = Int.random(in: 0..<bytes.count, using: &self)
                bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &self)
            }
        }
        return Data(bytes)
    }
}
