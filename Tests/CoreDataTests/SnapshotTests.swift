// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the contents of a row's block, with any number of properties and for any version number in a file.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// Proves: Objects-W1 to W3
@Suite("A row in one block") struct SnapshotTests {
    /// Number `n` is called "p" and has two digits, so that slots are in the order of the numbers.
    private func entity(_ types: [NSAttributeType]) -> NSEntityDescription {
        let entity = NSEntityDescription("Wide")
        for (number, type) in types.enumerated() { entity.attribute("p\(number < 10 ? "0" : "")\(number)", type) }
        return entity
    }

    private func layout(_ types: [NSAttributeType]) throws -> (ModelLayout, EntityLayout) {
        let model = ModelLayout(entities: [entity(types)])
        return (model, try #require(model.layout(named: "Wide")))
    }

    /// The bits of nulls and of Booleans are in the header, in one further word, and in two.
    @Test("null and Boolean bits of entities of any size", arguments: [1, 15, 16, 31, 32, 33, 47, 48, 49, 80, 95])
    func bits(_ count: Int) throws {
        let (model, layout) = try layout(
            (0..<count).map { $0 % 3 == 0 ? .integer64AttributeType : .booleanAttributeType })
        defer { withExtendedLifetime(model) {} }
        let row = Snapshot.make(layout)
        #expect((0..<count).allSatisfy(row.isNull))
        for slot in 0..<count { row.setValue(slot % 3 == 0 ? slot : slot % 2 == 0, slot) }
        let copy = row.copy()
        for slot in stride(from: 0, to: count, by: 5) { row.setNull(slot) }
        for slot in 0..<count {
            #expect(row.isNull(slot) == (slot % 5 == 0))
            #expect(!copy.isNull(slot))
            #expect(copy.isEqual(row, slot: slot) == (slot % 5 != 0))
            if slot % 3 == 0 {
                #expect(copy.integer(slot) == Int64(slot))
            } else {
                #expect(copy.boolean(slot) == (slot % 2 == 0))
                #expect(copy.value(slot) as? NSNumber == NSNumber(value: slot % 2 == 0))
            }
        }
        for slot in 1..<max(count, 2) where slot < count && slot % 3 != 0 {
            copy.setBoolean(slot % 2 != 0, slot)
            #expect(copy.boolean(slot) == (slot % 2 != 0))
        }
    }

    @Test("a Boolean takes no word") func words() throws {
        let (model, layout) = try layout([.booleanAttributeType, .stringAttributeType, .booleanAttributeType])
        defer { withExtendedLifetime(model) {} }
        #expect(layout.wordCount == 2)
        #expect(MemoryLayout<Snapshot.Header>.size == 16)
    }

    @Test(
        "versions that the header has no room for",
        arguments: [0, 1, 1 << 44 - 1, 1 << 44, -1, -(1 << 44) - 1, .max, .min])
    func versions(_ version: Int64) throws {
        let (model, layout) = try layout([.stringAttributeType])
        defer { withExtendedLifetime(model) {} }
        let row = Snapshot.make(layout, version: version)
        row.setString("a text that does not fit into a word", 0)
        let copy = row.copy()
        #expect(row.version == version && copy.version == version)
        copy.version = version &+ 1
        #expect(row.version == version && copy.version == version &+ 1)
        copy.version = 7
        #expect(copy.version == 7 && copy.layout === layout && copy.string(0) == row.string(0))
    }

    @Test("a wide version goes with its row") func wideVersionsGo() throws {
        let (model, layout) = try layout([.integer64AttributeType])
        defer { withExtendedLifetime(model) {} }
        var row: Snapshot? = Snapshot.make(layout, version: .max)
        let name = try #require(row.map(ObjectIdentifier.init))
        #expect(WideVersions.version(of: name) == .max)
        row = nil
        #expect(WideVersions.version(of: name) == 0)
    }

    @Test("each layout has a distinct number") func numbers() {
        let models = (0..<20).map { _ in ModelLayout(entities: [entity([.dateAttributeType])]) }
        let layouts = models.flatMap(\.layouts)
        #expect(Set(layouts.map(\.number)).count == 20)
        #expect(layouts.allSatisfy { Snapshot.make($0).layout === $0 })
    }

    /// Values that report their end.
    private final class Kept: NSObject {}

    @Test("rows that outlive their model release their values") func late() throws {
        var made: (model: ModelLayout, layout: EntityLayout)? = try layout([
            .transformableAttributeType, .stringAttributeType, .booleanAttributeType, .transformableAttributeType,
        ])
        var row = made.map { Snapshot.make($0.layout) }
        weak var kept: Kept?
        do {
            let value = Kept()
            kept = value
            row?.setBox(ValueBox(value), 3)
        }
        row?.setString("a text that is too long to lie in the row itself", 1)
        weak let known = made?.layout
        made = nil
        #expect(known == nil)
        // Freed memory would be allocated again.
        let others = try (1...50).map { try layout(Array(repeating: .stringAttributeType, count: $0)) }
        #expect(kept != nil)
        row = nil
        #expect(kept == nil)
        withExtendedLifetime(others) {}
    }
}
