// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reports to a store for which of its records contexts have objects.

import Dispatch
import Synchronization

/// Registrations and their ends, recorded on any thread (an object may be deallocated on any thread), and reported soon
/// afterwards, in order, on a private queue.
final class RegistrationLog: Sendable {
    /// Consecutive records that were all registered, or all unregistered.
    struct Run: Sendable {
        let isRegistered: Bool
        fileprivate(set) var keys: [ObjectKey]
    }

    private let unreported = Mutex<[Run]>([])
    private let queue = DispatchQueue(label: "OpenCoreData.registrations")
    private let notify: @Sendable (Run) -> Void

    init(notify: @escaping @Sendable (Run) -> Void) { self.notify = notify }

    func note(_ key: ObjectKey, isRegistered: Bool) {
        let isFirst = unreported.withLock { runs in
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
        let runs = unreported.withLock { runs in
            defer { runs = [] }
            return runs
        }
        for run in runs { notify(run) }
    }
}
