// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Runs a round or a request in a span, and measures it.
import CoreDataSync
import CoreDataSyncProtocol
import Foundation
import ServiceContextModule
import Tracing

/// What is traced and measured: its name in spans and metrics.
enum SyncOperation: String {
    case round, push, pull, put, get
}

/// The end of the line at which a request is seen.
enum SyncSide: String {
    case client, server

    var spanKind: SpanKind { self == .client ? .client : .server }
}

/// A fact about a round or a request: `coredata.sync.NAME` in spans.
enum SyncFact {
    case text(String, String)
    case number(String, Int)
    case flag(String)

    func write(to attributes: inout SpanAttributes) {
        switch self {
        case .text(let name, let value): attributes["coredata.sync." + name] = value
        case .number(let name, let value): attributes["coredata.sync." + name] = value
        case .flag(let name): attributes["coredata.sync." + name] = true
        }
    }
}

struct SyncRecorder: Sendable {
    /// nil makes no spans.
    let tracer: (any Tracer)?
    /// nil measures nothing.
    let metrics: SyncMetrics?

    /// - Parameters:
    ///   - known: what is known at the beginning.
    ///   - facts: the numbers of the answer.
    ///   - body: runs with the span as that of its task.
    func run<Answer: Sendable>(
        _ operation: SyncOperation, at side: SyncSide, _ kind: SpanKind, _ known: [SyncFact],
        facts: (Answer) -> [SyncFact], _ body: () async throws -> Answer
    ) async throws -> Answer {
        let start = ContinuousClock.now
        do {
            let answer = try await inSpan("sync " + operation.rawValue, kind, known, facts, body)
            metrics?.record(operation, at: side, .now - start)
            return answer
        } catch {
            metrics?.record(operation, at: side, .now - start, failedAs: Self.type(of: error))
            throw error
        }
    }

    private func inSpan<Answer: Sendable>(
        _ name: String, _ kind: SpanKind, _ known: [SyncFact], _ facts: (Answer) -> [SyncFact],
        _ body: () async throws -> Answer
    ) async throws -> Answer {
        guard let tracer else { return try await body() }
        let span = tracer.startSpan(name, context: .current ?? .topLevel, ofKind: kind)
        defer { span.end() }
        span.updateAttributes { for fact in known { fact.write(to: &$0) } }
        do {
            let answer = try await ServiceContext.withValue(span.context) { try await body() }
            span.updateAttributes { for fact in facts(answer) { fact.write(to: &$0) } }
            return answer
        } catch {
            // Without the text of the error, which may contain values.
            let type = Self.type(of: error)
            span.updateAttributes { $0["error.type"] = type }
            span.setStatus(SpanStatus(code: .error, message: type))
            throw error
        }
    }

    /// The name of the server's code, such as `startAnew`; domain and code of other errors.
    static func type(of error: any Error) -> String {
        if let error = error as? SyncError { return "\(error.code)" }
        let error = error as NSError
        return "\(error.domain) \(error.code)"
    }

    // MARK: Rounds

    func round(_ round: () async throws -> SyncReport) async throws -> SyncReport {
        let report = try await run(.round, at: .client, .internal, [], facts: Self.facts, round)
        metrics?.count(report)
        return report
    }

    private static func facts(_ report: SyncReport) -> [SyncFact] {
        [
            .number("changes", report.sent), .number("refused", report.refused),
            .number("superseded", report.superseded), .number("merged", report.merged),
            .number("inserted", report.inserted), .number("updated", report.updated),
            .number("deleted", report.deleted),
        ]
    }
}
