// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Stores that Apple's framework wrote open, give all their rows, and take changes.

import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

@Suite("Opening stores that Apple wrote") struct OpeningAppleStoresTests {
    private func open(_ fixture: StoreFixture) throws -> (SQLiteStore, ModelLayout)? {
        // Stores with a model that is nowhere among the fixtures tell nothing here.
        guard let model = try fixture.model() else { return nil }
        let connection = try Connection(url: fixture.url, options: .init(access: .readOnly))
        let names = try StoreInventory(connection).entities.map(\.name)
        try connection.close()
        let layout = ModelLayout(entities: model.entities)
        let store = SQLiteStore(persistentStoreCoordinator: nil, configurationName: nil, at: fixture.url)
        try store.open(model: layout, entities: model.entities.filter { names.contains($0.name ?? "") })
        return (store, layout)
    }

    private func rows(_ layout: EntityLayout, _ model: ModelLayout, _ store: SQLiteStore) throws -> [FetchedRow] {
        var fetch = ResolvedFetch(layout: layout, model: model)
        fetch.includesSubentities = false
        guard case .rows(let rows) = try store.fetch(fetch, in: nil) else { return [] }
        fetch.result = .count
        guard case .count(let count) = try store.fetch(fetch, in: nil) else { return [] }
        #expect(rows.count == count)
        return rows
    }

    @Test(
        "every row is read, and the members of every to-many have rows", .needsStoreFixtures,
        arguments: StoreFixture.names.filter { $0 != StoreFixture.incomplete })
    func reading(name: String) throws {
        let fixture = try StoreFixture(name)
        guard let (store, model) = try open(fixture) else { return }
        for mapping in try store.opened().schema.entities {
            let layout = mapping.layout
            let rows = try rows(layout, model, store)
            for slot in layout.toManySlots {
                _ = try store.members(of: slot, layout: layout, owners: rows.prefix(300).map(\.key), in: nil)
            }
            for row in rows {
                for slot in layout.attributeSlots where !layout[slot].isTransient { _ = row.snapshot.value(slot) }
            }
        }
        try store.close()
    }

    @Test(
        "a row is written back as it was, and new ones are added", .needsStoreFixtures,
        arguments: StoreFixture.names.filter { $0 != StoreFixture.incomplete })
    func writing(name: String) throws {
        let fixture = try StoreFixture(name)
        guard let (store, model) = try open(fixture) else { return }
        for mapping in try store.opened().schema.entities {
            let layout = mapping.layout
            guard let row = try rows(layout, model, store).first else { continue }
            let stored = layout.attributeSlots.filter { !layout[$0].isDerived && !layout[$0].isTransient }
            var changed = SlotSet()
            for slot in stored { changed.insert(slot) }
            var changes = ChangeSet()
            changes.updates = [
                .init(key: row.key, snapshot: row.snapshot, baseVersion: row.snapshot.version, changed: changed)
            ]
            changes.inserts = [.init(key: -1, snapshot: Snapshot.make(layout))]
            #expect(try store.save(changes).conflicts.isEmpty)
            let again = try #require(try store.rows([row.key], root: layout, in: nil).first?.snapshot)
            #expect(again.version == row.snapshot.version + 1)
            for slot in stored {
                #expect(again.isEqual(row.snapshot, slot: slot), "\(layout.name).\(layout.properties[slot].name)")
            }
        }
        try store.close()
    }

    @Test("a store without a column that its model needs is refused by the name of the column", .needsStoreFixtures)
    func incomplete() throws {
        let fixture = try StoreFixture(StoreFixture.incomplete)
        do {
            _ = try open(fixture)
            Issue.record("no error")
        } catch {
            #expect((error as NSError).code == NSPersistentStoreIncompatibleSchemaError)
            #expect((error as NSError).localizedDescription.contains("ZATRECORD.ZCUSTOMDATA"))
        }
    }
}
