// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes spans, metrics and a log of slow statements of the operations of stores.

public import CoreData
public import Logging
public import Metrics
import ServiceContextModule
public import Tracing

/// Traces and measures the stores of a container.
///
/// ```swift
/// let container = NSPersistentContainer(name: "Notebook", managedObjectModel: model)
/// let telemetry = StoreTelemetry(slowStatements: .milliseconds(200))
/// telemetry.observe(container.persistentStoreCoordinator)
/// try await container.loadPersistentStores()
/// ```
///
/// It uses the tracer and the metrics that the program has bootstrapped, unless others are given. Spans and metrics of
/// statements follow OpenTelemetry's conventions for databases; `Documentation/Internals/Telemetry.md` lists all names.
/// Spans continue the trace of the task that awaits `perform`, or of the thread that calls.
///
/// - Important: thread-safe. Texts of statements contain placeholders; no value of the database is part of a span, a
///   metric or the log.
public final class StoreTelemetry: StoreObserver {
    private let tracing: SpanMaker?
    private let metrics: StoreMetrics?
    private let slowStatements: SlowStatementLog?

    /// Creates telemetry for one coordinator or several.
    ///
    /// - Parameters:
    ///   - tracer: nil makes no spans. A tracer that does nothing counts as nil.
    ///   - metricsFactory: nil measures nothing.
    ///   - threshold: statements that take as long are logged, with their query plan; nil logs none.
    ///   - logger: receives slow statements, at the level of warnings.
    public init(
        tracer: (any Tracer)? = InstrumentationSystem.tracer,
        metricsFactory: (any MetricsFactory)? = MetricsSystem.factory, slowStatements threshold: Duration? = nil,
        logger: Logger = Logger(label: "CoreData.slow")
    ) {
        tracing = tracer.flatMap { $0 is NoOpTracer ? nil : SpanMaker($0) }
        metrics = metricsFactory.map { StoreMetrics($0) }
        slowStatements = threshold.map { SlowStatementLog($0, logger) }
    }

    /// Observes a coordinator. Call it before stores are added; afterwards it traps.
    public func observe(_ coordinator: NSPersistentStoreCoordinator) {
        coordinator.storeObservers.append(self)
        slowStatements?.add(coordinator)
    }

    /// Records the present condition of the coordinator's stores: connections, waiting calls, the length of the log and
    /// the age of the oldest reader. `CoreDataService` calls it regularly.
    public func sample(_ coordinator: NSPersistentStoreCoordinator) {
        guard let metrics else { return }
        for store in coordinator.persistentStores {
            if let condition = store.condition { metrics.record(condition, of: store) }
        }
    }

    // MARK: Observing

    /// The context of the present task, for spans.
    public func contextOfCaller() -> (any Sendable)? { tracing == nil ? nil : ServiceContext.current }

    /// Begins a span, and measures the operation at its end.
    public func begin(_ operation: StoreOperation) -> StoreOperation.End? {
        // The question for a plan is no operation of the program.
        if operation.statement?.hasPrefix("EXPLAIN") == true { return nil }
        guard let tracing else { return { [self] in measure($0, operation) } }
        let endSpan = tracing.begin(operation)
        return { [self] report in
            endSpan(report)
            measure(report, operation)
        }
    }

    private func measure(_ report: StoreOperationReport, _ operation: StoreOperation) {
        metrics?.record(report, of: operation)
        slowStatements?.note(report, of: operation)
    }
}
