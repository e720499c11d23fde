// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The reference from a managed object to the object of a higher module that owns it. SwiftData-M6, SwiftData-L2.

import CRuntime

/// Refers to the owner of a managed object without retaining it. Swift's `weak` would allocate a side table for each
/// owner.
///
/// # States
///     none ──lead──▶ own ──endHold──▶ none
///       │             │
///       └───share─────┴──share, or lead while the owner ends──▶ shared
/// Lies in a class, so that the lock keeps its address.
/// # Invariants
/// (1) `own`: the owner retains the object, and no other living owner does. It calls `endHold` in its deinitializer,
///     while its memory is still allocated.
/// (2) `shared` is final: several owners may retain the object, so the end of one of them changes nothing. It lists all
///     of them.
/// (3) The kept object is retained for the owners only while one of them is alive: it is released after the last one
///     ends.
/// (4) Nothing is released under the lock: the deinitializer of an owner or of the kept object may take it.
package struct OwnerLink: ~Copyable {
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

    private var lock = ocd_lock()
    /// The state `own`.
    private var own: WeakWord<AnyObject>?
    /// The state `shared`.
    private var shared: SharedOwners?
    /// The object that is kept for the owners (3).
    private var kept: AnyObject?

    package init() {}

    /// nil if there is no owner, or its deinitializer has begun.
    package var owner: AnyObject? {
        mutating get {
            ocd_acquire(&lock)
            let owner = own.map { $0.object } ?? shared?.first
            ocd_release(&lock)
            return owner
        }
    }

    /// Sets the owner of an object that has none.
    package mutating func lead(to owner: AnyObject) {
        ocd_acquire(&lock)
        if let shared {
            shared.add(owner)
        } else if own != nil {
            own = nil
            shared = SharedOwners(owner)
        } else {
            own = WeakWord(owner)
        }
        ocd_release(&lock)
    }

    /// Adds an owner that retains the object as well.
    package mutating func share(with owner: AnyObject) {
        ocd_acquire(&lock)
        let before = own?.object
        if let shared {
            shared.add(owner)
        } else {
            let made = SharedOwners(before)
            made.add(owner)
            own = nil
            shared = made
        }
        ocd_release(&lock)
        withExtendedLifetime(before) {}
    }

    /// Called when an owner takes another object in place of this one.
    package mutating func part(from owner: AnyObject) {
        ocd_acquire(&lock)
        let owners = shared?.living
        var passed: AnyObject?
        if let shared {
            shared.remove(owner)
            if !(owners ?? []).contains(where: { $0 !== owner }) { swap(&passed, &kept) }
        }
        ocd_release(&lock)
        withExtendedLifetime((owners, passed)) {}
    }

    /// Keeps an object until the last owner ends (3); does nothing if there is no owner.
    package mutating func keep(_ thing: AnyObject) {
        ocd_acquire(&lock)
        let owners = shared?.living
        var passed: AnyObject?
        if own != nil || owners?.isEmpty == false {
            passed = kept
            kept = thing
        }
        ocd_release(&lock)
        withExtendedLifetime((owners, passed)) {}
    }

    /// Called when an owner ends, or takes another object (1).
    package mutating func endHold() {
        ocd_acquire(&lock)
        if shared == nil, kept == nil {
            own = nil
            return ocd_release(&lock)
        }
        let owners = shared?.living
        var passed: AnyObject?
        if owners?.isEmpty != false {
            own = nil
            swap(&passed, &kept)
        }
        ocd_release(&lock)
        withExtendedLifetime((owners, passed)) {}
    }
}
