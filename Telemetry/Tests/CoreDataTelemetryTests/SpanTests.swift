// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the spans of operations: names, attributes and parents. Telemetry-T1 to T3.

import CoreData
import Foundation
import InMemoryTracing
import ServiceContextModule
import Testing
import Tracing

@testable import CoreDataTelemetry

@Suite("Spans of stores") struct SpanTests {
    private let tracer = InMemoryTracer()
    private let notebook: Notebook
    private let container: NSPersistentContainer

    init() async throws {
        notebook = try Notebook()
        container = notebook.container()
        StoreTelemetry(tracer: tracer, metricsFactory: nil).observe(container.persistentStoreCoordinator)
        try await container.loadPersistentStores()
        tracer.clearFinishedSpans()
    }

    private func text(_ span: FinishedInMemorySpan, _ key: String) -> String? {
        switch span.attributes.get(key) {
        case .string(let text): text
        case .int64(let number): "\(number)"
        case .int32(let number): "\(number)"
        default: nil
        }
    }

    @Test("a fetch has the attributes of OpenTelemetry, and its statement is a child") func fetch() async throws {
        let context = container.newBackgroundContext()
        try await context.perform {
            Notebook.insert("secret", "other", into: context)
            try context.save()
        }
        tracer.clearFinishedSpans()
        try await context.perform {
            let request = Notebook.request
            request.predicate = NSPredicate(format: "title == 'secret'")
            _ = try context.fetch(request)
        }
        let spans = tracer.finishedSpans
        let fetch = try #require(spans.first { $0.operationName == "fetch Memo" })
        let select = try #require(spans.first { $0.operationName == "SELECT" && $0.parentSpanID == fetch.spanID })
        #expect(select.traceID == fetch.traceID && select.kind == .client)
        #expect(text(select, "db.system.name") == "sqlite" && text(fetch, "db.system.name") == "sqlite")
        #expect(text(select, "db.namespace") == "Store.sqlite" && text(fetch, "db.namespace") == nil)
        #expect(text(select, "server.address") == nil && text(select, "server.port") == nil)
        #expect(text(select, "db.operation.name") == "SELECT" && text(fetch, "db.operation.name") == "fetch")
        #expect(text(select, "db.response.returned_rows") == "1")
        #expect(text(select, "db.query.text")?.contains("ZTITLE = ?") == true)
        #expect(!spans.contains { text($0, "db.query.text")?.contains("secret") == true })
        #expect(tracer.activeSpans.isEmpty)
    }

    @Test("a save in a request continues its trace, and a later one begins another") func parents() async throws {
        let context = container.newBackgroundContext()
        let request = tracer.startSpan("GET /memos", context: .topLevel)
        try await ServiceContext.withValue(request.context) {
            try await context.perform {
                Notebook.insert("one", into: context)
                try context.save()
            }
        }
        request.end()
        let save = try #require(tracer.finishedSpans.first { $0.operationName == "save" })
        #expect(save.traceID == request.traceID && save.parentSpanID == request.spanID)
        tracer.clearFinishedSpans()
        try await context.perform {
            Notebook.insert("two", into: context)
            try context.save()
        }
        let later = try #require(tracer.finishedSpans.first { $0.operationName == "save" })
        #expect(later.traceID != request.traceID && later.parentSpanID == nil)
    }

    @Test("a refused save has the code of its error and the policy") func failure() async throws {
        let (first, second) = (container.newBackgroundContext(), container.newBackgroundContext())
        try await first.perform {
            Notebook.insert("one", into: first)
            try first.save()
        }
        try await second.perform { try second.fetch(Notebook.request).first?.setValue("two", forKey: "title") }
        try await first.perform {
            try first.fetch(Notebook.request).first?.setValue("three", forKey: "title")
            try first.save()
        }
        tracer.clearFinishedSpans()
        await #expect(throws: CocoaError.self) { try await second.perform { try second.save() } }
        let save = try #require(tracer.finishedSpans.first { $0.operationName == "save" })
        #expect(text(save, "error.type") == "133020" && text(save, "coredata.conflicts.policy") == "error")
        #expect(save.status?.code == .error && save.errors.isEmpty)
        #expect(save.status?.message.flatMap(Int.init) != nil, "only the code: the text may contain values")
    }
}
