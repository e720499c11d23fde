// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// `coredata-sync` in a process, next to the store of a device that has synced.
import CoreData
import CoreDataSync
import CoreDataSyncProtocol
import CoreDataSyncServer
import Foundation
import Testing

@Suite("coredata-sync") struct ToolTests {
    /// Two devices of one server. The model has unique titles.
    private final class Fixture {
        let folder: URL
        let service: SyncService
        let one: NSPersistentContainer
        let other: NSPersistentContainer
        let client: SyncClient
        let otherClient: SyncClient

        init() throws {
            folder = FileManager.default.temporaryDirectory.appendingPathComponent("sync-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            service = try SyncService(
                container: try NoteServer.store(try .syncServer(of: UniqueNotes.model()), nil),
                authority: OpenAuthority())
            one = try NoteServer.store(UniqueNotes.model(), folder.appendingPathComponent("One.sqlite"))
            other = try NoteServer.store(UniqueNotes.model(), folder.appendingPathComponent("Other.sqlite"))
            let transport = DirectTransport(server: service, user: SyncUser(id: "ann"))
            client = try SyncClient(container: one, transport: transport)
            otherClient = try SyncClient(container: other, transport: transport)
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        var store: URL { folder.appendingPathComponent("One.sqlite") }

        /// One refused change of the first device: both devices give their notes the same title.
        func refuse() async throws {
            try UniqueNotes.insert("Milk", one)
            _ = try await client.syncNow()
            _ = try await otherClient.syncNow()
            try UniqueNotes.insert("Bread", other)
            _ = try await otherClient.syncNow()
            try UniqueNotes.rename("Milk", "Bread", one)
            #expect(try await client.syncNow().refused == 1)
        }
    }

    private struct Outcome {
        var status: Int32
        var output: String
        var errors: String
        var json: [String: Any] {
            (try? JSONSerialization.jsonObject(with: Data(output.utf8))) as? [String: Any] ?? [:]
        }
    }

    private static func run(_ arguments: [String]) throws -> Outcome {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: own).deletingLastPathComponent()
            .appendingPathComponent("coredata-sync")
        process.arguments = arguments
        let (output, errors) = (Pipe(), Pipe())
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        let problem = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Outcome(
            status: process.terminationStatus, output: String(decoding: text, as: UTF8.self),
            errors: String(decoding: problem, as: UTF8.self))
    }

    @Test("status names the replica, the refused change with its code and key, and no value")
    func refused() async throws {
        let fixture = try Fixture()
        try await fixture.refuse()
        let outcome = try Self.run(["status", fixture.store.path])
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("refused   1 change\n"))
        #expect(outcome.output.contains("NSCocoaErrorDomain 133021"))
        #expect(outcome.output.contains("waiting   0 changes in 0 batches"))
        #expect(!outcome.output.contains("never"))
        let json = try Self.run(["status", fixture.store.path, "--format", "json"]).json
        let refused = try #require((json["refused"] as? [[String: Any]])?.first)
        #expect(refused["entity"] as? String == "Note")
        #expect(refused["kind"] as? String == "update")
        let reason = try #require((refused["reasons"] as? [[String: Any]])?.first)
        #expect(reason["code"] as? Int == 133_021)
        #expect(refused["change"] == nil && refused["fields"] == nil)
        #expect(json["objects"] as? Int == 2)
        #expect(UUID(uuidString: json["replica"] as? String ?? "") != nil)
    }

    @Test("log lists the rounds, and counts equal failures in one line")
    func log() async throws {
        let fixture = try Fixture()
        try await fixture.refuse()
        let address = try #require(URL(string: "http://127.0.0.1:1"))
        let alone = try SyncClient(container: fixture.one, server: address, credentials: .token("t"))
        for _ in 0..<3 { _ = try? await alone.syncNow() }
        let outcome = try Self.run(["log", fixture.store.path])
        #expect(outcome.status == 0)
        let lines = outcome.output.split(separator: "\n").map(String.init)
        #expect(lines.count == 4)
        let last = try #require(lines.last).split(separator: " ").map(String.init)
        #expect(last[1] == "3")
        #expect(last.contains("CoreDataSyncHTTP"))
        #expect(try Self.run(["log", fixture.store.path, "--last", "1"]).output.split(separator: "\n").count == 2)
        let status = try Self.run(["status", fixture.store.path])
        #expect(status.output.contains("3 times: CoreDataSyncHTTP 1, There is no connection"))
    }

    @Test("the log keeps the last 200 rounds")
    func longLog() async throws {
        let fixture = try Fixture()
        for number in 0..<205 {
            try UniqueNotes.insert("\(number)", fixture.one)
            _ = try await fixture.client.syncNow()
        }
        let outcome = try Self.run(["log", fixture.store.path, "--last", "1000"])
        #expect(outcome.output.split(separator: "\n").count == 201)
    }

    @Test("a change that waits is listed, and is sent once after a reset")
    func reset() async throws {
        let fixture = try Fixture()
        try UniqueNotes.insert("Milk", fixture.one)
        _ = try await fixture.client.syncNow()
        try UniqueNotes.insert("Bread", fixture.one)
        let address = try #require(URL(string: "http://127.0.0.1:1"))
        do {
            let alone = try SyncClient(container: fixture.one, server: address, credentials: .token("t"))
            _ = try? await alone.syncNow()
        }
        let before = try Self.run(["status", fixture.store.path, "--format", "json"]).json
        #expect((before["waiting"] as? [[String: Any]])?.first?["changes"] as? Int == 1)
        let question = try Self.run(["reset", fixture.store.path])
        #expect(question.status == 2 && question.errors.contains("--yes"))
        let outcome = try Self.run(["reset", fixture.store.path, "--yes"])
        #expect(outcome.status == 0)
        let after = try Self.run(["status", fixture.store.path, "--format", "json"]).json
        #expect(after["replica"] as? String != before["replica"] as? String)
        #expect(outcome.output.contains(after["replica"] as? String ?? "?"))
        #expect(after["revision"] as? Int == 0)
        let transport = DirectTransport(server: fixture.service, user: SyncUser(id: "ann"))
        let report = try await SyncClient(container: fixture.one, transport: transport).syncNow()
        #expect(report.sent == 1 && report.inserted == 0 && report.deleted == 0)
        #expect(try await fixture.otherClient.syncNow().inserted == 2)
    }

    @Test("a refused change that is marked is sent by the next sync, and one that is refused again has no mark")
    func resend() async throws {
        let fixture = try Fixture()
        try await fixture.refuse()
        let marked = try Self.run(["resend", fixture.store.path])
        #expect(marked.status == 0)
        #expect(marked.output == "The next sync sends 1 refused change again.\n")
        let status = try Self.run(["status", fixture.store.path])
        #expect(status.output.contains("refused   1 change, 1 of them sent again by the next sync"))
        #expect(try await fixture.client.syncNow().refused == 1)
        let json = try Self.run(["status", fixture.store.path, "--format", "json"]).json
        #expect(json["resending"] as? Int == 0)
        #expect(try await fixture.client.syncNow().sent == 0)
        // The other device gives the title free.
        try UniqueNotes.rename("Bread", "Rolls", fixture.other)
        _ = try await fixture.otherClient.syncNow()
        let id = try #require((json["refused"] as? [[String: Any]])?.first?["id"] as? String)
        #expect(try Self.run(["resend", fixture.store.path, "--change", id]).status == 0)
        let report = try await fixture.client.syncNow()
        #expect(report.sent == 1 && report.refused == 0)
        #expect(try Self.run(["status", fixture.store.path]).output.contains("refused   0 changes\n"))
        #expect(try await fixture.client.refusedChanges().isEmpty)
    }

    @Test("an id that no refused change has is an error, and marks none")
    func resendUnknown() async throws {
        let fixture = try Fixture()
        try await fixture.refuse()
        let unknown = UUID().uuidString
        let outcome = try Self.run(["resend", fixture.store.path, "--change", unknown])
        #expect(outcome.status == 2 && outcome.errors.contains(unknown))
        #expect(try Self.run(["resend", fixture.store.path, "--change", "x"]).status != 0)
        #expect(try await fixture.client.syncNow().sent == 0)
    }

    @Test("a store that no client has synced, and a missing one, are errors with the file", arguments: [true, false])
    func missing(isThere: Bool) throws {
        let fixture = try Fixture()
        let store = fixture.folder.appendingPathComponent("Plain.sqlite")
        if isThere { _ = try NoteServer.store(UniqueNotes.model(), store) }
        let outcome = try Self.run(["status", store.path])
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains(isThere ? "No client has synced Plain.sqlite" : "There is no store at"))
        #expect(
            !FileManager.default.fileExists(atPath: fixture.folder.appendingPathComponent("Plain.sync.sqlite").path))
    }

    @Test("status changes no byte of the folder")
    func readOnly() async throws {
        let fixture = try Fixture()
        try await fixture.refuse()
        func names() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path).sorted()
        }
        let sidecar = fixture.folder.appendingPathComponent("One.sync.sqlite")
        let before = (try names(), try Data(contentsOf: sidecar))
        #expect(try Self.run(["status", fixture.store.path]).status == 0)
        #expect(try names() == before.0)
        #expect(try Data(contentsOf: sidecar) == before.1)
    }
}
