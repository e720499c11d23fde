// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Counts the open streams of news, in all and by user.
import Synchronization

final class OpenStreams: Sendable {
    private struct Counts {
        var all = 0
        var byUser: [String: Int] = [:]
    }

    private let limits: HTTPLimits
    private let counts = Mutex(Counts())

    init(limits: HTTPLimits) { self.limits = limits }

    /// - Returns: whether the user may open one more; then `close(_:)` must follow.
    func open(_ user: String) -> Bool {
        counts.withLock { counts in
            let number = counts.byUser[user, default: 0]
            guard counts.all < limits.streams, number < limits.userStreams else { return false }
            counts.all += 1
            counts.byUser[user] = number + 1
            return true
        }
    }

    func close(_ user: String) {
        counts.withLock { counts in
            counts.all -= 1
            let number = counts.byUser[user, default: 1] - 1
            counts.byUser[user] = number > 0 ? number : nil
        }
    }

    /// The streams that are open now.
    var count: Int { counts.withLock { $0.all } }
}
