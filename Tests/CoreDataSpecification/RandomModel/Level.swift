// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A context at work, with its reference.

import CoreData
import CoreDataTestSupport
import Foundation

final class Level {
    private struct Weakly {
        weak var object: NSManagedObject?
    }

    let context: NSManagedObjectContext
    var reference: ReferenceContext
    /// Objects that the test retains.
    var held: [String: NSManagedObject] = [:]
    /// The ids of all objects that were ever registered here.
    private(set) var ids: [String: NSManagedObjectID]
    private(set) var names: [NSManagedObjectID: String] = [:]
    private var known: [String: Weakly] = [:]
    /// Whether values were read again in this event, so that its changes are not known.
    var hasRefreshed = false
    /// Whether objects were touched in this event, even without a change in the end.
    var isDirtyInEvent = false

    init(_ context: NSManagedObjectContext, _ reference: ReferenceContext, ids: [String: NSManagedObjectID] = [:]) {
        self.context = context
        self.reference = reference
        self.ids = ids
        for (name, id) in ids { names[id] = name }
    }

    // MARK: Names and objects

    func learn(_ name: String, _ id: NSManagedObjectID) {
        ids[name] = id
        names[id] = name
    }

    func name(_ object: NSManagedObject?) -> String? { object.map { names[$0.objectID] ?? "stranger \($0)" } }

    func names(_ objects: some Sequence<NSManagedObject>) -> Set<String> { Set(objects.compactMap { name($0) }) }

    /// The living object, or a new fault.
    func object(_ name: String) -> NSManagedObject {
        if let object = known[name]?.object { return object }
        guard let id = ids[name] else { preconditionFailure("there never was a \(name)") }
        let object = context.object(with: id)
        known[name] = Weakly(object: object)
        return object
    }

    /// The changed objects. Whether setting a value to itself is a change is left to the context.
    var changed: Set<String> {
        context.performAndWait {
            names(context.insertedObjects.union(context.updatedObjects).union(context.deletedObjects))
        }
    }

    func note(_ object: NSManagedObject) {
        if let name = names[object.objectID] { known[name] = Weakly(object: object) }
    }

    var alive: [(name: String, object: NSManagedObject)] {
        known.keys.sorted().compactMap { name in known[name]?.object.map { (name, $0) } }
    }

    func forget(_ name: String) {
        known[name] = nil
        held[name] = nil
    }

    /// The names of known objects that have been released.
    func collectDead() -> [String] {
        let dead = known.keys.filter { known[$0]?.object == nil }.sorted()
        for name in dead { known[name] = nil }
        return dead
    }

    // MARK: Changes

    func change(_ operation: Operation) {
        switch operation {
        case .insert(let name, let entity):
            let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
            object.setValue(name, forKey: "name")
            learn(name, object.objectID)
            note(object)
        case .set(let name, let attribute, let value): object(name).setValue(value?.object, forKey: attribute)
        case .link(let name, let key, let other): object(name).setValue(other.map(object), forKey: key)
        case .add(let name, let key, let other, let position): add(object(other), to: object(name), key, position)
        case .remove(let name, let key, let other):
            let isOrdered = reference.link(name, key).isOrdered
            if isOrdered {
                object(name).mutableOrderedSetValue(forKey: key).remove(object(other))
            } else {
                object(name).mutableSetValue(forKey: key).remove(object(other))
            }
        case .replace(let name, let key, let others):
            let members = others.map(object)
            let isOrdered = reference.link(name, key).isOrdered
            object(name).setValue(isOrdered ? NSOrderedSet(array: members) : NSSet(array: members), forKey: key)
        case .delete(let name): context.delete(object(name))
        default: preconditionFailure("\(operation) changes no object")
        }
        reference.change(operation)
        isDirtyInEvent = true
    }

    private func add(_ other: NSManagedObject, to object: NSManagedObject, _ key: String, _ position: Int?) {
        guard let position else { return object.mutableSetValue(forKey: key).add(other) }
        let members = object.mutableOrderedSetValue(forKey: key)
        members.insert(other, at: min(position, members.count))
    }
}
