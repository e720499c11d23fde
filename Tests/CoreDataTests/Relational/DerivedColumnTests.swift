// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Derived attributes get their values from the store when it saves.

import CoreDataTestSupport
import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

@Suite("Derived attributes in a SQLite store") struct DerivedColumnTests {
    @Test("the time, a count, a folded string and a value through a to-one") func derived() throws {
        let model = League.model
        let layout = ModelLayout(entities: model.entities)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = SQLiteStore(
            persistentStoreCoordinator: nil, configurationName: nil, at: folder.appendingPathComponent("d.sqlite"))
        try store.open(model: layout, entities: model.entities)
        let (teams, playersLayout) = (layout.layout(named: "Team")!, layout.layout(named: "Player")!)
        let one = Snapshot.make(teams)
        one.setValue("Reds", teams.slot("name")!)
        let two = Snapshot.make(playersLayout)
        two.setValue("Éva", playersLayout.slot("name")!)
        two.setReference(Reference(entityIndex: teams.index, key: -1), playersLayout.slot("team")!)
        var changes = ChangeSet()
        changes.inserts = [.init(key: -1, snapshot: one), .init(key: -2, snapshot: two)]
        let outcome = try store.save(changes)
        #expect(Set(outcome.recomputed.map { $0.snapshot.layout.name }) == ["Team", "Player"])
        func value(_ layout: EntityLayout, _ name: String) throws -> Any? {
            try store.rows([1], root: layout, in: nil).first?.snapshot.value(layout.slot(name)!)
        }
        #expect((try value(teams, "size") as? NSNumber)?.intValue == 1)
        #expect(try value(playersLayout, "saved") is Date)
        #expect(try value(playersLayout, "folded") as? String == "eva")
        #expect(try value(playersLayout, "teamName") as? String == "Reds")
        let renamed = one.copy()
        renamed.setValue("Blues", teams.slot("name")!)
        var changed = SlotSet()
        changed.insert(teams.slot("name")!)
        changes = ChangeSet()
        changes.updates = [.init(key: 1, snapshot: renamed, baseVersion: 1, changed: changed)]
        _ = try store.save(changes)
        #expect(try value(playersLayout, "teamName") as? String == "Blues")
        changes = ChangeSet()
        changes.deletes = [.init(key: 1, layout: playersLayout, baseVersion: 1)]
        #expect(try store.save(changes).conflicts.isEmpty)
        #expect((try value(teams, "size") as? NSNumber)?.intValue == 0)
        try store.close()
    }
}
