// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The way from a managed object to the object of a module above that owns it. SwiftData-M6, SwiftData-L2.

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
/// (2) `shared` stays: several owners may hold the object, so the end of one of them changes nothing. It lists all of
/// them.
/// (3) Something is kept for the owners only while one of them is alive: the end of the last one lets go of it.
/// (4) Nothing is released under the lock: the end of an owner, or of the thing kept, may take it.
package struct OwnerLink: ~Copyable {
    package enum State {
        case none
        case own(WeakWord<AnyObject>)
        case shared(SharedOwners)

        var owner: AnyObject? {
            switch self {
            case .none: nil
            case .own(let word): word.object
            case .shared(let shared): shared.first
            }
        }
    }

    package final class SharedOwners {
        private struct One {
            weak var owner: AnyObject?
        }

        private var all: [One] = []

        init(_ owner: AnyObject?) { add(owner) }

        /// The caller lets go of it without the lock.
        var first: AnyObject? {
            for one in all { if let owner = one.owner { return owner } }
            return nil
        }

        /// In the order in which they came. The caller lets go of them without the lock.
        var living: [AnyObject] { all.compactMap(\.owner) }

        func add(_ owner: AnyObject?) {
            if let owner { all.append(One(owner: owner)) }
        }

        func remove(_ owner: AnyObject?) { all.removeAll { $0.owner === owner } }
    }

    // Sendable: the lock guards the states; an owner is used where its object is.
    package struct Guarded: @unchecked Sendable {
        var state = State.none
        /// What the object keeps for its owners (3).
        var kept: AnyObject?
    }

    private struct Found: @unchecked Sendable {
        let owner: AnyObject?
    }

    /// References that are let go of after the lock (4).
    private struct Passed: @unchecked Sendable {
        var kept: AnyObject?
        var owners: [AnyObject]?
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
            case .own: guarded.state = .shared(SharedOwners(owner))
            case .shared(let shared): shared.add(owner)
            }
        }
    }

    /// From now on this owner holds the object as well.
    package func share(with owner: AnyObject) {
        let found = Found(owner: owner)
        _ = guarded.withLock { guarded in
            let before = Found(owner: guarded.state.owner)
            guard case .shared(let shared) = guarded.state else {
                let shared = SharedOwners(before.owner)
                shared.add(found.owner)
                guarded.state = .shared(shared)
                return before
            }
            shared.add(found.owner)
            return before
        }
    }

    /// An owner holds another object from now on.
    package func part(from owner: AnyObject) {
        let found = Found(owner: owner)
        _ = guarded.withLock { guarded in
            var passed = Passed()
            guard case .shared(let shared) = guarded.state else { return passed }
            passed.owners = shared.living
            shared.remove(found.owner)
            if shared.first != nil { return passed }
            passed.kept = guarded.kept
            guarded.kept = nil
            return passed
        }
    }

    /// Keeps something until the last owner ends (3); nothing where there is no owner.
    package func keep(_ thing: AnyObject) {
        let found = Found(owner: thing)
        _ = guarded.withLock { guarded in
            var passed = Passed()
            switch guarded.state {
            case .none: return passed
            case .own: break
            case .shared(let shared):
                let owners = shared.living
                passed.owners = owners
                if owners.isEmpty { return passed }
            }
            passed.kept = guarded.kept
            guarded.kept = found.owner
            return passed
        }
    }

    /// An owner has ended, or holds another object (1).
    package func endHold() {
        _ = guarded.withLock { guarded in
            var passed = Passed()
            switch guarded.state {
            case .none: return passed
            case .own: guarded.state = .none
            case .shared(let shared):
                let owners = shared.living
                passed.owners = owners
                if !owners.isEmpty { return passed }
            }
            passed.kept = guarded.kept
            guarded.kept = nil
            return passed
        }
    }
}
