// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The way from a managed object to the object of a module above that owns it. SwiftData-M6.

import Synchronization

/// Leads from a managed object to its owner without keeping it. With Swift's `weak` each owner has a side table.
///
/// # States
///     none ──lead──▶ own ──endHold──▶ none
///       │             │
///       └───share─────┴──share, or lead while the owner ends──▶ shared
/// # Invariants
/// (1) `own`: the owner holds the object, and no other owner that is alive does. It calls `endHold` when it ends, while
/// its memory is still there.
/// (2) `shared` stays: several owners may hold the object, so the end of one of them changes nothing.
package struct OwnerLink: ~Copyable {
    package enum State {
        case none
        case own(WeakWord<AnyObject>)
        case shared(SharedOwner)

        var owner: AnyObject? {
            switch self {
            case .none: nil
            case .own(let word): word.object
            case .shared(let shared): shared.owner
            }
        }
    }

    package final class SharedOwner {
        weak var owner: AnyObject?

        init(_ owner: AnyObject?) { self.owner = owner }
    }

    // Sendable: the lock guards the states; an owner is used where its object is.
    package struct Guarded: @unchecked Sendable {
        var state = State.none
    }

    private struct Found: @unchecked Sendable {
        let owner: AnyObject?
    }

    private let guarded = Mutex(Guarded())

    package init() {}

    /// nil where there is none, or it has begun to end.
    package var owner: AnyObject? { guarded.withLock { Found(owner: $0.state.owner) }.owner }

    /// Leads to an owner where there is none.
    package func lead(to owner: AnyObject) {
        let found = Found(owner: owner)
        guarded.withLock { guarded in
            guard let owner = found.owner else { return }
            switch guarded.state {
            case .none: guarded.state = .own(WeakWord(owner))
            case .own: guarded.state = .shared(SharedOwner(owner))
            case .shared(let shared): shared.owner = owner
            }
        }
    }

    /// From now on other owners may hold the object as well.
    package func share() {
        // The owner is let go without the lock: its end may take it.
        _ = guarded.withLock { guarded in
            let found = Found(owner: guarded.state.owner)
            if case .shared = guarded.state { return found }
            guarded.state = .shared(SharedOwner(found.owner))
            return found
        }
    }

    /// An owner has ended, or holds another object (1).
    package func endHold() {
        guarded.withLock { guarded in
            if case .own = guarded.state { guarded.state = .none }
        }
    }
}
