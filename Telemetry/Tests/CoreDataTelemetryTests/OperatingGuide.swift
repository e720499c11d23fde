// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The code of the guide to operating a server, and of the comments of this package.

import CoreData
import CoreDataTelemetry
import Foundation
import Logging
import ServiceLifecycle
import Testing
import UnixSignals

// snippet: telemetry
/// The service group of a server: the database first, so that it closes last.
func makeGroup(_ container: NSPersistentContainer, _ server: any Service, _ logger: Logger) -> ServiceGroup {
    let telemetry = StoreTelemetry(slowStatements: .milliseconds(200))
    let database = CoreDataService(container, telemetry: telemetry)
    return ServiceGroup(services: [database, server], gracefulShutdownSignals: [.sigterm], logger: logger)
}
// end

// snippet: health
/// The status of a health probe.
func status(_ container: NSPersistentContainer) async -> Int {
    let health = await container.health(within: .seconds(1))
    return health.isHealthy ? 200 : 503
}
// end

@Suite("Guide: operating, with telemetry") struct OperatingGuide {
    private struct Idle: Service {
        func run() async throws { try await gracefulShutdown() }
    }

    @Test("a group opens and closes the container, and a probe sees both") func group() async throws {
        let notebook = try Notebook()
        let container = notebook.container()
        #expect(await status(container) == 503)
        let group = makeGroup(container, Idle(), Logger(label: "guide"))
        let running = Task { try await group.run() }
        var code = 503
        for _ in 0..<500 where code != 200 {
            try await Task.sleep(for: .milliseconds(10))
            code = await status(container)
        }
        #expect(code == 200)
        await group.triggerGracefulShutdown()
        try await running.value
        #expect(await status(container) == 503)
    }
}
