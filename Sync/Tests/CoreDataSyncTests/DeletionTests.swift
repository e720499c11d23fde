// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A deletion loses to a newer change of its record, also if a side effect changed the same property afterwards.
import CoreData
import CoreDataSyncProtocol
import CoreDataSyncServer
import CoreDataSyncSimulation
import Foundation
import Testing

@Suite("Deletions and newer changes") struct DeletionTests {
    private static func model() -> NSManagedObjectModel {
        let account = ModelParts.entity("Account", [])
        let views = ModelParts.attribute("views", .integer64AttributeType, isOptional: true)
        views.userInfo = ["sync": "counter"]
        let note = ModelParts.entity("Note", [views])
        ModelParts.relate(
            ModelParts.relationship("notes", note, .nullifyDeleteRule, isToMany: true), account,
            ModelParts.relationship("account", account, .nullifyDeleteRule), note)
        let model = NSManagedObjectModel()
        model.entities = [account, note]
        return model
    }

    /// Proves: Y5
    @Test(
        "a link protects its note from an older deletion, although the deletion of the account removes the link",
        arguments: SyncStoreKind.allCases, [true, false])
    func sideEffect(kind: SyncStoreKind, isLinked: Bool) throws {
        let fixture = try SyncFixture(kind, model: Self.model())
        let (account, note) = (UUID(), UUID())
        // The deletion of the note was made after its insertion, and before the link.
        let push = fixture.pushes()
        _ = try push(1) { stamp in
            [
                SyncChange(.insert, name: account, entity: "Account", group: 0, stamp: stamp),
                SyncChange(
                    .insert, name: note, entity: "Note", group: 0, stamp: stamp,
                    fields: isLinked ? [:] : ["account": SyncField(.link(account), stamp)]),
            ]
        }
        if isLinked {
            _ = try push(3) { stamp in
                [
                    SyncChange(
                        .update, name: note, entity: "Note", group: 0, stamp: stamp,
                        fields: ["account": SyncField(.link(account), stamp)])
                ]
            }
        }
        _ = try push(4) { [SyncChange(.delete, name: account, entity: "Account", group: 0, stamp: $0)] }
        _ = try push(2) { [SyncChange(.delete, name: note, entity: "Note", group: 0, stamp: $0)] }
        #expect(try counts(fixture) == [0, isLinked ? 1 : 0])
    }

    /// Proves: Y5
    @Test(
        "a difference of a counter protects its note from an older deletion that arrives later, and from no newer one",
        arguments: SyncStoreKind.allCases, [2, 4])
    func counter(kind: SyncStoreKind, deletion: UInt64) throws {
        let fixture = try SyncFixture(kind, model: Self.model())
        let note = UUID()
        let push = fixture.pushes()
        for (time, views): (UInt64, Int64) in [(1, 3), (3, 4)] {
            _ = try push(time) { stamp in
                [
                    SyncChange(
                        time == 1 ? .insert : .update, name: note, entity: "Note", group: 0, stamp: stamp,
                        counters: ["views": views])
                ]
            }
        }
        let answer = try push(deletion) { [SyncChange(.delete, name: note, entity: "Note", group: 0, stamp: $0)] }
        #expect(try counts(fixture) == [0, deletion == 2 ? 1 : 0])
        #expect(answer.outcomes.map(\.superseded.isEmpty) == [deletion == 4])
    }

    /// Its batch has a newer change of another record (seed 705282).
    ///
    /// Proves: Y2
    @Test(
        "a difference of a counter does not protect its note from a deletion that is newer than the difference",
        arguments: SyncStoreKind.allCases)
    func counterBesideNewerChange(kind: SyncStoreKind) throws {
        let fixture = try SyncFixture(kind, model: Self.model())
        let (note, account) = (UUID(), UUID())
        let push = fixture.pushes()
        _ = try push(1) { stamp in
            [
                SyncChange(.insert, name: note, entity: "Note", group: 0, stamp: stamp, counters: ["views": 3]),
                SyncChange(.insert, name: account, entity: "Account", group: 0, stamp: stamp),
            ]
        }
        func counted(_ stamp: SyncStamp) -> SyncChange {
            SyncChange(.update, name: note, entity: "Note", group: 0, stamp: stamp, counters: ["views": 4])
        }
        _ = try push(6) { stamp in
            [
                counted(SyncStamp(clock: stamp.clock - 4, replica: stamp.replica)),
                SyncChange(.update, name: account, entity: "Account", group: 0, stamp: stamp),
            ]
        }
        _ = try push(3) { [counted($0)] }
        let answer = try push(5) { [SyncChange(.delete, name: note, entity: "Note", group: 0, stamp: $0)] }
        #expect(answer.outcomes.map(\.superseded.isEmpty) == [true])
        #expect(try counts(fixture) == [1, 0])
    }

    /// Proves: Y5
    @Test(
        "a link that is newer than the deletion of its former destination stays, whatever else came with the deletion",
        arguments: SyncStoreKind.allCases)
    func newerLink(kind: SyncStoreKind) throws {
        let fixture = try SyncFixture(kind, model: Self.model())
        let (note, first, second) = (UUID(), UUID(), UUID())
        func linked(_ kind: SyncChange.Kind, _ account: UUID, _ stamp: SyncStamp) -> SyncChange {
            SyncChange(
                kind, name: note, entity: "Note", group: 0, stamp: stamp,
                fields: ["account": SyncField(.link(account), stamp)])
        }
        let push = fixture.pushes()
        _ = try push(1) { stamp in
            [first, second].map { SyncChange(.insert, name: $0, entity: "Account", group: 0, stamp: stamp) }
                + [linked(.insert, first, stamp)]
        }
        _ = try push(6) { later in
            [
                SyncChange(.delete, name: first, entity: "Account", group: 0, stamp: later.minus(4)),
                SyncChange(.update, name: second, entity: "Account", group: 1, stamp: later),
            ]
        }
        let answer = try push(4) { [linked(.update, second, $0)] }
        #expect(answer.outcomes.map(\.superseded) == [[]])
        let context = fixture.server.newBackgroundContext()
        let isLinked = try context.performAndWait {
            try context.all("Note", by: "views").map { $0.value(forKey: "account") != nil }
        }
        #expect(isLinked == [true])
    }

    /// Proves: Y5
    @Test(
        "a change that is newer than the deletion of its owner is asked for whole, whatever else came with the deletion",
        arguments: SyncStoreKind.allCases)
    func newerThanCascade(kind: SyncStoreKind) throws {
        let fixture = try SyncFixture(kind)
        let (book, chapter, author) = (UUID(), UUID(), UUID())
        func chapters(_ kind: SyncChange.Kind, _ name: String, _ stamp: SyncStamp) -> SyncChange {
            SyncChange(
                kind, name: chapter, entity: "Chapter", group: 0, stamp: stamp,
                fields: ["name": SyncField(.string(name), stamp)]
                    .merging(kind == .insert ? ["book": SyncField(.link(book), stamp)] : [:]) { first, _ in first })
        }
        let push = fixture.pushes()
        _ = try push(1) { stamp in
            [
                SyncChange(
                    .insert, name: book, entity: "Book", group: 0, stamp: stamp,
                    fields: ["title": SyncField(.string("Emma"), stamp)]),
                SyncChange(.insert, name: author, entity: "Author", group: 0, stamp: stamp),
                chapters(.insert, "1", stamp),
            ]
        }
        _ = try push(6) { later in
            [
                SyncChange(.delete, name: book, entity: "Book", group: 0, stamp: later.minus(4)),
                SyncChange(.update, name: author, entity: "Author", group: 1, stamp: later),
            ]
        }
        #expect(try push(4) { [chapters(.update, "2", $0)] }.outcomes.map(\.result) == [.whole])
    }

    /// The numbers of accounts and of notes on the server.
    private func counts(_ fixture: SyncFixture) throws -> [Int] {
        let context = fixture.server.newBackgroundContext()
        return try context.performAndWait {
            try ["Account", "Note"].map { try context.count(for: NSFetchRequest<NSManagedObject>(entityName: $0)) }
        }
    }
}
