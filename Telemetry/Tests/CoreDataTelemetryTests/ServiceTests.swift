// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States how a container runs as a service, and what its health says. Telemetry-T6, T7.

import CoreData
import Foundation
import Logging
import ServiceLifecycle
import Testing

@testable import CoreDataTelemetry

@Suite("A container as a service") struct ServiceTests {
    @Test("it opens its stores, is ready, and closes them at a graceful shutdown, after running work")
    func lifecycle() async throws {
        let notebook = try Notebook()
        let container = notebook.container()
        let service = CoreDataService(container, sampling: .milliseconds(10))
        #expect(!service.isReady)
        let group = ServiceGroup(services: [service], logger: Logger(label: "test"))
        let running = Task { try await group.run() }
        for _ in 0..<500 where !service.isReady { try await Task.sleep(for: .milliseconds(10)) }
        #expect(service.isReady)
        #expect(await container.health().isHealthy)
        let context = container.newBackgroundContext()
        let save = Task {
            try await context.perform {
                Notebook.insert("one", into: context)
                try context.save()
            }
        }
        try await save.value
        await group.triggerGracefulShutdown()
        try await running.value
        #expect(!service.isReady && container.persistentStoreCoordinator.persistentStores.isEmpty)
        #expect(await !container.health().isReady)
        await #expect(throws: CocoaError.self) {
            try await context.perform {
                Notebook.insert("two", into: context)
                try context.save()
            }
        }
    }

    @Test("a store that cannot be opened ends the service with its error") func failure() async throws {
        let notebook = try Notebook()
        try Data("no database, and long enough to be looked at".utf8)
            .write(to: notebook.folder.appending(path: "Store.sqlite"))
        let service = CoreDataService(notebook.container())
        await #expect(throws: CocoaError.self) { try await service.run() }
        #expect(!service.isReady)
    }

    @Test("a store without a free connection is not healthy, within the time that was given") func full() async throws {
        let notebook = try Notebook()
        let container = notebook.container([NSStoreConnectionLimitOption: 1, NSStoreConnectionTimeoutOption: 60])
        try await container.loadPersistentStores()
        let holder = container.newBackgroundContext()
        try await holder.perform {
            Notebook.insert("one", into: holder)
            try holder.save()
            try holder.setQueryGenerationFrom(.current)
            _ = try holder.count(for: Notebook.request)
        }
        let health = await container.health(within: .milliseconds(200))
        #expect(health.isReady && !health.isHealthy && health.duration < .seconds(5))
        #expect((health.stores.first?.error as? CocoaError)?.code == .userCancelled)
        #expect(health.stores.first?.condition?.connectionsInUse == 1)
        try await holder.perform { try holder.setQueryGenerationFrom(nil) }
        #expect(await container.health().isHealthy)
    }
}
