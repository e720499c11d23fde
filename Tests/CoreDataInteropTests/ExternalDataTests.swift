// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Data that may be kept outside of Apple's stores is written as theirs: small in the row, large in an external file.

import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

@Suite("External data of Apple's stores") struct ExternalDataTests {
    /// Stores with an attribute that may be kept outside, and the first of those.
    static let attributes: [(store: String, entity: String, attribute: String)] = StoreFixture.usable.compactMap {
        name in
        guard let fixture = try? StoreFixture(name), let stack = try? fixture.stack() else { return nil }
        for entity in stack.concreteEntities {
            let found = entity.storedAttributes.first { $0.allowsExternalBinaryDataStorage }
            if let found { return (name, entity.name!, found.name) }
        }
        return nil
    }

    @Test(
        "up to 100000 bytes stay in the row, more go to a file, and a file goes when its row no longer names it",
        .needsStoreFixtures, arguments: attributes)
    func sizes(store: String, entity: String, attribute: String) throws {
        var stack = try StoreFixture(store).stack()
        let description = try #require(stack.model.entitiesByName[entity])
        var population = Population(stack.context)
        let object = population.insert(description)
        let (small, large) = (bytes(100_000), bytes(100_001))
        object.setValue(small, forKey: attribute)
        try save(stack)
        #expect(files(stack) == [:])

        object.setValue(large, forKey: attribute)
        try save(stack)
        #expect(files(stack).values.map { $0 } == [large])
        let uri = object.objectID.uriRepresentation()

        stack = try stack.reopened()
        var again = try self.object(uri, in: stack)
        #expect(again.value(forKey: attribute) as? Data == large)
        let name = files(stack).keys.first
        // A change elsewhere in the row leaves the file.
        var values = SampleValues(from: 12_000)
        for other in again.entity.storedAttributes where other.name != attribute {
            if let value = values.next(other) { again.setValue(value, forKey: other.name) }
        }
        try save(stack)
        #expect(files(stack).keys.first == name)

        // Files that no row names go when the store is closed.
        again.setValue(Data(large.reversed()), forKey: attribute)
        try save(stack)
        stack = try stack.reopened()
        again = try self.object(uri, in: stack)
        #expect(files(stack).values.map { $0 } == [Data(large.reversed())])
        #expect(files(stack).keys.first != name)

        again.setValue(Data([2, 1]), forKey: attribute)
        try save(stack)
        stack = try stack.reopened()
        again = try self.object(uri, in: stack)
        #expect(files(stack) == [:])

        again.setValue(large, forKey: attribute)
        try save(stack)
        stack.context.delete(again)
        try save(stack)
        stack = try stack.reopened()
        #expect(files(stack) == [:])
    }

    private func object(_ uri: URL, in stack: FixtureStack) throws -> NSManagedObject {
        try #require(
            try stack.coordinator.managedObjectID(forURIRepresentation: uri).map(stack.context.existingObject(with:)))
    }

    private func bytes(_ count: Int) -> Data { Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }) }

    private func save(_ stack: FixtureStack) throws {
        var witness = try SaveWitness(stack)
        try witness.save("save")
        expectNone(witness.differences)
    }

    /// The files in `.<name>_SUPPORT/_EXTERNAL_DATA` by name.
    private func files(_ stack: FixtureStack) -> [String: Data] {
        let folder = stack.url.deletingLastPathComponent().appendingPathComponent(
            ".\(stack.url.deletingPathExtension().lastPathComponent)_SUPPORT/_EXTERNAL_DATA")
        var result: [String: Data] = [:]
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] {
            result[name] = try? Data(contentsOf: folder.appendingPathComponent(name))
        }
        return result
    }
}
