// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The invariants of a context and its objects, as code: debug builds check them, tests call them.

import Foundation

struct ContextInvariants {
    private let tracker: ChangeTracker
    /// nil before the first use of an object.
    private let registry: ObjectRegistry?

    init(_ tracker: ChangeTracker, _ registry: ObjectRegistry?) {
        self.tracker = tracker
        self.registry = registry
    }

    /// Debug builds trap here if an invariant is violated. Release builds do not call it.
    ///
    /// - Parameter objects: the objects of an event. With `OCD_CHECK=1` in the environment all registered objects are
    ///   checked instead.
    func check(_ objects: some Sequence<NSManagedObject>) {
        let most = 32  // without this limit, adding to a large to-many event by event would take quadratic time
        assert(
            Self.checksEverything || objects.allSatisfy { $0.brokenInvariants(membersAtMost: most).isEmpty },
            "Broken: \(objects.flatMap { $0.brokenInvariants() })")
        assert(!Self.checksEverything || broken().isEmpty, "Broken: \(broken())")
    }

    private static let checksEverything = ProcessInfo.processInfo.environment["OCD_CHECK"] == "1"

    /// The violated invariants of the lists, the identity maps and all registered objects.
    ///
    /// - Parameter bothEnds: whether both ends of relationships have to agree. Primitive values, and refreshes of only
    ///   one end, may violate that.
    func broken(bothEnds: Bool = false) -> [String] {
        let objects = registry?.objects() ?? []
        var broken = tracker.brokenInvariants(registered: objects) + (registry?.brokenInvariants(objects) ?? [])
        for object in objects {
            broken += object.brokenInvariants()
            if bothEnds { broken += disagreements(object) }
        }
        return broken
    }

    private func disagreements(_ object: NSManagedObject) -> [String] {
        guard !object.isMarkedDeleted else { return [] }
        let layout = object.table.layout
        return (layout.toOneSlots + layout.toManySlots).flatMap { slot in
            object.knownDestinations(slot).filter { other in
                tracker.owns(other) && !other.isMarkedDeleted && !object.agrees(slot, with: other)
            }.map {
                "InverseMaintenance (1): \(layout.properties[slot].name) of \(layout.name) \(object.key) and \($0.key)"
            }
        }
    }
}

extension ChangeTracker {
    func brokenInvariants(registered: [NSManagedObject]) -> [String] {
        var broken: [String] = []
        let listed = Set(unsaved.map(ObjectIdentifier.init))
        let inEvent = Set(event.map(ObjectIdentifier.init))
        let known = registered + unsaved + event
        if listed.count != unsaved.count
            || known.contains(where: { $0.flags.contains(.listed) != listed.contains(ObjectIdentifier($0)) })
        {
            broken.append("ChangeTracker (1)")
        }
        if inEvent.count != event.count
            || known.contains(where: { $0.flags.contains(.inEvent) != inEvent.contains(ObjectIdentifier($0)) })
            || event.contains(where: {
                $0.storedExtension?.eventBase == nil && $0.flags.contains(.updatedInEvent)
                    && !$0.flags.contains(.inserted)
            })
        {
            broken.append("ChangeTracker (2)")
        }
        if registered.contains(where: { $0.isUnsaved && !$0.flags.contains(.listed) }) {
            broken.append("ChangeTracker (3)")
        }
        return broken
    }
}

extension ObjectRegistry {
    func brokenInvariants(_ objects: [NSManagedObject]) -> [String] {
        objects.filter { $0.table.identityMap.object($0.key) !== $0 || $0.table.owner == nil }
            .map { "IdentityMap (1): \($0.table.layout.name) \($0.key)" }
    }
}
