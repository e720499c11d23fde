// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Remembers which conditions of a model were found sound, so that the next of their shape need not be looked at.

import Synchronization

/// Any thread.
final class ConditionShapes: Sendable {
    private let known = Mutex<Set<[Int]>>([])

    /// - Parameter examine: throws where a condition of this shape cannot be asked; called until it returns once.
    func check(_ shape: [Int], of layout: EntityLayout, _ examine: () throws -> Void) throws {
        let key = [layout.index] + shape
        if known.withLock({ $0.contains(key) }) { return }
        try examine()
        known.withLock { known in
            // Programs have few shapes; whoever makes them up endlessly begins anew now and then.
            if known.count > 1000 { known = [] }
            known.insert(key)
        }
    }
}
