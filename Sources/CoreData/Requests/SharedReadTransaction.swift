// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads that share a connection and a read transaction.

import Foundation

/// Reads that belong together: those of one `perform`, or of one call outside of one.
///
/// A store may keep a connection and a read transaction for the time of a shared read, so that the second look-up costs a
/// third of the
/// first. It must not outlive the shared read: a reader that stays open keeps the write-ahead log from being emptied.
///
/// The answers of a shared read may be as old as its first read, so a fetch begins anew after a while.
package final class SharedReadTransaction {
    /// For how many seconds a fetch, which sets no other bound, may be answered with one state of a store.
    package static let longestAge: TimeInterval = 1

    /// When the leases were made, or renewed.
    private var began: UInt32 = 0
    private var leases: [ObjectIdentifier: any ReadLease] = [:]
    /// What was asked for last.
    private var last: (store: ObjectIdentifier, lease: any ReadLease)?

    deinit { end() }

    /// The lease that `store` has in this shared read, made when there is none.
    package func lease<Lease: ReadLease>(of store: AnyObject, make: () throws -> Lease) rethrows -> Lease {
        let name = ObjectIdentifier(store)
        if let last, last.store == name, let lease = last.lease as? Lease { return lease }
        if leases.isEmpty { began = RowClock.now }
        let lease = try leases[name] as? Lease ?? make()
        leases[name] = lease
        last = (name, lease)
        return lease
    }

    /// Makes the next read begin anew if the leases are older than some seconds: it sees the saves of others since
    /// then.
    ///
    /// - Parameter seconds: negative: a state of any age serves.
    package func renew(after seconds: TimeInterval) {
        guard last != nil, RowClock.isStale(began, after: seconds) else { return }
        began = RowClock.now
        for lease in leases.values { lease.renew() }
    }

    package func end() {
        let ending = leases
        leases = [:]
        last = nil
        for lease in ending.values { lease.release() }
    }
}

/// What a store holds on to for the time of a shared read.
package protocol ReadLease: AnyObject {
    /// The next read begins anew. A read that is under way goes on.
    func renew()

    func release()
}
