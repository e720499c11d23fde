// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The change of a to-many relationship in one event, in a form that can be undone after any later changes.

import Foundation

/// The difference between two states of a to-many relationship, never all its members: an event that adds one member to
/// many stores one. The difference follows from the members added and removed since the last save, so neither state has
/// to be read, except for the positions of members that an ordered relationship lost.
struct MembersChange {
    let gained: [NSManagedObject]
    let lost: [NSManagedObject]
    private let positions: Positions

    /// The positions of the members of an ordered relationship.
    private enum Positions {
        /// Unordered; or no member was lost or moved; or unknown.
        case any
        /// The lost members, with the members around them.
        case runs([MemberRun])
        /// Remaining members were moved: the whole order.
        case order(ContiguousArray<NSManagedObject>)
    }

    /// nil if nothing has changed.
    init?(from before: ToManyValue?, to after: ToManyValue?, isOrdered: Bool) {
        let (before, after) = (before ?? ToManyValue(), after ?? ToManyValue())
        gained = after.added.subtracting(before.added) + before.removed.subtracting(after.removed)
        lost = before.added.subtracting(after.added) + after.removed.subtracting(before.removed)
        guard isOrdered, before.isReordered || after.isReordered else {
            positions = .any
            if gained.isEmpty && lost.isEmpty { return nil }
            return
        }
        positions = Self.positions(from: before, to: after, gained, lost)
        if case .any = positions, gained.isEmpty, lost.isEmpty { return nil }
    }

    /// Whether undoing the change needs the present order.
    var hasPlaces: Bool {
        if case .any = positions { return false }
        return true
    }

    /// The order of the members after the gained ones were removed and the lost ones restored.
    ///
    /// Without other changes of the relationship it is the order before the event; members that were added since stay
    /// after their neighbours.
    func arranged(_ current: ContiguousArray<NSManagedObject>) -> ContiguousArray<NSManagedObject> {
        switch positions {
        case .any: return current
        case .runs(let runs):
            let present = Set(current.map(ObjectIdentifier.init))
            let moving = Set(lost.map(ObjectIdentifier.init))
            let rest: ContiguousArray = current.filter { !moving.contains(ObjectIdentifier($0)) }
            return MemberRun.insertRuns(rest, runs.map { run in run.keeping(present) })
        case .order(let order):
            let present = Set(current.map(ObjectIdentifier.init))
            let known = Set(order.map(ObjectIdentifier.init))
            let rest: ContiguousArray = order.filter { present.contains(ObjectIdentifier($0)) }
            return MemberRun.insertRuns(rest, MemberRun.all(in: current) { !known.contains(ObjectIdentifier($0)) })
        }
    }

    private static func positions(
        from before: ToManyValue, to after: ToManyValue, _ gained: [NSManagedObject], _ lost: [NSManagedObject]
    ) -> Positions {
        guard let new = after.members?.objects, let old = before.order(savedAs: after) else { return .any }
        let left = Set(lost.map(ObjectIdentifier.init))
        let came = Set(gained.map(ObjectIdentifier.init))
        let stayed = old.lazy.filter { !left.contains(ObjectIdentifier($0)) }
        let remaining = new.lazy.filter { !came.contains(ObjectIdentifier($0)) }
        if !stayed.elementsEqual(remaining, by: ===) { return .order(old) }
        return lost.isEmpty ? .any : .runs(MemberRun.all(in: old) { left.contains(ObjectIdentifier($0)) })
    }
}

/// Consecutive members of an ordered to-many relationship, with the members around them.
struct MemberRun {
    var objects: [NSManagedObject] = []
    /// The members before it, the nearest first; if there are fewer than `kept`, the list begins there.
    private(set) var predecessors: [NSManagedObject]
    /// The members after it, the nearest first.
    private(set) var successors: [NSManagedObject] = []

    /// The number of remembered members on each side: some of them may be missing when the run is restored.
    private static let kept = 4

    func keeping(_ present: Set<ObjectIdentifier>) -> MemberRun {
        var result = self
        result.objects = objects.filter { present.contains(ObjectIdentifier($0)) }
        return result
    }

    /// The members that meet a condition, in runs.
    static func all(
        in list: ContiguousArray<NSManagedObject>, where isWanted: (NSManagedObject) -> Bool
    ) -> [MemberRun] {
        var result: [MemberRun] = []
        var before: [NSManagedObject] = []
        var isInRun = false
        /// Runs from here on may have more successors.
        var firstOpen = 0
        for object in list {
            let belongs = isWanted(object)
            if belongs {
                if !isInRun { result.append(MemberRun(predecessors: before.reversed())) }
                result[result.count - 1].objects.append(object)
            } else {
                for position in firstOpen..<result.count { result[position].successors.append(object) }
                while firstOpen < result.count, result[firstOpen].successors.count == kept { firstOpen += 1 }
                if before.count == kept { before.removeFirst() }
                before.append(object)
            }
            isInRun = belongs
        }
        return result
    }

    /// Inserts each run after its nearest present predecessor, or before its nearest present successor, or at the end.
    static func insertRuns(
        _ list: ContiguousArray<NSManagedObject>, _ runs: [MemberRun]
    ) -> ContiguousArray<NSManagedObject> {
        let present = Set(list.map(ObjectIdentifier.init))
        func nearest(_ neighbours: [NSManagedObject]) -> ObjectIdentifier? {
            neighbours.lazy.map(ObjectIdentifier.init).first(where: present.contains)
        }
        var result: ContiguousArray<NSManagedObject> = []
        var before: [ObjectIdentifier: [NSManagedObject]] = [:]
        var behind: [ObjectIdentifier: [NSManagedObject]] = [:]
        var last: [NSManagedObject] = []
        for run in runs {
            if let neighbour = nearest(run.predecessors) {
                behind[neighbour, default: []] += run.objects
            } else if run.predecessors.count < kept {
                result += run.objects
            } else if let neighbour = nearest(run.successors) {
                before[neighbour, default: []] += run.objects
            } else {
                last += run.objects
            }
        }
        for object in list {
            result += before[ObjectIdentifier(object)] ?? []
            result.append(object)
            result += behind[ObjectIdentifier(object)] ?? []
        }
        return result + last
    }
}

extension MemberList {
    /// The members that the other list does not have. Skipping a common beginning costs almost nothing.
    fileprivate func subtracting(_ other: MemberList) -> [NSManagedObject] {
        var same = 0
        while same < count, same < other.count, objects[same] === other.objects[same] { same += 1 }
        guard same < count else { return [] }
        let rest = Set(other.objects[same...].map(ObjectIdentifier.init))
        return objects[same...].filter { !rest.contains(ObjectIdentifier($0)) }
    }
}
