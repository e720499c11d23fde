// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Stores that Apple's framework wrote open, give all their rows, and take changes.

import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

@Suite("Opening stores that Apple wrote") struct OpeningAppleStoresTests {
    @Test("every row is read, with its version and what it refers to", .needsStoreFixtures, arguments: StoreFixture.names)
    func rows(name: String) throws {
        let fixture = try StoreFixture(name)
        guard let model = try fixture.model() else { print("NOMODEL \(name)"); return }
        let layout = ModelLayout(entities: model.entities)
        let store = SQLiteStore(persistentStoreCoordinator: nil, configurationName: nil, at: fixture.url, options: nil)
        let names = try StoreInventory(Connection(url: fixture.url, options: .init(access: .readOnly))).entities.map(\.name)
        do {
            try store.open(model: layout, entities: model.entities.filter { names.contains($0.name ?? "") })
        } catch { print("OPEN \(name) \(error)"); return }
        let schema = try store.opened().schema
        for mapping in schema.entities {
            var fetch = ResolvedFetch(layout: mapping.layout, model: layout)
            fetch.includesSubentities = false
            guard case .rows(let rows) = try store.fetch(fetch, in: nil) else { continue }
            fetch.result = .count
            guard case .count(let count) = try store.fetch(fetch, in: nil) else { continue }
            #expect(rows.count == count)
            for slot in mapping.layout.toManySlots {
                _ = try store.members(of: slot, layout: mapping.layout, owners: rows.prefix(300).map(\.key), in: nil)
            }
            for row in rows {
                for slot in mapping.layout.attributeSlots where !mapping.layout[slot].isTransient {
                    _ = row.snapshot.value(slot)
                }
            }
            if let row = rows.first {
                var changed = SlotSet()
                for slot in mapping.layout.attributeSlots where !mapping.layout[slot].isDerived && !mapping.layout[slot].isTransient {
                    changed.insert(slot)
                }
                var changes = ChangeSet()
                changes.updates = [.init(key: row.key, snapshot: row.snapshot, baseVersion: row.snapshot.version, changed: changed)]
                changes.inserts = [.init(key: -1, snapshot: Snapshot.make(mapping.layout))]
                let outcome = try store.save(changes)
                #expect(outcome.conflicts.isEmpty)
                let again = try store.rows([row.key], root: mapping.layout, in: nil).first?.snapshot
                #expect(again?.version == row.snapshot.version + 1)
                for slot in mapping.layout.attributeSlots where changed.contains(slot) {
                    #expect(again?.isEqual(row.snapshot, slot: slot) == true, "\(mapping.layout.name).\(mapping.layout.properties[slot].name)")
                }
            }
        }
        try store.close()
    }
}
