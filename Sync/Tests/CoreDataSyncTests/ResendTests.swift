// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Refused changes that are sent again, and commits of a device that fail.
import CoreData
import CoreDataSync
import CoreDataSyncProtocol
import Foundation
import Testing

@Suite("Resent changes") struct ResendTests {
    private func authors(_ context: NSManagedObjectContext) throws -> Int {
        try context.all("Author", by: "name").count
    }

    @Test("a refused change that is sent again is taken once its reason is gone", arguments: SyncStoreKind.allCases)
    func resent(kind: SyncStoreKind) async throws {
        let fixture = try SyncFixture(kind)
        let (one, other) = try await fixture.refusedDeletion()
        let id = try #require(try await other.client.refusedChanges().first?.id)
        try await other.client.resendRefusedChange(id)
        #expect(try await other.client.syncNow().refused == 1)
        let again = try await other.client.refusedChanges()
        #expect(again.map(\.change.kind) == [.delete])
        try one.save { context in context.delete(try context.books()[0]) }
        _ = try await one.client.syncNow()
        try await other.client.resendRefusedChange(try #require(again.first?.id))
        #expect(try await other.client.syncNow().refused == 0)
        #expect(try await other.client.refusedChanges().isEmpty)
        _ = try await one.client.syncNow()
        #expect(try one.read(authors) == 0)
        #expect(try other.read(authors) == 0)
    }

    @Test("a refused insertion comes back when the server takes it, with its whole transaction")
    func insertion() async throws {
        let fixture = try SyncFixture(.memory)
        let (one, other) = (try fixture.device(), try fixture.device())
        try one.save { $0.insert("Author", ["name": "Ada"]) }
        _ = try await one.client.syncNow()
        _ = try await other.client.syncNow()
        try one.save { context in
            context.insert("Book", ["title": "Notes"]).setValue(
                try context.all("Author", by: "name")[0], forKey: "author")
        }
        _ = try await one.client.syncNow()
        try other.save { context in
            context.delete(try context.all("Author", by: "name")[0])
            context.insert("Book", ["title": "Emma", "views": 3])
        }
        #expect(try await other.client.syncNow().refused == 2)
        #expect(try other.titles() == ["Notes"])
        try one.save { context in context.delete(try context.books()[0]) }
        _ = try await one.client.syncNow()
        let id = try #require(try await other.client.refusedChanges().first?.id)
        try await other.client.resendRefusedChange(id)
        try await other.client.resendRefusedChange(id)
        _ = try await other.client.syncNow()
        #expect(try other.titles() == ["Emma"])
        #expect(try await other.client.refusedChanges().isEmpty)
        _ = try await one.client.syncNow()
        let found = try one.read { context in try context.books().map { "\($0.value(forKey: "views") ?? "")" } }
        #expect(found == ["3"])
        #expect(try one.read(authors) == 0)
    }
}
