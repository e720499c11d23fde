// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The limits of a store: connections, the time to wait for one, and the calls that may wait.

import Foundation

/// Store option: the largest number of connections that calls use at the same time, a number.
///
/// 256 readers and one writer for SQLite unless set. For PostgreSQL 8, or
/// `NSPersistentStoreConnectionPoolMaxSizeKey`; query generations may have as many again. Other stores have no
/// connections.
///
/// ```swift
/// description.setOption(16 as NSNumber, forKey: NSStoreConnectionLimitOption)
/// description.setOption(2.5 as NSNumber, forKey: NSStoreConnectionTimeoutOption)
/// description.setOption(100 as NSNumber, forKey: NSStoreWaitingLimitOption)
/// ```
///
/// `Documentation/Internals/Limits.md` has a table of all limits.
public let NSStoreConnectionLimitOption = "OpenCoreDataStoreConnectionLimit"

/// Store option: the seconds that a call waits for a connection before it throws 134090, a number.
///
/// Unless set: as `NSPersistentStoreTimeoutOption`, which descriptions set to 240; 5 without it. The writing
/// connection of SQLite is awaited without limit unless this option is set: a save waits for the save before it.
public let NSStoreConnectionTimeoutOption = "OpenCoreDataStoreConnectionTimeout"

/// Store option: the number of calls that may wait for a connection, a number. A further call throws 134090 at once
/// instead of waiting, so that a server can refuse requests before they pile up.
///
/// No limit unless set. 0 lets no call wait.
public let NSStoreWaitingLimitOption = "OpenCoreDataStoreWaitingLimit"

/// The limits in the options of a store.
package struct StoreLimits: Sendable {
    /// nil unless set.
    package var connections: Int?
    /// nil unless set.
    package var timeout: Duration?
    /// nil without limit.
    package var waiting: Int?

    package init() {}

    package init(_ options: [AnyHashable: Any]?) {
        func number(_ key: String) -> Double? { options?[key].flatMap { AttributeValues.number($0)?.doubleValue } }
        connections = number(NSStoreConnectionLimitOption).map { Int(max(1, min($0, 1e6))) }
        timeout = number(NSStoreConnectionTimeoutOption).map { .milliseconds(Int64(max(0, min($0, 86_400)) * 1000)) }
        waiting = number(NSStoreWaitingLimitOption).map { Int(max(0, min($0, 1e9))) }
    }
}

/// A call got no connection.
package struct StoreLimitReached: Error {
    package let reason: String

    /// The error that the program receives: 134090.
    package func error(_ url: URL?) -> NSError {
        CoreDataError.cannotOpenStore(url: url, .timeout, reason: reason) as NSError
    }
}

/// A number of permits: one for each connection that calls may use at the same time.
///
/// # Invariants
/// (1) At most `limit` permits are taken (Limits-L1).
/// (2) A call waits at most for the timeout, and only if fewer than the limit of calls wait (Limits-L2, L3).
package final class ConnectionPermits: @unchecked Sendable {  // the counts are guarded by `condition`
    private let condition = NSCondition()
    private let limit: Int
    private let timeout: Duration
    private let waitingLimit: Int
    private var taken = 0
    private var waiting = 0

    package init(limit: Int, timeout: Duration, waitingLimit: Int?) {
        self.limit = limit
        self.timeout = timeout
        self.waitingLimit = waitingLimit ?? .max
    }

    /// The numbers of taken permits and of waiting calls.
    package var counts: (taken: Int, waiting: Int) { condition.withLock { (taken, waiting) } }

    /// - Throws: `StoreLimitReached`; 3072 if the caller's task was cancelled while it waited.
    package func take() throws {
        condition.lock()
        defer { condition.unlock() }
        if taken >= limit { try wait() }
        taken += 1
    }

    /// Under the lock, which waiting releases.
    private func wait() throws {
        guard waiting < waitingLimit else {
            throw StoreLimitReached(
                reason: "All \(limit) connections are in use, and \(waiting) calls wait for one already "
                    + "(NSStoreWaitingLimitOption).")
        }
        waiting += 1
        defer { waiting -= 1 }
        let start = ContinuousClock.now
        defer { RunningOperation.current?.report.connectionWait += .now - start }
        let stop = StopSignal.current
        while taken >= limit {
            try stop?.check()
            let rest = timeout - (.now - start)
            guard rest > .zero else {
                throw StoreLimitReached(
                    reason: "All \(limit) connections were in use for \(timeout) (NSStoreConnectionLimitOption, "
                        + "NSStoreConnectionTimeoutOption).")
            }
            // A cancelled call looks for its signal now and then: it need not be woken.
            let turn = stop == nil ? rest : min(rest, .milliseconds(20))
            _ = condition.wait(until: Date(timeIntervalSinceNow: turn / .seconds(1)))
        }
    }

    package func giveBack() {
        condition.withLock {
            taken -= 1
            condition.signal()
        }
    }
}
