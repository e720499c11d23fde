// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The prepared fetches of one model, by shape.

import Synchronization

/// Belongs to a coordinator. Any thread.
final class PreparedFetchCache: Sendable {
    /// A program has few shapes. If it creates new ones without end, the cache is emptied when it is full.
    private static let capacity = 1000

    private struct State {
        var fetches: [FetchShape: PreparedFetch] = [:]
        /// Look-ups come in runs, and comparing shapes costs less than hashing one.
        var last: PreparedFetch?
    }

    private let state = Mutex(State())

    /// The prepared fetch of the requests of a shape; nil before the first of them.
    func fetch(_ shape: FetchShape) -> PreparedFetch? {
        state.withLock { state in
            if let last = state.last, last.shape == shape { return last }
            guard let known = state.fetches[shape] else { return nil }
            state.last = known
            return known
        }
    }

    func keep(_ fetch: PreparedFetch) {
        guard let shape = fetch.shape else { return }
        state.withLock { state in
            if state.fetches.count >= Self.capacity { state.fetches = [:] }
            state.fetches[shape] = fetch
        }
    }
}
