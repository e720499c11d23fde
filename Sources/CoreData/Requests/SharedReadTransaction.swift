// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads that share a connection and a read transaction.

/// Reads that belong together: those of one `perform`, or of one call outside `perform`.
///
/// A store may keep a connection and a read transaction for the duration of a shared read: the second look-up then
/// costs a third of the first. The transaction must not outlive the shared read, because an open reader prevents the
/// WAL from being reset. The store begins another one when anybody has committed since, so every read sees the newest
/// state.
package final class SharedReadTransaction {
    private var leases: [ObjectIdentifier: any ReadLease] = [:]
    /// The most recently used lease.
    private var last: (store: ObjectIdentifier, lease: any ReadLease)?

    deinit { end() }

    /// The lease of `store` in this shared read; the first call makes it.
    package func lease<Lease: ReadLease>(of store: AnyObject, make: () throws -> Lease) rethrows -> Lease {
        let name = ObjectIdentifier(store)
        if let last, last.store == name, let lease = last.lease as? Lease { return lease }
        let lease = try leases[name] as? Lease ?? make()
        leases[name] = lease
        last = (name, lease)
        return lease
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
    func release()
}
