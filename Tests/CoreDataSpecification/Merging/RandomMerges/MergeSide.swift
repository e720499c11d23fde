// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One of the contexts of random merges: makes the changes, and finds faults of its memory after a save.

import CoreData
import CoreDataTestSupport
import Foundation

final class MergeSide {
    private let context: NSManagedObjectContext
    /// The parent of a nested side's context.
    private let parent: NSManagedObjectContext?
    private let coordinator: NSPersistentStoreCoordinator
    /// Whether everything was read at the last `sync`, at one moment, and not refreshed since.
    private var isWhole = true
    /// Things by label, as of the last `sync` and the insertions since.
    private var things: [String: LinkedThing] = [:]
    private var texts: [String: String] = [:]

    init(_ view: MergeView, _ coordinator: NSPersistentStoreCoordinator, _ policy: NSMergePolicy) {
        self.coordinator = coordinator
        let upper = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        upper.persistentStoreCoordinator = coordinator
        upper.mergePolicy = policy
        upper.retainsRegisteredObjects = true
        guard view.isNested else {
            (context, parent) = (upper, nil)
            return
        }
        context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.parent = upper
        context.mergePolicy = policy
        context.retainsRegisteredObjects = true
        parent = upper
    }

    private func refreshEverything() {
        context.rollback()
        if let parent {
            parent.performAndWait {
                parent.rollback()
                parent.refreshAllObjects()
            }
        }
        context.refreshAllObjects()
        things = [:]
        texts = [:]
    }

    /// - Returns: the findings afterwards.
    func sync(_ stored: [String: String]) throws -> [String] {
        try context.performAndWait {
            refreshEverything()
            isWhole = true
            for thing in try context.fetch(LinkedThings.request()) { things[thing.label] = thing }
            texts = things.mapValues(\.text)
            return innerFindings + differences(texts, stored)
        }
    }

    func readPart(_ names: [String], of places: [String: URL]) {
        context.performAndWait {
            refreshEverything()
            isWhole = false
            for (name, place) in places {
                guard let id = coordinator.managedObjectID(forURIRepresentation: place) else { continue }
                things[name] = context.object(with: id) as? LinkedThing
            }
            for name in names { if let thing = things[name] { texts[name] = thing.text } }
        }
    }

    /// The findings of a context and of its parents. A parent has read only the objects that its child needed, at that
    /// time.
    var innerFindings: [String] {
        let above = parent.map { parent in parent.performAndWait { parent.innerFindings(bothEnds: false) } } ?? []
        return above + context.performAndWait { context.innerFindings(bothEnds: isWhole) }
    }

    func saveFailure() -> NSError? {
        if let failure = context.performAndWait({ context.saveFailure() }) { return failure }
        guard let parent else { return nil }
        return parent.performAndWait { parent.saveFailure() }
    }

    func change(_ step: MergeStep) { context.performAndWait { perform(step) } }

    private func perform(_ step: MergeStep) {
        switch step {
        case .insert(_, let name):
            let thing = LinkedThing(context: context)
            thing.setValue(name, forKey: "label")
            things[name] = thing
        case .delete(_, let name): if let thing = alive(name) { context.delete(thing) }
        case .note(_, let name, let text): alive(name)?.setValue(text, forKey: "note")
        case .point(_, let name, let key, let other):
            guard let thing = alive(name) else { return }
            let destination = other.map { alive($0) }
            if case .some(nil) = destination { return }
            thing.setValue(destination ?? nil, forKey: key)
        case .add(_, let name, let key, let other):
            guard let thing = alive(name), let other = alive(other) else { return }
            set(thing, key, thing.things(key).filter { $0 !== other } + [other])
        case .remove(_, let name, let key, let position):
            guard let thing = alive(name) else { return }
            var members = thing.things(key).sorted { $0.label < $1.label }
            if members.isEmpty { return }
            let leaving = members.remove(at: position % members.count)
            set(thing, key, thing.things(key).filter { $0 !== leaving })
        case .rotate(_, let name, let key):
            guard let thing = alive(name), let last = thing.things(key).last else { return }
            set(thing, key, [last] + thing.things(key).dropLast())
        case .empty(_, let name, let key): if let thing = alive(name) { set(thing, key, []) }
        case .process: context.processPendingChanges()
        case .refresh(_, let name):
            guard let thing = alive(name) else { return }
            context.refresh(thing, mergeChanges: true)
            isWhole = false
        case .sync, .part, .save: break
        }
    }

    /// After a successful save: the ends agree in memory, and each thing is as the store has it. One that was not
    /// changed here may as well be as it was read. If a context has read a part, only the changed things are as the
    /// store has them; if it is a child, those of its parent.
    func findings(_ touched: Set<String>, _ stored: [String: String]) -> [String] {
        guard let parent else { return context.performAndWait { ownFindings(touched, stored) } }
        let below = context.performAndWait { context.hasChanges ? ["the child has changes"] : [] }
        return innerFindings + below
            + parent.performAndWait {
                let changes = parent.hasChanges ? ["the parent has changes"] : []
                let things = parent.registeredObjects.compactMap { $0 as? LinkedThing }
                return changes
                    + things.filter { !$0.isFault && !$0.isDeleted && touched.contains($0.label) }.compactMap { thing in
                        thing.text == stored[thing.label]
                            ? nil : "in the parent \(thing.text), stored \(stored[thing.label] ?? "nothing")"
                    }
            }
    }

    private func ownFindings(_ touched: Set<String>, _ stored: [String: String]) -> [String] {
        var findings = innerFindings
        if context.hasChanges { findings.append("the context has changes") }
        for (name, thing) in things.sorted(by: { $0.key < $1.key }) {
            guard thing.managedObjectContext != nil, !thing.isDeleted, isWhole || touched.contains(name) else {
                continue
            }
            let text = thing.text
            if text == stored[name] || !touched.contains(name) && text == texts[name] { continue }
            findings.append("in memory \(text), stored \(stored[name] ?? "nothing"), read \(texts[name] ?? "nothing")")
        }
        if findings.isEmpty { findings = innerFindings }
        if isWhole { for (name, thing) in things where thing.managedObjectContext != nil { texts[name] = thing.text } }
        return findings
    }

    /// The labels of the things that a save will write.
    func touched() -> Set<String> {
        context.performAndWait {
            context.processPendingChanges()
            return Set(things.filter { $0.value.hasPersistentChangedValues }.keys)
        }
    }

    private func alive(_ name: String) -> LinkedThing? {
        guard let thing = things[name], thing.managedObjectContext != nil, !thing.isDeleted else { return nil }
        return thing
    }

    private func set(_ thing: LinkedThing, _ key: String, _ members: [LinkedThing]) {
        let isOrdered = LinkedThings.links.contains { $0.name == key && $0.count == .ordered }
        thing.setValue(isOrdered ? NSOrderedSet(array: members) as Any : NSSet(array: members) as Any, forKey: key)
    }

    private func differences(_ found: [String: String], _ stored: [String: String]) -> [String] {
        Set(found.values).symmetricDifference(stored.values).sorted().map { "read by one and not by the other: \($0)" }
    }
}
