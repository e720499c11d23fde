// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Notifies observers before and after values change. Costs one flag test without observers.

import CRuntime
import Foundation

extension NSManagedObject {
    /// Performs a change of one property, with its announcement.
    @inline(__always) final func announcing<Result>(
        _ slot: Int, _ members: @autoclosure () -> MemberChange? = nil, _ change: () -> Result
    ) -> Result {
        guard flags.contains(.observed) else { return change() }
        let key = table.layout.properties[slot].name
        announceWillChange(key, members())
        defer { announceDidChange(key) }
        return change()
    }

    /// Announces that values are replaced by other means than setters: by undo, rollback, a refresh, a merge.
    ///
    /// - Parameter slots: called only if the object has observers.
    /// - Returns: the argument for `didReplace`.
    @inline(__always) final func willReplace(_ slots: () -> [Int]) -> [String] {
        guard flags.contains(.observed) else { return [] }
        let keys = slots().map { table.layout.properties[$0].name }
        for key in keys { announceWillChange(key) }
        return keys
    }

    @inline(__always) final func didReplace(_ keys: [String]) {
        for key in keys { announceDidChange(key) }
    }

    @inline(never) final func announceWillChange(_ key: String, _ members: MemberChange? = nil) {
        objectExtension?.observers?.willChange(self, key, members)
    }

    @inline(never) final func announceDidChange(_ key: String) {
        guard let held = DeferredAnnouncements.current else {
            objectExtension?.observers?.didChange(self, key)
            return
        }
        held.add { self.objectExtension?.observers?.didChange(self, key) }
    }
}

extension NSManagedObject {
    /// The change that observers see when a member is added; with its position if the relationship is ordered.
    final func insertion(of object: NSManagedObject, _ slot: Int, at position: Int?) -> MemberChange {
        var indexes: IndexSet?
        if table.layout[slot].isOrdered {
            indexes = IndexSet(integer: position ?? knownMembers(slot).count)
        }
        return MemberChange(kind: .insertion, objects: [object], indexes: indexes)
    }

    final func removal(of object: NSManagedObject, _ slot: Int) -> MemberChange {
        var indexes: IndexSet?
        if table.layout[slot].isOrdered {
            indexes = knownMembers(slot).firstIndex { $0 === object }.map { IndexSet(integer: $0) } ?? IndexSet()
        }
        return MemberChange(kind: .removal, objects: [object], indexes: indexes)
    }

    private func knownMembers(_ slot: Int) -> ContiguousArray<NSManagedObject> {
        objectExtension?.members[Int(table.layout[slot].ordinal)]?.members?.objects ?? []
    }
}

extension MemberChange {
    /// nil if the mutation replaces the whole set.
    init?(_ mutation: NSKeyValueSetMutationKind, _ objects: Set<AnyHashable>) {
        let members = objects.compactMap { $0.base as? NSManagedObject }
        switch mutation {
        case .union: self.init(kind: .insertion, objects: members)
        case .minus: self.init(kind: .removal, objects: members)
        case .intersect, .set: return nil
        }
    }
}

/// Delays did-changes until a change that concerns several objects is complete, so that observers do not see one end of
/// a relationship without the other.
final class DeferredAnnouncements {
    private var waiting: [() -> Void] = []

    /// The instance of this thread.
    static var current: DeferredAnnouncements? {
        ocd_held_announcements().map { Uncounted<DeferredAnnouncements>(address: $0).object }
    }

    /// Delays did-changes during a change. Costs one load if the program has no observers.
    @inline(__always) static func holding<Result>(_ change: () throws -> Result) rethrows -> Result {
        guard ocd_anything_is_observed() else { return try change() }
        let held = begin()
        defer { held?.end() }
        return try change()
    }

    /// - Returns: nil if did-changes are delayed already, or there are no observers; otherwise call `end()` on the
    ///   result.
    static func begin() -> DeferredAnnouncements? {
        guard ocd_anything_is_observed(), ocd_held_announcements() == nil else { return nil }
        let held = DeferredAnnouncements()
        ocd_set_held_announcements(Uncounted(held).address)
        return held
    }

    /// Announces everything. Observers may change objects during this; those changes are announced separately.
    func end() {
        ocd_set_held_announcements(nil)
        for announcement in waiting { announcement() }
        waiting = []
    }

    func add(_ announcement: @escaping () -> Void) { waiting.append(announcement) }
}
