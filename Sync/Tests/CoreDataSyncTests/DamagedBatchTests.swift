// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A waiting batch that cannot be read: an error, and its changes are captured again.
import CoreData
import CoreDataSync
import CoreDataSyncProtocol
import Foundation
import Testing

/// D1 to D4 of `Sync/Documentation/Design.md`.
@Suite("Damaged batches") struct DamagedBatchTests {
    private struct Offline: SyncTransport {
        func push(_ request: SyncPush) async throws -> SyncPushAnswer { throw URLError(.notConnectedToInternet) }
        func pull(_ request: SyncPull) async throws -> SyncPage { throw URLError(.notConnectedToInternet) }
        func put(_ part: SyncPart) async throws -> SyncPartAnswer { throw URLError(.notConnectedToInternet) }
        func get(_ request: SyncPartRequest) async throws -> Data { throw URLError(.notConnectedToInternet) }
    }

    /// Captures the app's last save, as a separate batch.
    private func capture(_ device: SyncDevice) async throws {
        let client = try SyncClient(container: device.container, transport: Offline())
        await #expect(throws: URLError.self) { try await client.syncNow() }
    }

    private func sidecar(_ device: SyncDevice) throws -> NSManagedObjectContext {
        try SyncEngine.sidecar(at: device.url.deletingPathExtension().appendingPathExtension("sync.sqlite"))
            .newBackgroundContext()
    }

    /// Changes a byte of one of the batches.
    private func damage(_ device: SyncDevice, batch index: Int, byte: Int = 0) throws {
        let context = try sidecar(device)
        try context.performAndWait {
            let row = try context.all("SyncBatch", by: "number")[index]
            var bytes = try #require(row.value(forKey: "push") as? Data)
            bytes[bytes.startIndex + byte] ^= 0xFF
            row.setValue(bytes, forKey: "push")
            try context.save()
        }
    }

    private func prices(_ device: SyncDevice) throws -> [String] {
        try device.read { context in
            try context.books().map { "\($0.value(forKey: "title") ?? "") \($0.value(forKey: "pages") ?? 0)" }
        }
    }

    @Test("changes of a damaged batch, and of those after it, arrive with the next sync", arguments: [0, 1])
    func mended(index: Int) async throws {
        let fixture = try SyncFixture(.sqlite)
        let (one, two) = (try fixture.device(), try fixture.device())
        try one.save { context in
            for title in ["A", "B", "C"] { context.insert("Book", ["title": title, "pages": 1]) }
        }
        _ = try await one.client.syncNow()
        try one.save { try $0.books()[0].setValue(2, forKey: "pages") }
        try await capture(one)
        try one.save { context in
            try context.books()[1].setValue(3, forKey: "pages")
            context.insert("Book", ["title": "D", "pages": 4])
        }
        try await capture(one)
        try one.save { context in context.delete(try context.books()[2]) }
        try await capture(one)
        try damage(one, batch: index)
        let client = try SyncClient(
            container: one.container, transport: DirectTransport(server: fixture.service, user: SyncUser(id: "ada")))
        let failure = await #expect(throws: SyncFailure.self) { try await client.syncNow() }
        #expect(failure == .damagedBatch(number: Int64(2 + index)))
        _ = try await client.syncNow()
        _ = try await two.client.syncNow()
        #expect(try prices(one) == ["A 2", "B 3", "D 4"])
        #expect(try prices(two) == ["A 2", "B 3", "D 4"])
    }

    @Test("a newer change of another device stays, although the older one is captured again after it")
    func oldStamps() async throws {
        let fixture = try SyncFixture(.sqlite)
        let (one, two) = (try fixture.device(), try fixture.device())
        try one.save { $0.insert("Book", ["title": "A", "pages": 1]) }
        _ = try await one.client.syncNow()
        _ = try await two.client.syncNow()
        try one.save { try $0.books()[0].setValue(2, forKey: "pages") }
        try await capture(one)
        try await Task.sleep(for: .milliseconds(5))
        try two.save { try $0.books()[0].setValue(3, forKey: "pages") }
        _ = try await two.client.syncNow()
        try damage(one, batch: 0)
        await #expect(throws: SyncFailure.self) { try await one.client.syncNow() }
        _ = try await one.client.syncNow()
        _ = try await two.client.syncNow()
        #expect(try prices(one) == ["A 3"])
        #expect(try prices(two) == ["A 3"])
    }

    @Test("without the history all objects are sent as of the time of the batch")
    func purgedHistory() async throws {
        let fixture = try SyncFixture(.sqlite)
        let (one, two) = (try fixture.device(), try fixture.device())
        try one.save { context in
            for title in ["A", "B"] { context.insert("Book", ["title": title, "pages": 1]) }
        }
        _ = try await one.client.syncNow()
        _ = try await two.client.syncNow()
        try one.save { try $0.books()[0].setValue(2, forKey: "pages") }
        try await capture(one)
        try await Task.sleep(for: .milliseconds(5))
        try two.save { try $0.books()[1].setValue(3, forKey: "pages") }
        _ = try await two.client.syncNow()
        let context = one.container.newBackgroundContext()
        try context.performAndWait {
            _ = try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture))
        }
        try damage(one, batch: 0)
        await #expect(throws: SyncFailure.self) { try await one.client.syncNow() }
        _ = try await one.client.syncNow()
        _ = try await two.client.syncNow()
        #expect(try prices(one) == ["A 2", "B 3"])
        #expect(try prices(two) == ["A 2", "B 3"])
    }

    @Test("a batch whose large value is damaged in the sidecar is captured again")
    func damagedPart() async throws {
        let fixture = try SyncFixture(.sqlite)
        let one = try fixture.device()
        let data = Data(repeating: 7, count: 300_000)
        try one.save { $0.insert("Book", ["title": "A", "cover": data]) }
        try await capture(one)
        let context = try sidecar(one)
        try context.performAndWait {
            let part = try context.all("SyncContentPart", by: "number")[0]
            part.setValue(Data(repeating: 8, count: 300_000), forKey: "bytes")
            try context.save()
        }
        let failure = await #expect(throws: SyncFailure.self) { try await one.client.syncNow() }
        #expect(failure == .damagedBatch(number: 1))
        _ = try await one.client.syncNow()
        let server = fixture.server.newBackgroundContext()
        #expect(try server.performAndWait { try server.books()[0].value(forKey: "cover") as? Data } == data)
    }
}
