// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes a span of each operation, by OpenTelemetry's conventions for databases.

import CoreData
import Foundation
import ServiceContextModule
import Synchronization
import Tracing

/// Telemetry-T1 to T3.
final class SpanMaker: Sendable {
    private let tracer: any Tracer
    /// The contexts of the running operations that can contain others.
    private let running = Mutex<[UInt64: ServiceContext]>([:])

    init(_ tracer: any Tracer) { self.tracer = tracer }

    func begin(_ operation: StoreOperation) -> StoreOperation.End {
        let span = tracer.startSpan(Self.name(operation), context: parent(of: operation), ofKind: .client)
        span.updateAttributes { Self.describe(operation, &$0) }
        let contains = operation.kind != .statement
        if contains { running.withLock { $0[operation.id] = span.context } }
        return { [self] report in
            if contains { running.withLock { $0[operation.id] = nil } }
            span.updateAttributes { Self.describe(report, of: operation, &$0) }
            // The text of an error may contain values, such as those of two rows that must differ.
            if let error = report.error {
                span.setStatus(SpanStatus(code: .error, message: StatementText.type(of: error)))
            }
            span.end()
        }
    }

    /// The operation around it; otherwise the task that awaits the block; otherwise the present task.
    private func parent(of operation: StoreOperation) -> ServiceContext {
        if let id = operation.parentID, let context = running.withLock({ $0[id] }) { return context }
        return operation.caller as? ServiceContext ?? .current ?? .topLevel
    }

    /// `SELECT`, or `fetch Memo`.
    private static func name(_ operation: StoreOperation) -> String {
        if let statement = operation.statement { return StatementText.operation(statement) }
        return operation.entityName.map { "\(operation.kind.rawValue) \($0)" } ?? operation.kind.rawValue
    }

    private static func describe(_ operation: StoreOperation, _ attributes: inout SpanAttributes) {
        if let system = operation.systemName { attributes["db.system.name"] = system }
        if let database = operation.databaseName { attributes["db.namespace"] = database }
        if let address = operation.serverAddress { attributes["server.address"] = address }
        if let port = operation.serverPort { attributes["server.port"] = port }
        if let statement = operation.statement {
            attributes["db.operation.name"] = StatementText.operation(statement)
            attributes["db.query.text"] = statement
            return
        }
        attributes["db.operation.name"] = operation.kind.rawValue
        if let entity = operation.entityName { attributes["coredata.entity"] = entity }
        if let context = operation.contextName { attributes["coredata.context"] = context }
        if operation.kind == .faults { attributes["coredata.faults"] = operation.objectCount }
    }

    private static func describe(
        _ report: StoreOperationReport, of operation: StoreOperation, _ attributes: inout SpanAttributes
    ) {
        attributes["db.response.returned_rows"] = report.rows
        if report.cacheHits > 0 { attributes["coredata.cache.hits"] = report.cacheHits }
        if report.lockWait > .zero { attributes["coredata.wait.lock"] = report.lockWait / .seconds(1) }
        if report.connectionWait > .zero {
            attributes["coredata.wait.connection"] = report.connectionWait / .seconds(1)
        }
        if report.retries > 0 { attributes["coredata.retries"] = report.retries }
        if report.conflicts > 0 { attributes["coredata.conflicts"] = report.conflicts }
        if let policy = report.conflictPolicy { attributes["coredata.conflicts.policy"] = policy }
        if report.isCommitUnknown { attributes["coredata.commit.unknown"] = true }
        if let error = report.error {
            attributes["error.type"] = StatementText.type(of: error)
            if let state = StatementText.state(of: error) { attributes["db.response.status_code"] = state }
        }
    }
}

/// Short names of statements and errors.
enum StatementText {
    /// The first word of a statement, in capital letters: `SELECT`.
    static func operation(_ statement: String) -> String {
        String(statement.prefix { $0.isLetter }).uppercased()
    }

    /// The SQLSTATE of an error of PostgreSQL; otherwise the code of the Cocoa error, such as `133020`.
    static func type(of error: any Error) -> String { state(of: error) ?? "\((error as NSError).code)" }

    /// The SQLSTATE of an error of PostgreSQL; nil for other errors.
    static func state(of error: any Error) -> String? {
        (error as NSError).userInfo["NSPostgreSQLState"] as? String
    }
}
