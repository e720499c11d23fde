// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// An operation of a store as observers see it: facts at its beginning, and a report at its end.

import Foundation

/// An operation of a store that begins.
///
/// Operations contain others: a fetch contains its statements, and the faults that it prefetches.
public struct StoreOperation: Sendable, Identifiable {
    /// Called when an operation ends.
    public typealias End = @Sendable (StoreOperationReport) -> Void

    /// The kind of an operation.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// `fetch`, a page, an aggregate or an SQL query. An asynchronous fetch request lasts until its results arrive.
        case fetch
        /// `count(for:)`.
        case count
        /// A save of a context to its stores. Saves of child contexts reach no store, and are not reported.
        case save
        /// The rows or members that faults need: those of one object, or of several that are read at once. Faults whose
        /// rows the fetch has brought are not reported.
        case faults
        /// A batch request.
        case batch
        /// A request to the history.
        case history
        /// The migration of a store that is added.
        case migration
        /// An SQL statement, also of a transaction.
        case statement
    }

    let running: RunningOperation
    /// The index of the observer that sees it.
    let observer: Int

    /// A number that is unique in the process.
    public var id: UInt64 { running.id }
    /// The operation that contains this one; nil if none does.
    public var parentID: UInt64? { running.parentID }
    /// The kind of the operation.
    public var kind: Kind { running.kind }
    /// The database by its OpenTelemetry name: `sqlite` or `postgresql`. nil for other stores, and if the coordinator
    /// has stores of several kinds.
    public var systemName: String? { running.database?.system }
    /// The database of a statement: the file's name in SQLite; `database|schema` in PostgreSQL. nil for other kinds,
    /// and for stores in memory.
    public var databaseName: String? { running.database?.namespace }
    /// The server that executes a statement: its host, or the folder of its socket. nil for other kinds, and for
    /// stores without a server.
    public var serverAddress: String? { running.database?.address }
    /// The port of that server; nil where `serverAddress` is nil.
    public var serverPort: Int? { running.database?.port }
    /// The entity of a request or of faults; nil for others.
    public var entityName: String? { running.entityName }
    /// The name of the context; nil if it has none, and for operations without a context.
    public var contextName: String? { running.contextName }
    /// The text of a statement, with placeholders in place of values. nil for other kinds.
    public var statement: String? { running.statement }
    /// How many objects need rows or members, for `faults`; 0 for other kinds.
    public var objectCount: Int { running.objectCount }
    /// The result of `StoreObserver.contextOfCaller()` for the block in which the operation begins. nil outside such
    /// blocks: the operation then begins in the thread and the task of the caller.
    public var caller: (any Sendable)? {
        guard let callers = running.callers, observer < callers.count else { return nil }
        return callers[observer]
    }

    /// Whether it reads the row or the members of a single object, outside of any other operation: many of these are
    /// a relationship that should be prefetched.
    public var isLoneFault: Bool { kind == .faults && objectCount == 1 && parentID == nil }
}

/// The report of an operation that has ended.
public struct StoreOperationReport: Sendable {
    /// The time from the beginning to the end.
    public var duration = Duration.zero
    /// The number of results: rows of a fetch or a statement, objects that a save or a batch request has written (0 if
    /// the request does not count them), rows that faults have read from the store.
    public var rows = 0
    /// The rows that `faults` found in the row cache.
    public var cacheHits = 0
    /// The time of waiting for other writers of this process, and in SQLite also for locks of other processes.
    public var lockWait = Duration.zero
    /// The time of waiting for a connection of the store.
    public var connectionWait = Duration.zero
    /// How often a save or a transaction was repeated, because of conflicts or a lost connection.
    public var retries = 0
    /// The conflicts of a save.
    public var conflicts = 0
    /// The merge policy that has decided the conflicts: `error`, `mergeByPropertyStoreTrump`,
    /// `mergeByPropertyObjectTrump`, `overwrite`, `rollback`, or `custom`. nil without conflicts.
    public var conflictPolicy: String?
    /// Whether a commit failed and the database did not answer whether it is durable.
    public var isCommitUnknown = false
    /// The error that ended the operation; nil after success. Errors of SQLite's statements are those of the operation
    /// that contains the statement.
    public var error: (any Error)?

    /// The code of the error, such as 133020; nil after success.
    public var errorCode: Int? { error.map { ($0 as NSError).code } }

    /// Creates an empty report.
    public init() {}
}
