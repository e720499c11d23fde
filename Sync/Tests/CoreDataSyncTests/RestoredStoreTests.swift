// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Stores that were restored from a backup or copied.
import CoreData
import CoreDataSync
import CoreDataSyncProtocol
import CoreDataSyncServer
import Foundation
import Testing

/// The promise Y8 of `Sync/Documentation/Design.md`.
@Suite("Restored and cloned stores") struct RestoredStoreTests {
    /// Copies the sidecar of a store with its write-ahead log: its client has it open.
    private func copySidecar(of from: URL, to: URL) throws {
        for suffix in ["", "-wal"] {
            let source = sidecar(from).path + suffix
            guard FileManager.default.fileExists(atPath: source) else { continue }
            try FileManager.default.copyItem(atPath: source, toPath: sidecar(to).path + suffix)
        }
    }

    private func sidecar(_ url: URL) -> URL { url.deletingPathExtension().appendingPathExtension("sync.sqlite") }

    private func close(_ device: SyncDevice) throws {
        let coordinator = device.container.persistentStoreCoordinator
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    /// A device whose store and sidecar are closed, with a backup of one synced book.
    private func backedUp(_ fixture: SyncFixture) async throws -> (SyncDevice, backup: URL) {
        let device = try fixture.device()
        try device.save { $0.insert("Book", ["title": "Emma", "views": 1]) }
        _ = try await device.client.syncNow()
        let backup = fixture.folder.appendingPathComponent("Backup.sqlite")
        try device.container.persistentStoreCoordinator.persistentStores[0].backup(to: backup)
        return (device, backup)
    }

    @Test("a store that is older than its sidecar continues under a new id, and gets back what it lost")
    func restored() async throws {
        let fixture = try SyncFixture(.sqlite)
        let (device, backup) = try await backedUp(fixture)
        try device.save { context in
            context.insert("Book", ["title": "Persuasion"])
            try context.books()[0].setValue(5, forKey: "views")
        }
        _ = try await device.client.syncNow()
        try close(device)
        let url = fixture.folder.appendingPathComponent("Restored.sqlite")
        try FileManager.default.copyItem(at: backup, to: url)
        try copySidecar(of: device.url, to: url)
        let restored = try fixture.device(at: url)
        #expect(try restored.titles() == ["Emma"])
        try restored.save { $0.insert("Book", ["title": "Sanditon"]) }
        _ = try await restored.client.syncNow()
        #expect(try restored.titles() == ["Emma", "Persuasion", "Sanditon"])
        let views = try restored.read { "\(try $0.books()[0].value(forKey: "views") ?? "")" }
        #expect(views == "5")
        let other = try fixture.device()
        _ = try await other.client.syncNow()
        #expect(try other.titles() == ["Emma", "Persuasion", "Sanditon"])
    }

    @Test("an object that was deleted after the backup goes again, also from the restored store")
    func deletedAfterBackup() async throws {
        let fixture = try SyncFixture(.sqlite)
        let (device, backup) = try await backedUp(fixture)
        try device.save { try $0.delete($0.books()[0]) }
        _ = try await device.client.syncNow()
        try close(device)
        let url = fixture.folder.appendingPathComponent("Restored.sqlite")
        try FileManager.default.copyItem(at: backup, to: url)
        try copySidecar(of: device.url, to: url)
        let restored = try fixture.device(at: url)
        #expect(try restored.titles() == ["Emma"])
        _ = try await restored.client.syncNow()
        #expect(try restored.titles() == [])
    }

    @Test("objects that were captured after the backup of both stores are there once after its restoration")
    func capturedAfterBackup() async throws {
        let fixture = try SyncFixture(.sqlite)
        let device = try fixture.device()
        try device.save { $0.insert("Book", ["title": "Emma", "views": 1]) }
        let url = fixture.folder.appendingPathComponent("Restored.sqlite")
        try device.container.persistentStoreCoordinator.persistentStores[0].backup(to: url)
        try copySidecar(of: device.url, to: url)
        _ = try await device.client.syncNow()
        try device.save { try $0.books()[0].setValue("Emma II", forKey: "title") }
        _ = try await device.client.syncNow()
        try close(device)
        let restored = try fixture.device(at: url)
        try restored.save { $0.insert("Book", ["title": "Sanditon"]) }
        let report = try await restored.client.syncNow()
        #expect(report.superseded == 1)
        let books = try restored.read { context in
            try context.books().map { "\($0.value(forKey: "title") ?? "") \($0.value(forKey: "views") ?? 0)" }
        }
        #expect(books == ["Emma II 1", "Sanditon 0"])
        let other = try fixture.device()
        _ = try await other.client.syncNow()
        #expect(try other.titles() == ["Emma II", "Sanditon"])
    }

    /// The server has no sign that the device went back, as it sent no batch after the backup (seed 603363).
    ///
    /// Proves: Y4
    @Test("a restored device gets again what it had applied since the backup, also for a record that it changes")
    func appliedAfterBackup() async throws {
        let fixture = try SyncFixture(.sqlite)
        let (device, other) = (try fixture.device(), try fixture.device())
        try device.save { $0.insert("Book", ["title": "Emma", "pages": 1]) }
        _ = try await device.client.syncNow()
        _ = try await other.client.syncNow()
        let url = fixture.folder.appendingPathComponent("Restored.sqlite")
        try device.container.persistentStoreCoordinator.persistentStores[0].backup(to: url)
        try copySidecar(of: device.url, to: url)
        try other.save { try $0.books()[0].setValue(2, forKey: "pages") }
        _ = try await other.client.syncNow()
        // The second sync says that the first one is applied.
        for _ in 0..<2 { _ = try await device.client.syncNow() }
        _ = try await fixture.service.compact(inactivity: 1e9)
        try close(device)
        let restored = try fixture.device(at: url)
        try restored.save { try $0.books()[0].setValue("Emma II", forKey: "title") }
        _ = try await restored.client.syncNow()
        for one in [restored, other] {
            _ = try await one.client.syncNow()
            let books = try one.read { context in
                try context.books().map { "\($0.value(forKey: "title") ?? "") \($0.value(forKey: "pages") ?? 0)" }
            }
            #expect(books == ["Emma II 2"])
        }
    }

    @Test("a copied store and the original get different ids, and each change arrives once")
    func cloned() async throws {
        let fixture = try SyncFixture(.sqlite)
        let device = try fixture.device()
        try device.save { $0.insert("Book", ["title": "Emma", "views": 1]) }
        _ = try await device.client.syncNow()
        let url = fixture.folder.appendingPathComponent("Clone.sqlite")
        for store in device.container.persistentStoreCoordinator.persistentStores { try store.backup(to: url) }
        try copySidecar(of: device.url, to: url)
        let clone = try fixture.device(at: url)
        try device.save { try $0.books()[0].setValue(3, forKey: "views") }
        try clone.save { try $0.books()[0].setValue(11, forKey: "views") }
        _ = try await device.client.syncNow()
        let events = clone.client.events()
        _ = try await clone.client.syncNow()
        _ = try await device.client.syncNow()
        var iterator = events.makeAsyncIterator()
        #expect(await iterator.next() == .pushing(changes: 1))
        let isRenewed = if case .newIdentity? = await iterator.next() { true } else { false }
        #expect(isRenewed)
        for one in [device, clone] {
            let views = try one.read { "\(try $0.books()[0].value(forKey: "views") ?? "")" }
            #expect(views == "13")
        }
    }

    @Test("a sidecar that is older than its store is refused")
    func oldSidecar() async throws {
        let fixture = try SyncFixture(.sqlite)
        let (device, _) = try await backedUp(fixture)
        try close(device)
        let old = fixture.folder.appendingPathComponent("Old.sqlite")
        try copySidecar(of: device.url, to: old)
        let again = try fixture.device(at: device.url)
        let other = try fixture.device()
        try other.save { $0.insert("Book", ["title": "Persuasion"]) }
        _ = try await other.client.syncNow()
        _ = try await again.client.syncNow()
        try close(again)
        let mixed = fixture.folder.appendingPathComponent("Mixed.sqlite")
        try FileManager.default.copyItem(at: device.url, to: mixed)
        try copySidecar(of: old, to: mixed)
        #expect(throws: SyncFailure.unknownStore) { try fixture.device(at: mixed) }
    }
}
