// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reports to a store the records of which contexts have objects.

import Dispatch
import Synchronization

/// Registrations and their ends, gathered on the threads on which they happen (an object may die on any thread), and
/// reported soon afterwards on a queue of their own, in their order.
final class RegistrationLog: Sendable {
    /// Records that were registered, or else unregistered, one after the other.
    struct Run: Sendable {
        let isRegistered: Bool
        fileprivate(set) var keys: [ObjectKey]
    }

    private let untold = Mutex<[Run]>([])
    private let queue = DispatchQueue(label: "OpenCoreData.registrations")
    private let notify: @Sendable (Run) -> Void

    init(notify: @escaping @Sendable (Run) -> Void) { self.notify = notify }

    func note(_ key: ObjectKey, isRegistered: Bool) {
        let isFirst = untold.withLock { runs in
            if let last = runs.indices.last, runs[last].isRegistered == isRegistered {
                runs[last].keys.append(key)
                return false
            }
            runs.append(Run(isRegistered: isRegistered, keys: [key]))
            return runs.count == 1
        }
        if isFirst { queue.async { [self] in notifyAll() } }
    }

    private func notifyAll() {
        let runs = untold.withLock { runs in
            defer { runs = [] }
            return runs
        }
        for run in runs { notify(run) }
    }
}
