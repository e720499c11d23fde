// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The reference from a managed object to the object of a higher module that owns it. SwiftData-M6, SwiftData-L2.

import Synchronization

/// Refers to the owner of a managed object without retaining it. Swift's `weak` would allocate a side table for each
/// owner.
///
/// # States
///     none ──lead──▶ own ──endHold──▶ none
///       │             │
///       └───share─────┴──share, or lead while the owner ends──▶ shared
/// # Invariants
/// (1) `own`: the owner retains the object, and no other living owner does. It calls `endHold` in its deinitializer,
///     while its memory is still allocated.
/// (2) `shared` is final: several owners may retain the object, so the end of one of them changes nothing. It lists all
///     of them.
/// (3) The kept object is retained for the owners only while one of them is alive: it is released after the last one
///     ends.
/// (4) Nothing is released under the lock: the deinitializer of an owner or of the kept object may take it.
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

        /// The caller releases it outside the lock.
        var first: AnyObject? {
            for one in all { if let owner = one.owner { return owner } }
            return nil
        }

        /// In the order of their addition. The caller releases them outside the lock.
        var living: [AnyObject] { all.compactMap(\.owner) }

        func add(_ owner: AnyObject?) {
            if let owner { all.append(One(owner: owner)) }
        }

        func remove(_ owner: AnyObject?) { all.removeAll { $0.owner === owner } }
    }

    // Sendable: the lock guards the states; an owner is used only where its object is.
    package struct Guarded: @unchecked Sendable {
        var state = State.none
        /// The object that is kept for the owners (3).
        var kept: AnyObject?
    }

    private struct Found: @unchecked Sendable {
        let owner: AnyObject?
    }

    /// References to be released after the lock (4).
    private struct Passed: @unchecked Sendable {
        var kept: AnyObject?
        var owners: [AnyObject]?
    }

    private let guarded = Mutex(Guarded())

    package init() {}

    /// nil if there is no owner, or its deinitializer has begun.
    package var owner: AnyObject? { guarded.withLock { Found(owner: $0.state.owner) }.owner }

    /// Sets the owner of an object that has none.
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

    /// Adds an owner that retains the object as well.
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

    /// Called when an owner takes another object in place of this one.
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

    /// Keeps an object until the last owner ends (3); does nothing if there is no owner.
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

    /// Called when an owner ends, or takes another object (1).
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
