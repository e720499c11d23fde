// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A server and devices in one process, with recorders of their spans and metrics.
import CoreData
import CoreDataSync
import CoreDataSyncProtocol
import CoreDataSyncServer
import CoreDataSyncTelemetry
import Foundation
import InMemoryTracing
import MetricsTestKit
import ServiceContextModule
import Synchronization
import Tracing

/// Notes with unique titles, and a server of them in memory.
struct TelemetryFixture {
    let tracer = InMemoryTracer()
    let metrics = TestMetrics()
    let telemetry: SyncTelemetry
    let operations = OperationContexts()
    let server: NSPersistentContainer
    let service: SyncService

    init() throws {
        telemetry = SyncTelemetry(tracer: tracer, metricsFactory: metrics)
        server = try Self.container(try .syncServer(of: Self.model()), [operations])
        service = try SyncService(container: server, authority: OpenAuthority())
    }

    static func model() -> NSManagedObjectModel {
        func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            attribute.isOptional = true
            return attribute
        }
        let note = NSEntityDescription()
        note.name = "Note"
        note.properties = [attribute("title", .stringAttributeType), attribute("picture", .binaryDataAttributeType)]
        note.uniquenessConstraints = [["title"]]
        let model = NSManagedObjectModel()
        model.entities = [note]
        return model
    }

    static func container(
        _ model: NSManagedObjectModel, _ observers: [any StoreObserver] = []
    ) throws -> NSPersistentContainer {
        let container = NSPersistentContainer(name: "Notes", managedObjectModel: model)
        let description = NSPersistentStoreDescription()
        description.type = NSInMemoryStoreType
        description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
        container.persistentStoreDescriptions = [description]
        container.persistentStoreCoordinator.storeObservers = observers
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        if let failure { throw failure }
        return container
    }

    /// A device with an observed client and observed requests, at an observed server.
    func device() throws -> (container: NSPersistentContainer, client: SyncClient) {
        let container = try Self.container(Self.model(), [operations])
        let transport = DirectTransport(server: telemetry.observing(service), user: SyncUser(id: "ann"))
        let client = try SyncClient(container: container, transport: telemetry.observing(transport))
        telemetry.observe(client)
        return (container, client)
    }

    func insert(_ title: String, picture: Data? = nil, _ container: NSPersistentContainer) async throws {
        try await container.performBackgroundTask { context in
            let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            note.setValue(title, forKey: "title")
            note.setValue(picture, forKey: "picture")
            try context.save()
        }
    }

    func spans(_ name: String) -> [FinishedInMemorySpan] {
        tracer.finishedSpans.filter { $0.operationName == name }
    }

    func text(_ span: FinishedInMemorySpan, _ name: String) -> String? {
        switch span.attributes.get(name) {
        case .string(let text): text
        case .int64(let number): "\(number)"
        case .int32(let number): "\(number)"
        case .bool(let flag): "\(flag)"
        default: nil
        }
    }

    func number(_ span: FinishedInMemorySpan, _ name: String) -> Int? {
        text(span, "coredata.sync." + name).flatMap { Int($0) }
    }
}

/// Keeps the span that would be the parent of each operation of a store.
final class OperationContexts: StoreObserver {
    private let list = Mutex<[(kind: StoreOperation.Kind, spanID: String?)]>([])

    func contextOfCaller() -> (any Sendable)? { ServiceContext.current }

    func begin(_ operation: StoreOperation) -> StoreOperation.End? {
        guard operation.parentID == nil else { return nil }
        let context = operation.caller as? ServiceContext ?? ServiceContext.current
        list.withLock { $0.append((operation.kind, context?.inMemorySpanContext?.spanID)) }
        return nil
    }

    /// The operations since the last call.
    func take() -> [(kind: StoreOperation.Kind, spanID: String?)] {
        list.withLock { list in
            defer { list = [] }
            return list
        }
    }
}
