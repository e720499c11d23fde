// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A server of notes on loopback, with the real service, for clients that get its address.
import CoreData
import CoreDataSyncHTTP
import CoreDataSyncProtocol
import CoreDataSyncServer
import Foundation
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import SwiftData
import Synchronization

/// The class of the app with SwiftData, and its entity for the others.
@Model final class Note {
    var title: String = ""
    var views: Int = 0
    @Relationship(deleteRule: .cascade, inverse: \Line.note) var lines: [Line] = []

    init(title: String) { self.title = title }
}

@Model final class Line {
    var text: String = ""
    var note: Note?

    init(text: String) { self.text = text }
}

/// A running server.
struct NoteServer {
    static let token = "a-token-of-ann-0001"

    let url: URL
    let service: SyncService
    let container: NSPersistentContainer
    let folder: URL
    let pulls: PullNotes

    /// Runs a server over a store in memory while the body does.
    static func run(_ body: (NoteServer) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sync-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let container = try store(try .syncServer(of: plainModel()), nil)
        let service = try SyncService(container: container, authority: OpenAuthority())
        let pulls = PullNotes(service)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let router = Router()
        SyncRoutes(service: pulls, authentication: try TokenTable(text: token + " ann\n")).add(to: router)
        let (ports, announcement) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { announcement.yield($0.localAddress?.port ?? 0) }, logger: logger)
        let group = ServiceGroup(configuration: .init(services: [application], logger: logger))
        let running = Task { try await group.run() }
        var iterator = ports.makeAsyncIterator()
        let port = await iterator.next() ?? 0
        var failure: (any Error)?
        do {
            let url = URL(string: "http://127.0.0.1:\(port)") ?? folder
            try await body(
                NoteServer(url: url, service: service, container: container, folder: folder, pulls: pulls))
        } catch { failure = error }
        await group.triggerGracefulShutdown()
        try await running.value
        if let failure { throw failure }
    }

    /// The model of the classes, without them.
    static func plainModel() -> NSManagedObjectModel {
        let model = NSManagedObjectModel.makeManagedObjectModel(for: Schema([Note.self, Line.self]))
        let copy = model?.copy() as? NSManagedObjectModel ?? NSManagedObjectModel()
        for entity in copy.entities { entity.managedObjectClassName = NSStringFromClass(NSManagedObject.self) }
        return copy
    }

    /// - Parameter url: nil for a store in memory.
    static func store(_ model: NSManagedObjectModel, _ url: URL?) throws -> NSPersistentContainer {
        let container = NSPersistentContainer(name: "Notes", managedObjectModel: model)
        let description = url.map { NSPersistentStoreDescription(url: $0) } ?? NSPersistentStoreDescription()
        if url == nil { description.type = NSInMemoryStoreType }
        description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        if let failure { throw failure }
        return container
    }

    /// A device with Core Data.
    func plainDevice(_ name: String) throws -> NSPersistentContainer {
        try Self.store(Self.plainModel(), folder.appendingPathComponent(name + ".sqlite"))
    }

    /// A device with SwiftData.
    func modelDevice(_ name: String) throws -> ModelContainer {
        try ModelContainer(
            for: Note.self, configurations: ModelConfiguration(url: folder.appendingPathComponent(name + ".store")))
    }
}

/// The service, which remembers the shapes of pulls.
final class PullNotes: SyncServing {
    private let service: SyncService
    private let names = Mutex<[[String]]>([])

    init(_ service: SyncService) { self.service = service }

    var shapes: [[String]] { names.withLock { $0 } }

    func push(_ request: SyncPush, user: SyncUser) async throws -> SyncPushAnswer {
        try await service.push(request, user: user)
    }

    func pull(_ request: SyncPull, user: SyncUser) async throws -> SyncPage {
        names.withLock { $0.append(request.shapes) }
        var request = request
        request.shapes = []
        return try await service.pull(request, user: user)
    }

    func put(_ part: SyncPart, user: SyncUser) async throws -> SyncPartAnswer {
        try await service.put(part, user: user)
    }

    func get(_ request: SyncPartRequest, user: SyncUser) async throws -> Data {
        try await service.get(request, user: user)
    }

    func news(user: SyncUser) -> AsyncStream<SyncNews> { service.news(user: user) }
}
