// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Stores that Apple's framework wrote open, return all their rows, and accept changes.

import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

@Suite("Opening stores that Apple wrote") struct OpeningAppleStoresTests {
    private func open(_ fixture: StoreFixture) throws -> (SQLiteStore, ModelLayout) {
        let model = try #require(try fixture.model())
        let connection = try Connection(url: fixture.url, options: .init(access: .readOnly))
        let names = try StoreInventory(connection).entities.map(\.name)
        try connection.close()
        let layout = ModelLayout(entities: model.entities)
        let store = SQLiteStore(persistentStoreCoordinator: nil, configurationName: nil, at: fixture.url)
        try store.open(model: layout, entities: model.entities.filter { names.contains($0.name ?? "") })
        return (store, layout)
    }

    private func rows(_ layout: EntityLayout, _ model: ModelLayout, _ store: SQLiteStore) throws -> [FetchedRow] {
        var fetch = BoundFetch(PreparedFetch(model: model, layout: layout, options: []))
        let found = try store.fetch(fetch, in: nil)
        fetch.result = .count
        guard case .rows(let rows) = found, case .count(rows.count) = try store.fetch(fetch, in: nil) else {
            Issue.record("\(layout.name) gave \(found)")
            return []
        }
        return rows
    }

    @Test("every store with a model is among the known ones", .needsStoreFixtures) func list() {
        #expect(KnownStore.all.map(\.name) == StoreFixture.usable)
    }

    @Test(
        "a store opens with all its entities, their rows and the values of these", .needsStoreFixtures,
        arguments: KnownStore.all)
    func reading(known: KnownStore) throws {
        let fixture = try StoreFixture(known.name)
        let (store, model) = try open(fixture)
        let mappings = try store.opened().schema.entities
        #expect(mappings.count == known.entities)
        var counts: [String: Int] = [:]
        var values: [String: String] = [:]
        for layout in mappings.map(\.layout) {
            let rows = try rows(layout, model, store)
            if !rows.isEmpty { counts[layout.name] = rows.count }
            for row in rows {
                for slot in layout.attributeSlots where !layout[slot].isTransient {
                    let place = "\(layout.name)/\(row.key).\(layout.properties[slot].name)"
                    let value = row.snapshot.value(slot)
                    if known.values[place] != nil { values[place] = value.map { "\($0)" } }
                }
            }
        }
        #expect(counts == known.rows)
        #expect(values == known.values)
        try store.close()
    }

    @Test("the members of every to-many relationship have rows", .needsStoreFixtures, arguments: StoreFixture.usable)
    func members(name: String) throws {
        let fixture = try StoreFixture(name)
        let (store, model) = try open(fixture)
        for layout in try store.opened().schema.entities.map(\.layout) {
            let owners = try rows(layout, model, store).prefix(300).map(\.key)
            for slot in layout.toManySlots {
                let members = try store.members(of: slot, layout: layout, owners: owners, in: nil)
                let keys = Set(members.values.joined().map(\.key))
                let entity = try #require(layout.properties[slot] as? NSRelationshipDescription).destinationEntity
                let destination = try #require(model.layout(named: entity?.name ?? ""))
                let found = try store.rows(Array(keys), root: destination, in: nil)
                #expect(found.count == keys.count, "\(layout.name).\(layout.properties[slot].name)")
            }
        }
        try store.close()
    }

    @Test(
        "a row is written back as it was, and new ones are added", .needsStoreFixtures,
        arguments: StoreFixture.usable)
    func writing(name: String) throws {
        let fixture = try StoreFixture(name)
        let (store, model) = try open(fixture)
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
