// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Clients that know the address of a server, for containers of Core Data and of SwiftData.
import CoreData
import CoreDataSync
import CoreDataSyncProtocol
import CoreDataSyncServer
import Foundation
import SwiftData
import SwiftDataSync
import Testing

@Suite("Clients with an address") struct AddressTests {
    private func client(
        _ container: NSPersistentContainer, _ server: NoteServer, shapes: [String] = []
    ) throws -> SyncClient {
        try SyncClient(
            container: container, server: server.url, shapes: shapes, credentials: .token(NoteServer.token))
    }

    private func titles(_ container: NSPersistentContainer) throws -> [String] {
        let context = container.newBackgroundContext()
        return try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
            request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
            return try context.fetch(request).map { $0.value(forKey: "title") as? String ?? "" }
        }
    }

    private func add(_ title: String, _ container: NSPersistentContainer) throws {
        let context = container.newBackgroundContext()
        try context.performAndWait {
            let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            note.setValue(title, forKey: "title")
            try context.save()
        }
    }

    @Test("two containers with the address of a server get each other's objects")
    func containers() async throws {
        try await NoteServer.run { server in
            let (one, other) = (try server.plainDevice("One"), try server.plainDevice("Other"))
            let (first, second) = (try client(one, server), try client(other, server))
            try add("Milk", one)
            try add("Bread", other)
            _ = try await first.syncNow()
            _ = try await second.syncNow()
            _ = try await first.syncNow()
            #expect(try titles(one) == ["Bread", "Milk"])
            #expect(try titles(other) == ["Bread", "Milk"])
        }
    }

    @Test("models of SwiftData reach another device with SwiftData, and one with Core Data")
    func models() async throws {
        try await NoteServer.run { server in
            let one = try server.modelDevice("One")
            let other = try ModelContainer(
                for: Note.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
            let plain = try server.plainDevice("Plain")
            let credentials = SyncCredentials { NoteServer.token }
            let first = try SyncClient(container: one, server: server.url, credentials: credentials)
            let second = try SyncClient(container: other, server: server.url, credentials: credentials)
            let context = ModelContext(one)
            let note = Note(title: "Milk")
            context.insert(note)
            note.lines = [Line(text: "2 l"), Line(text: "fresh")]
            try context.save()
            #expect(try await first.status(of: note.persistentModelID) == .waiting)
            #expect(try await first.syncNow().sent == 3)
            #expect(try await first.status(of: note.persistentModelID) == .synced)
            _ = try await second.syncNow()
            let found = try ModelContext(other).fetch(FetchDescriptor<Note>())
            #expect(found.map(\.title) == ["Milk"])
            #expect(found.flatMap { $0.lines.map(\.text) }.sorted() == ["2 l", "fresh"])
            let third = try client(plain, server)
            _ = try await third.syncNow()
            #expect(try titles(plain) == ["Milk"])
            try add("Bread", plain)
            _ = try await third.syncNow()
            #expect(try await first.syncNow().inserted == 1)
            let titles = try ModelContext(one).fetch(FetchDescriptor<Note>(sortBy: [SortDescriptor(\.title)]))
            #expect(titles.map(\.title) == ["Bread", "Milk"])
        }
    }

    @Test("a client of a store in memory leaves no file, also for SwiftData")
    func memory() throws {
        let container = try ModelContainer(
            for: Note.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let url = try #require(URL(string: "http://127.0.0.1:9"))
        _ = try SyncClient(container: container, server: url, credentials: .token("t"))
        #expect(!FileManager.default.fileExists(atPath: "/dev/null.sync.sqlite"))
        #expect(!FileManager.default.fileExists(atPath: "/dev/null.sqlite"))
    }

    @Test(
        "an address that is not one of HTTP is refused", arguments: ["ftp://example.com", "example.com", "https:///a"])
    func addresses(text: String) throws {
        let container = try NoteServer.store(NoteServer.plainModel(), nil)
        let url = try #require(URL(string: text))
        let error = #expect(throws: SyncFailure.self) {
            _ = try SyncClient(container: container, server: url, credentials: .token("t"))
        }
        guard case .unsuitableServer(let reason) = error else {
            Issue.record("The error is \(String(describing: error)).")
            return
        }
        #expect(reason.contains(text))
    }

    @Test("a wrong token is the server's error, and the changes wait")
    func wrongToken() async throws {
        try await NoteServer.run { server in
            let device = try server.plainDevice("One")
            try add("Milk", device)
            let stranger = try SyncClient(
                container: device, server: server.url, credentials: .token("a-token-of-eve-0009"))
            let error = await #expect(throws: SyncError.self) { _ = try await stranger.syncNow() }
            #expect(error?.code == .unauthenticated)
            #expect(try await client(device, server).syncNow().sent == 1)
        }
    }

    @Test("each pull names the shapes of the client")
    func shapes() async throws {
        try await NoteServer.run { server in
            let device = try server.plainDevice("One")
            _ = try await client(device, server, shapes: ["mine", "team"]).syncNow()
            #expect(server.pulls.shapes == [["mine", "team"]])
        }
    }

    @Test("a running client brings the change of another device without a call")
    func following() async throws {
        try await NoteServer.run { server in
            let (one, other) = (try server.plainDevice("One"), try server.plainDevice("Other"))
            let (first, second) = (try client(one, server), try client(other, server))
            let events = first.events()
            first.start()
            var iterator = events.makeAsyncIterator()
            while let event = await iterator.next() { if case .finished = event { break } }
            try add("Milk", other)
            _ = try await second.syncNow()
            while let event = await iterator.next() { if case .pulled = event { break } }
            first.stop()
            #expect(try titles(one) == ["Milk"])
        }
    }
}
