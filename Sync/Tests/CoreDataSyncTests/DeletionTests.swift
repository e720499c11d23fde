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
        let note = ModelParts.entity("Note", [])
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
        let start = SyncHybridClock.clock(of: Date())
        // The deletion of the note was made after its insertion, and before the link.
        func push(_ time: UInt64, _ changes: (SyncStamp) -> [SyncChange]) throws -> SyncPushAnswer {
            let stamp = SyncStamp(clock: start + time, replica: UUID())
            return try fixture.service.pushAndWait(
                SyncPush(
                    replica: stamp.replica, number: 1, id: UUID(), schema: SyncSchema(entities: [:]), observed: 0,
                    changes: changes(stamp)),
                user: SyncUser(id: "ada"))
        }
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
        let context = fixture.server.newBackgroundContext()
        let counts = try context.performAndWait {
            try ["Account", "Note"].map { try context.count(for: NSFetchRequest<NSManagedObject>(entityName: $0)) }
        }
        #expect(counts == [0, isLinked ? 1 : 0])
    }
}
