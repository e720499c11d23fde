// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The state of a server, read from its store while it runs.
import CoreData
import CoreDataSync
import CoreDataSyncProtocol
import CoreDataSyncServer
import Foundation
import Testing

@Suite("The health of a server") struct HealthTests {
    private func health(_ container: NSPersistentContainer) throws -> SyncHealth? {
        let context = container.newBackgroundContext()
        return try context.performAndWait { try SyncHealth(reading: context) }
    }

    @Test("a replica is listed with its user, its lag, and the refusals of its last answer")
    func replicas() async throws {
        let server = try NoteServer.store(try .syncServer(of: UniqueNotes.model()), nil)
        let service = try SyncService(container: server, authority: OpenAuthority())
        let empty = try #require(try health(server))
        #expect(empty.revision == 0 && empty.present == 0 && empty.replicas.isEmpty)
        let (one, other) = (
            try NoteServer.store(UniqueNotes.model(), nil), try NoteServer.store(UniqueNotes.model(), nil)
        )
        let ann = try SyncClient(
            container: one, transport: DirectTransport(server: service, user: SyncUser(id: "ann")))
        let bob = try SyncClient(
            container: other, transport: DirectTransport(server: service, user: SyncUser(id: "bob")))
        try UniqueNotes.insert("Milk", one)
        _ = try await ann.syncNow()
        _ = try await bob.syncNow()
        for title in ["Bread", "Salt"] {
            try UniqueNotes.insert(title, other)
            _ = try await bob.syncNow()
        }
        try UniqueNotes.rename("Milk", "Bread", one)
        _ = try await ann.syncNow()
        let state = try #require(try health(server))
        #expect(state.present == 3 && state.deleted == 0 && state.merged == 0)
        #expect(state.replicas.map(\.user) == ["ann", "bob"])
        let first = try #require(state.replicas.first)
        #expect(first.number == 2 && !first.isPartial)
        #expect(first.refusals.map(\.code) == [133_021])
        // Two insertions, and the revision that the refused record got.
        #expect(state.lag(of: first) == 3)
        let second = try #require(state.replicas.last)
        #expect(second.number == 2 && second.refusals.isEmpty)
    }

    @Test("the store of a device is not that of a server")
    func device() throws {
        #expect(try health(try NoteServer.store(UniqueNotes.model(), nil)) == nil)
    }
}
