// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads that share a connection and a read transaction.

import Foundation

/// Reads that belong together: those of one `perform`, or of one call outside `perform`.
///
/// A store may keep a connection and a read transaction for the duration of a shared read: the second look-up then
/// costs a third of the first. The transaction must not outlive the shared read, because an open reader prevents the
/// WAL from being reset.
///
/// The answers of a shared read may be as old as its first read, so a fetch starts a new one after a while.
package final class SharedReadTransaction {
    /// How old, in seconds, the state of a store may be for a fetch that sets no other bound.
    package static let longestAge: TimeInterval = 1

    /// When the leases were made or last renewed.
    private var began: UInt32 = 0
    private var leases: [ObjectIdentifier: any ReadLease] = [:]
    /// The most recently used lease.
    private var last: (store: ObjectIdentifier, lease: any ReadLease)?

    deinit { end() }

    /// The lease of `store` in this shared read; the first call makes it.
    package func lease<Lease: ReadLease>(of store: AnyObject, make: () throws -> Lease) rethrows -> Lease {
        let name = ObjectIdentifier(store)
        if let last, last.store == name, let lease = last.lease as? Lease { return lease }
        if leases.isEmpty { began = RowClock.now }
        let lease = try leases[name] as? Lease ?? make()
        leases[name] = lease
        last = (name, lease)
        return lease
    }

    /// Makes the next read start a new transaction if the leases are older than some seconds: it then sees later saves
    /// of other writers.
    ///
    /// - Parameter seconds: negative accepts a state of any age.
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

/// The resources that a store keeps for the duration of a shared read.
package protocol ReadLease: AnyObject {
    /// The next read starts a new transaction. A read in progress continues.
    func renew()

    func release()
}
