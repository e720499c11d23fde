// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One of the contexts of random merges: makes the changes, and finds where its memory is wrong after a save.

import CoreData
import CoreDataTestSupport
import Foundation

final class MergeSide {
    let context: NSManagedObjectContext
    /// Things by label, as of the last `sync` and the insertions since.
    private var things: [String: LinkedThing] = [:]
    private var texts: [String: String] = [:]

    init(_ context: NSManagedObjectContext, _ policy: NSMergePolicy) {
        self.context = context
        context.retainsRegisteredObjects = true
        context.mergePolicy = policy
    }

    /// - Returns: what is wrong afterwards.
    func sync(_ stored: [String: String]) throws -> [String] {
        context.rollback()
        context.refreshAllObjects()
        things = [:]
        for thing in try context.fetch(LinkedThings.request()) { things[thing.label] = thing }
        texts = things.mapValues(\.text)
        return context.innerFindings + differences(texts, stored)
    }

    func change(_ step: MergeStep) {
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
        case .sync, .save: break
        }
    }

    /// After a successful save: the ends agree in memory, and each thing is as the store has it. One that was not
    /// changed here may as well be as it was read.
    func findings(_ touched: Set<String>, _ stored: [String: String]) -> [String] {
        var findings = context.innerFindings
        if context.hasChanges { findings.append("the context has changes") }
        for (name, thing) in things.sorted(by: { $0.key < $1.key }) {
            guard thing.managedObjectContext != nil, !thing.isDeleted else { continue }
            let text = thing.text
            if text == stored[name] || !touched.contains(name) && text == texts[name] { continue }
            findings.append("in memory \(text), stored \(stored[name] ?? "nothing"), read \(texts[name] ?? "nothing")")
        }
        if findings.isEmpty { findings = context.innerFindings }
        for (name, thing) in things where thing.managedObjectContext != nil { texts[name] = thing.text }
        return findings
    }

    /// The labels of what a save will write.
    func touched() -> Set<String> {
        context.processPendingChanges()
        return Set(things.filter { $0.value.hasPersistentChangedValues }.keys)
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
