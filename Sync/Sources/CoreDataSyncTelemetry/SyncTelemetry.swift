// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes spans and metrics of the rounds of clients, and of the requests to servers (Documentation/Traces.md).
public import CoreDataSync
public import CoreDataSyncProtocol
public import CoreDataSyncServer
public import Metrics
import ServiceContextModule
public import Tracing

/// Traces and measures clients and servers of sync.
///
/// ```swift
/// let telemetry = SyncTelemetry()
/// let transport = telemetry.observing(HTTPTransport(server: address) { token })
/// let client = try SyncClient(container: container, transport: transport)
/// telemetry.observe(client)
/// client.start()
/// ```
/// ```swift
/// SyncRoutes(service: telemetry.observing(service), authentication: tokens).add(to: router)
/// ```
///
/// It uses the tracer and the metrics that the program has bootstrapped, unless others are given. Operations of stores
/// within a round or a request belong to its span, if the package `Telemetry` observes the container.
///
/// - Important: thread-safe. No value of a record, no token and no user is part of a span or a metric.
public final class SyncTelemetry: Sendable {
    private let recorder: SyncRecorder

    /// - Parameters:
    ///   - tracer: nil makes no spans. A tracer that does nothing counts as nil.
    ///   - metricsFactory: nil measures nothing.
    public init(
        tracer: (any Tracer)? = InstrumentationSystem.tracer,
        metricsFactory: (any MetricsFactory)? = MetricsSystem.factory
    ) {
        recorder = SyncRecorder(
            tracer: tracer is NoOpTracer ? nil : tracer, metrics: metricsFactory.map { SyncMetrics($0) })
    }

    // MARK: Clients

    /// Observes the rounds of a client from now on, in place of another function of `SyncClient.runRounds(_:)`.
    public func observe(_ client: SyncClient) {
        client.runRounds { [recorder] round in try await recorder.round(round) }
    }

    /// A transport that sends the requests of another one, each in a span.
    public func observing(_ transport: any SyncTransport) -> any SyncTransport {
        ObservedTransport(transport: transport, recorder: recorder)
    }

    /// The headers that carry the trace of the present task to a server, in the form of the tracer.
    ///
    /// ```swift
    /// var settings = HTTPTransport.Settings()
    /// settings.headers = { telemetry.headers() }
    /// let transport = telemetry.observing(HTTPTransport(server: address, settings: settings) { token })
    /// ```
    /// A server continues the trace with a middleware that reads them, such as Hummingbird's `TracingMiddleware`.
    public func headers() -> [String: String] {
        var headers: [String: String] = [:]
        if let context = ServiceContext.current {
            recorder.tracer?.inject(context, into: &headers, using: HeaderInjector())
        }
        return headers
    }

    // MARK: Servers

    /// A server that answers as another one does, each request in a span.
    public func observing(_ service: any SyncServing) -> any SyncServing {
        ObservedService(service: service, recorder: recorder)
    }

    /// Records the state of a server's store: its revision, its names, its replicas and how far behind they are.
    ///
    /// ```swift
    /// let health = try await container.performBackgroundTask { try SyncHealth(reading: $0) }
    /// if let health { telemetry.sample(health) }
    /// ```
    public func sample(_ health: SyncHealth) { recorder.metrics?.record(health) }
}

private struct HeaderInjector: Injector {
    func inject(_ value: String, forKey key: String, into headers: inout [String: String]) { headers[key] = value }
}
