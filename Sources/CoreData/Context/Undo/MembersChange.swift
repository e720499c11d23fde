// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What one event did to a to-many, told so that it can be taken back whatever has happened since.

import Foundation

/// The difference between two states of a to-many. Never the members themselves: an event that adds one member to many
/// keeps one. The difference is told from what was added and removed since the last save, so neither state has to be
/// read, but for the places of what an ordered relationship lost.
struct MembersChange {
    let gained: [NSManagedObject]
    let lost: [NSManagedObject]
    private let places: Places

    /// Where the members of an ordered relationship were.
    private enum Places {
        /// Unordered; or nothing was lost or moved; or nobody knows.
        case any
        /// Behind which members those stood that are lost.
        case runs([Run])
        /// Those that stayed were moved: the whole order.
        case order(ContiguousArray<NSManagedObject>)
    }

    private struct Run {
        /// nil: at the front.
        let predecessor: NSManagedObject?
        var objects: [NSManagedObject]

        func keeping(_ present: Set<ObjectIdentifier>) -> Run {
            Run(predecessor: predecessor, objects: objects.filter { present.contains(ObjectIdentifier($0)) })
        }
    }

    /// nil when nothing has changed.
    init?(from before: ToManyValue?, to after: ToManyValue?, isOrdered: Bool) {
        let (before, after) = (before ?? ToManyValue(), after ?? ToManyValue())
        gained = after.added.subtracting(before.added) + before.removed.subtracting(after.removed)
        lost = before.added.subtracting(after.added) + after.removed.subtracting(before.removed)
        guard isOrdered, before.isReordered || after.isReordered else {
            places = .any
            if gained.isEmpty && lost.isEmpty { return nil }
            return
        }
        places = Self.places(from: before, to: after, gained, lost)
        if case .any = places, gained.isEmpty, lost.isEmpty { return nil }
    }

    /// Whether taking the change back needs to know the present order.
    var hasPlaces: Bool {
        if case .any = places { return false }
        return true
    }

    /// The order of the members once those gained are gone and those lost are there again.
    ///
    /// Where nothing else has happened to the relationship it is that of before the event; what has come since stays
    /// behind its neighbour.
    func arranged(_ current: ContiguousArray<NSManagedObject>) -> ContiguousArray<NSManagedObject> {
        switch places {
        case .any: return current
        case .runs(let runs):
            let present = Set(current.map(ObjectIdentifier.init))
            let moving = Set(lost.map(ObjectIdentifier.init))
            let rest: ContiguousArray = current.filter { !moving.contains(ObjectIdentifier($0)) }
            return Self.weave(rest, runs.map { run in run.keeping(present) })
        case .order(let order):
            let present = Set(current.map(ObjectIdentifier.init))
            let known = Set(order.map(ObjectIdentifier.init))
            let rest: ContiguousArray = order.filter { present.contains(ObjectIdentifier($0)) }
            return Self.weave(rest, Self.runs(in: current) { !known.contains(ObjectIdentifier($0)) })
        }
    }

    private static func places(
        from before: ToManyValue, to after: ToManyValue, _ gained: [NSManagedObject], _ lost: [NSManagedObject]
    ) -> Places {
        guard let new = after.members?.objects, let old = before.order(savedAs: after) else { return .any }
        let left = Set(lost.map(ObjectIdentifier.init))
        let came = Set(gained.map(ObjectIdentifier.init))
        let stayed = old.lazy.filter { !left.contains(ObjectIdentifier($0)) }
        let remaining = new.lazy.filter { !came.contains(ObjectIdentifier($0)) }
        if !stayed.elementsEqual(remaining, by: ===) { return .order(old) }
        return lost.isEmpty ? .any : .runs(runs(in: old) { left.contains(ObjectIdentifier($0)) })
    }

    /// Neighbours that fulfil a condition, with the one before them that does not.
    private static func runs(
        in list: ContiguousArray<NSManagedObject>, where isWanted: (NSManagedObject) -> Bool
    ) -> [Run] {
        var result: [Run] = []
        var predecessor: NSManagedObject?
        var isInRun = false
        for object in list {
            if !isWanted(object) {
                predecessor = object
                isInRun = false
            } else if isInRun {
                result[result.count - 1].objects.append(object)
            } else {
                result.append(Run(predecessor: predecessor, objects: [object]))
                isInRun = true
            }
        }
        return result
    }

    /// Puts each run behind its predecessor; at the end where that is gone.
    private static func weave(
        _ list: ContiguousArray<NSManagedObject>, _ runs: [Run]
    ) -> ContiguousArray<NSManagedObject> {
        var result: ContiguousArray<NSManagedObject> = []
        var waiting: [ObjectIdentifier: Run] = [:]
        for run in runs {
            if let predecessor = run.predecessor {
                waiting[ObjectIdentifier(predecessor)] = run
            } else {
                result += run.objects
            }
        }
        for object in list {
            result.append(object)
            if let run = waiting.removeValue(forKey: ObjectIdentifier(object)) { result += run.objects }
        }
        for run in runs {
            guard let predecessor = run.predecessor else { continue }
            if waiting[ObjectIdentifier(predecessor)] != nil { result += run.objects }
        }
        return result
    }
}

extension MemberList {
    /// Those that the other list does not have. Costs next to nothing for what both begin with.
    fileprivate func subtracting(_ other: MemberList) -> [NSManagedObject] {
        var same = 0
        while same < count, same < other.count, objects[same] === other.objects[same] { same += 1 }
        guard same < count else { return [] }
        let rest = Set(other.objects[same...].map(ObjectIdentifier.init))
        return objects[same...].filter { !rest.contains(ObjectIdentifier($0)) }
    }
}
