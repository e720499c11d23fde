// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds differences between a context and its reference.

import CoreData
import CoreDataTestSupport
import Foundation

struct Comparison {
    private let level: Level
    private var reference: ReferenceContext { level.reference }

    init(_ level: Level) { self.level = level }

    // MARK: Without reading anything

    /// The state of the context and of its objects. Fires no fault, ends no event.
    func glance() -> [String] {
        let context = level.context
        let inserted = level.names(context.insertedObjects)
        let deleted = level.names(context.deletedObjects)
        let updated = level.names(context.updatedObjects)
        var findings = differences("inserted", inserted, reference.inserted)
        // A dangling relationship makes an object for the missing record, which is deleted at once.
        let ghosts = reference.ghosts.subtracting(reference.records.keys)
        findings += differences("deleted", deleted.subtracting(ghosts), reference.deleted)
        findings += differences("updated", updated.intersection(reference.updated), reference.updated)
        findings += differences("needlessly updated", updated.subtracting(reference.touched), [])
        if !reference.isBetween, context.hasChanges != !(inserted.isEmpty && deleted.isEmpty && updated.isEmpty) {
            findings.append("hasChanges is \(context.hasChanges)")
        }
        let registered = level.names(context.registeredObjects)
        let expected = inserted.union(deleted).union(updated).union(level.held.keys)
        findings += differences("registered", registered.intersection(expected), expected)
        findings += differences(
            "registered for no record", registered.subtracting(reference.records.keys).subtracting(ghosts), [])
        for (name, object) in level.alive {
            findings += flags(name, object, updated: updated.contains(name))
            findings += changes(name, object)
        }
        return findings.map(\.self)
    }

    private func flags(_ name: String, _ object: NSManagedObject, updated: Bool) -> [String] {
        guard reference.records[name] != nil else { return [] }
        let isInserted = reference.state.inserted.contains(name)
        let isDeleted = reference.state.deleted.contains(name)
        var findings: [String] = []
        func check(_ what: String, _ value: Bool, _ expected: Bool) {
            if value != expected { findings.append("\(name).\(what) is \(value)") }
        }
        if !reference.isBetween {
            check("isInserted", object.isInserted, isInserted)
            check("isDeleted", object.isDeleted, isDeleted)
            check("isUpdated", object.isUpdated, updated)
            check("hasChanges", object.hasChanges, isInserted || isDeleted || updated)
            let persistent = isInserted || isDeleted || !reference.changes(of: name).subtracting(["mood"]).isEmpty
            check("hasPersistentChangedValues", object.hasPersistentChangedValues, persistent)
        }
        check("managedObjectContext == context", object.managedObjectContext === level.context, true)
        check("objectID.isTemporaryID", object.objectID.isTemporaryID, level.ids[name]?.isTemporaryID ?? true)
        check("faultingState == 0", object.faultingState == 0, !object.isFault)
        return findings
    }

    private func changes(_ name: String, _ object: NSManagedObject) -> [String] {
        guard let record = reference.records[name], !reference.state.deleted.contains(name) else { return [] }
        var findings = differences(
            "\(name).changedValues", Set(object.changedValues().keys), reference.changes(of: name))
        guard !level.hasRefreshed, !reference.state.inserted.contains(name),
            let before = reference.history.eventStart.records[name]
        else { return findings }
        let current = object.changedValuesForCurrentEvent()
        let expected = record.differences(from: before)
        findings += differences("\(name).changedValuesForCurrentEvent", Set(current.keys), expected)
        for key in expected.intersection(World.attributes(of: record.entity)) where current[key] != nil {
            let value = Self.value(current[key])
            if value != before.attributes[key] { findings.append("\(name).\(key) was \(text(value)) in this event") }
        }
        return findings
    }

    // MARK: Reading everything

    /// All values of all objects.
    func look(as place: String = "") throws -> [String] {
        var findings: [String] = []
        var found: Set<String> = []
        for root in World.roots {
            let objects = try level.context.fetch(NSFetchRequest<NSManagedObject>(entityName: root))
            for object in objects {
                level.note(object)
                guard let name = level.name(object) else { continue }
                if !found.insert(name).inserted { findings.append("\(name) was found twice") }
                findings += values(name, object)
            }
        }
        findings += differences("fetched", found, Set(reference.live))
        for (name, object) in level.alive { findings += committedValues(name, object) }
        return place.isEmpty ? findings : findings.map { "\(place): \($0)" }
    }

    private func values(_ name: String, _ object: NSManagedObject) -> [String] {
        guard let record = reference.records[name] else { return [] }
        var findings: [String] = []
        if object.entity.name != record.entity { findings.append("\(name) is a \(object.entity.name ?? "")") }
        for key in World.attributes(of: record.entity) {
            let value = Self.value(object.value(forKey: key))
            let expected = record.attributes[key]
            if value != expected { findings.append("\(name).\(key) is \(text(value)), not \(text(expected))") }
        }
        for link in World.links(of: record.entity) where !reference.isDangling(name, link.name) {
            let (names, expected) = (destinations(object.value(forKey: link.name), link), destinations(record, link))
            if names != expected { findings.append("\(name).\(link.name) is \(names), not \(expected)") }
        }
        return findings
    }

    private func committedValues(_ name: String, _ object: NSManagedObject) -> [String] {
        guard let record = reference.records[name], !reference.state.deleted.contains(name), !object.isFault else {
            return []
        }
        var findings: [String] = []
        let saved = reference.committed[name]
        let keys = World.attributes(of: record.entity)
        for (key, value) in object.committedValues(forKeys: keys) where Self.value(value) != saved?.attributes[key] {
            findings.append(
                "\(name).\(key) was saved as \(text(saved?.attributes[key])), not as \(text(Self.value(value)))")
        }
        for link in World.links(of: record.entity) {
            // Members of an unordered relationship may have been deleted: nothing to compare with.
            guard let saved, !reference.isDangling(name, link.name) else { continue }
            let value = object.committedValues(forKeys: [link.name])[link.name]
            let (names, expected) = (destinations(value, link), destinations(saved, link))
            if names != expected { findings.append("\(name).\(link.name) was saved as \(expected), not as \(names)") }
        }
        return findings
    }

    // MARK: Fetching

    func ask(_ query: Query, _ levels: [Level]) throws -> [String] {
        let context = level.context
        let objects = try context.fetch(query.request(NSManagedObject.self, level.object))
        let changed = levels.map(\.changed)
        let expected = query.answer(levels.map(\.reference)) { changed[$0].contains($1) }
        for object in objects { level.note(object) }
        let idRequest = query.request(NSManagedObjectID.self, level.object)
        idRequest.resultType = .managedObjectIDResultType
        let ids = try context.fetch(idRequest)
        let count = try context.count(for: query.request(NSManagedObject.self, level.object))
        var findings: [String] = []
        let names = objects.compactMap { level.name($0) }
        if names != expected { findings.append("\(query) found \(names), not \(expected)") }
        if ids.compactMap({ level.names[$0] }) != names { findings.append("\(query) found other ids") }
        if count != expected.count { findings.append("\(query) counted \(count), not \(expected.count)") }
        return findings
    }

    // MARK: Values

    private func destinations(_ record: Record, _ link: Link) -> [String] {
        link.isToMany ? record.members(link.name) : [record.ones[link.name]].compactMap { $0 }
    }

    private func destinations(_ value: Any?, _ link: Link) -> [String] {
        switch value {
        case let set as NSOrderedSet: return set.array.compactMap { level.name($0 as? NSManagedObject) }
        case let set as NSSet: return set.allObjects.compactMap { level.name($0 as? NSManagedObject) }.sorted()
        default: return [level.name(value as? NSManagedObject)].compactMap { $0 }
        }
    }

    private static func value(_ value: Any?) -> Value? {
        switch value {
        case let text as String: .text(text)
        case let number as NSNumber: .number(number.intValue)
        default: nil
        }
    }

    private func text(_ value: Value?) -> String { value.map(\.description) ?? "nil" }

    private func differences(_ what: String, _ names: Set<String>, _ expected: Set<String>) -> [String] {
        names == expected ? [] : ["\(what): \(names.sorted()), not \(expected.sorted())"]
    }
}
