// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The present condition of a store's connections, for health checks and metrics.

import Foundation

/// The connections of a store at one moment.
///
/// ```swift
/// for store in container.persistentStoreCoordinator.persistentStores {
///     guard let condition = store.condition else { continue }  // no connections
///     print("\(condition.connectionsInUse) of \(condition.connectionLimit), \(condition.callsWaiting) wait")
/// }
/// ```
public struct StoreCondition: Sendable, Hashable {
    /// The largest number of connections that calls use at the same time (`NSStoreConnectionLimitOption`). For SQLite
    /// those of readers.
    public var connectionLimit: Int
    /// The connections in use by reads and query generations.
    public var connectionsInUse: Int
    /// The calls that wait for a connection, or for the writer.
    public var callsWaiting: Int
    /// The bytes of a SQLite store's write-ahead log; nil without one.
    public var logLength: Int64?
    /// How long the oldest read transaction of this process has been open; nil without one. While it is open, the log
    /// of a SQLite store cannot shrink, and PostgreSQL keeps old rows. For PostgreSQL it is that of a query generation;
    /// for SQLite also that of a block of `perform` that has read.
    public var oldestReaderAge: Duration?

    package init(
        connectionLimit: Int, connectionsInUse: Int, callsWaiting: Int, logLength: Int64? = nil,
        oldestReaderAge: Duration? = nil
    ) {
        self.connectionLimit = connectionLimit
        self.connectionsInUse = connectionsInUse
        self.callsWaiting = callsWaiting
        self.logLength = logLength
        self.oldestReaderAge = oldestReaderAge
    }
}

/// A store with connections.
package protocol ConditionReporting {
    /// nil while the store is closed.
    var currentCondition: StoreCondition? { get }
}

extension NSPersistentStore {
    /// The present condition of the store's connections; nil for stores without connections, and while the store is
    /// closed. May be read on any thread.
    ///
    /// - Complexity: takes locks for a moment, and reads the size of a file.
    public final var condition: StoreCondition? { (self as? any ConditionReporting)?.currentCondition }
}
