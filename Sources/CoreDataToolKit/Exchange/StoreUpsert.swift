// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Imports an export into a store that has data: objects with the same key are updated, others inserted.

import CoreData
import CoreDataExchange
import CoreDataModelFiles
package import Foundation
import SQLiteDriver

/// An import through the framework: objects are validated, and the history and other programs see each save.
///
/// # Order
/// 1. All records: an object with the same key values is updated, any other record is inserted. The destinations of
///    mandatory to-ones come before the objects that need them.
/// 2. All relationships, from the ids of the export to the objects of the first step. A relationship to an object
///    without a record in the export loses nothing: a to-one stays as it is, and a to-many only gains members.
/// Each step saves pages of objects. An error ends the import; the saves before it stay, and the same import may be run
/// again, because the keys find the objects.
package struct StoreUpsert {
    private static let page = 500

    private let source: ExchangeSource
    private let keys: [String: [String]]
    private let context: NSManagedObjectContext
    private let model: NSManagedObjectModel
    private let isDry: Bool
    private var summary = StoreImport.Summary()
    private var unique = RecordUniqueness()
    /// The objects of the unsaved page, by the ids of the export.
    private var pending: [String: NSManagedObject] = [:]
    /// The keys of rows by the ids of the export.
    private var ids: [String: [Int64: Int64]] = [:]

    /// - Parameters:
    ///   - keys: the key attributes by entity name. Records of other entities are inserted.
    ///   - isDry: counts, checks unique values, and changes nothing.
    /// - Throws: `ToolError` with file, line and id for a record that does not fit; the errors of saves.
    package static func run(
        _ url: URL, from source: ExchangeSource, keys: [String: [String]], model modelURL: URL? = nil,
        version: String? = nil, isDry: Bool = false, step: (String) -> Void = { _ in }
    ) throws -> StoreImport.Summary {
        let kind = try FileKind(of: url)
        guard let type = kind.storeType else { throw ToolError("\(url.path) is no store.") }
        var document = try document(of: url, modelURL, version)
        for position in document.entities.indices {
            document.entities[position].className = nil
            for attribute in document.entities[position].attributes.indices
            where AttributeKind(rawValue: document.entities[position].attributes[attribute].type) == .transformable {
                // Archives are imported as bytes.
                document.entities[position].attributes[attribute].valueTransformerName = nil
            }
        }
        let model = NSManagedObjectModel(document: document)
        for name in keys.keys where model.entitiesByName[name] == nil {
            throw ToolError("There is no entity '\(name)'.")
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let location = try ReadLocation(of: url, isWritten: !isDry)
        let store = try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: location.url,
            options: [
                NSReadOnlyPersistentStoreOption: isDry, storeLeavesNoTraceOption: isDry && location.isInPlace,
                NSIgnorePersistentStoreVersioningOption: isDry,
            ])
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        context.transactionAuthor = "coredata-tool import"
        var work = StoreUpsert(source: source, keys: keys, context: context, model: model, isDry: isDry)
        do {
            try context.performAndWait {
                try work.values(step)
                if !isDry { try work.relationships(step) }
            }
        } catch {
            // A store that stays open would leave its WAL files in the folder.
            try? coordinator.remove(store)
            throw error
        }
        try coordinator.remove(store)
        return work.summary
    }

    /// The model of a store. The store is closed again: a reader without a trace would keep a writer from the WAL.
    private static func document(of url: URL, _ modelURL: URL?, _ version: String?) throws -> ModelDocument {
        let opened = try OpenedStore(url, model: modelURL, version: version)
        guard opened.origin == .cache || opened.origin == .file else {
            throw ToolError("\(url.path) keeps no model: give one with --model.")
        }
        for store in opened.context.persistentStoreCoordinator?.persistentStores ?? [] {
            try opened.context.persistentStoreCoordinator?.remove(store)
        }
        return opened.document
    }

    private init(
        source: ExchangeSource, keys: [String: [String]], context: NSManagedObjectContext, model: NSManagedObjectModel,
        isDry: Bool
    ) {
        self.source = source
        self.keys = keys
        self.context = context
        self.model = model
        self.isDry = isDry
    }

    /// Calls the body with each record of all files, and saves after each page.
    private mutating func eachRecord(
        _ label: String, _ step: (String) -> Void,
        _ body: (inout StoreUpsert, ExchangeRecord) throws -> NSManagedObject?
    ) throws {
        for file in source.files {
            step("\(label) of \(file.lastPathComponent)")
            let reader = try ToolError.sentence { try RecordReader(file) }
            var page: [(ExchangeRecord, NSManagedObject)] = []
            func save(_ work: inout StoreUpsert) throws {
                defer {
                    page = []
                    work.pending = [:]
                }
                if work.isDry { return work.context.reset() }
                if work.context.hasChanges { try work.context.save() }
                for (record, object) in page {
                    work.ids[record.entity, default: [:]][record.key] =
                        Int64(object.objectID.uriRepresentation().lastPathComponent.dropFirst()) ?? 0
                }
                work.context.reset()
            }
            while let record = try ToolError.sentence({ try reader.next() }) {
                do {
                    if let object = try body(&self, record) { page.append((record, object)) }
                } catch let error where ToolError.isSentence(error) {
                    throw ToolError("\(record.entity)/\(record.key): \(ToolError.text(of: error))")
                }
                if page.count == Self.page { try save(&self) }
            }
            try save(&self)
        }
    }

    // MARK: Values

    private mutating func values(_ step: (String) -> Void) throws {
        let ranks = isDry ? [Set(model.entitiesByName.keys)] : Self.ranks(model)
        for names in ranks { try values(step, of: names) }
    }

    private mutating func values(_ step: (String) -> Void, of names: Set<String>) throws {
        try eachRecord("values", step) { work, record in
            guard let entity = work.model.entitiesByName[record.entity], !entity.isAbstract else {
                throw ToolError("The model has no entity '\(record.entity)'.")
            }
            guard names.contains(record.entity) else { return nil }
            let values = try work.attributes(of: record, entity)
            let found = try work.existing(entity, values)
            if found == nil { work.summary.inserted += 1 } else { work.summary.updated += 1 }
            if work.isDry {
                try work.unique.check(
                    values, of: record, entity, found, key: work.keyNames(entity), work.context)
                return nil
            }
            let object =
                found ?? NSEntityDescription.insertNewObject(forEntityName: record.entity, into: work.context)
            for (name, value) in values { Self.set(value, name, of: object) }
            work.pending["\(record.entity)/\(record.key)"] = object
            if found == nil { try work.setNeeded(record, of: object) }
            return object
        }
    }

    /// A new object is saved with its mandatory to-ones, or not at all.
    private func setNeeded(_ record: ExchangeRecord, of object: NSManagedObject) throws {
        for (name, relationship) in object.entity.relationshipsByName
        where !relationship.isToMany && !relationship.isOptional {
            guard let id = record.values[name] as? String, let other = try self.object(id) else {
                continue
            }
            object.setValue(other, forKey: name)
        }
    }

    /// The entities in the order of their records: an entity follows those that its mandatory relationships need.
    /// Entities that need one another come last.
    private static func ranks(_ model: NSManagedObjectModel) -> [Set<String>] {
        var left = model.entities.filter { $0.name != nil }
        var ranks: [Set<String>] = []
        func needs(_ entity: NSEntityDescription, _ other: NSEntityDescription) -> Bool {
            entity != other
                && entity.relationshipsByName.values.contains { relationship in
                    !relationship.isToMany && !relationship.isOptional
                        && (relationship.destinationEntity.map { other.isKindOf(entity: $0) } ?? false)
                }
        }
        while !left.isEmpty {
            let free = left.filter { entity in !left.contains { needs(entity, $0) } }
            let next = free.isEmpty ? left : free
            ranks.append(Set(next.compactMap(\.name)))
            left.removeAll { next.contains($0) }
        }
        return ranks
    }

    /// - Parameter label: an attribute, or a path to an element of a composite one.
    private static func set(_ value: Any?, _ label: String, of object: NSManagedObject) {
        let path = label.split(separator: ".").map(String.init)
        guard path.count > 1 else { return object.setValue(value, forKey: label) }
        let old = object.value(forKey: path[0]) as? [String: Any]
        object.setValue(replacing(old, path.dropFirst(), value), forKey: path[0])
    }

    /// The values of a composite attribute with another element; nil if none is left.
    private static func replacing(_ old: [String: Any]?, _ path: ArraySlice<String>, _ value: Any?) -> [String: Any]? {
        var result = old ?? [:]
        guard let name = path.first else { return old }
        result[name] =
            path.count == 1 ? value : replacing(result[name] as? [String: Any], path.dropFirst(), value)
        return result.isEmpty ? nil : result
    }

    private func keyNames(_ entity: NSEntityDescription) -> [String]? {
        var next: NSEntityDescription? = entity
        while let current = next {
            if let names = keys[current.name ?? ""] { return names }
            next = current.superentity
        }
        return nil
    }

    private func existing(_ entity: NSEntityDescription, _ values: [String: Any?]) throws -> NSManagedObject? {
        guard let names = keyNames(entity) else { return nil }
        let conditions = try names.map { name -> NSPredicate in
            guard entity.attributesByName[name] != nil else {
                throw ToolError("\(entity.name ?? "") has no attribute '\(name)' to be a key.")
            }
            guard let value = values[name] ?? nil else {
                throw ToolError("The record has no value of the key '\(name)'.")
            }
            return NSPredicate(format: "%K == %@", name, value)
        }
        let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
        request.predicate = NSCompoundPredicate(andPredicateWithSubpredicates: conditions)
        request.fetchLimit = 2
        let found = try context.fetch(request)
        guard found.count < 2 else {
            throw ToolError("Several objects of the store have the key of this record.")
        }
        return found.first
    }

    private func attributes(of record: ExchangeRecord, _ entity: NSEntityDescription) throws -> [String: Any?] {
        var result: [String: Any?] = [:]
        for (label, json) in record.values {
            let parts = label.split(separator: ".").map(String.init)
            if entity.relationshipsByName[parts[0]] != nil { continue }
            var attribute = entity.attributesByName[parts[0]]
            for name in parts.dropFirst() {
                attribute = (attribute as? NSCompositeAttributeDescription)?.elements.first { $0.name == name }
            }
            guard let attribute else { throw ToolError("\(record.entity) has no property '\(label)'.") }
            if attribute is NSDerivedAttributeDescription { continue }
            result[label] = try RecordValue.value(json, attribute, data: source.data)
        }
        return result
    }

    // MARK: Relationships

    private mutating func relationships(_ step: (String) -> Void) throws {
        try eachRecord("relationships", step) { work, record in
            guard let entity = work.model.entitiesByName[record.entity] else { return nil }
            let own = record.values.filter { entity.relationshipsByName[$0.key] != nil }
            guard !own.isEmpty, let object = try work.object("\(record.entity)/\(record.key)") else { return nil }
            for (name, json) in own {
                guard let relationship = entity.relationshipsByName[name] else { continue }
                if relationship.isToMany {
                    guard let ids = json as? [String] else { continue }
                    try work.setMembers(ids, relationship, of: object)
                } else if let id = json as? String {
                    let other = try work.object(id)
                    if let other { object.setValue(other, forKey: name) } else { work.summary.unknownReferences += 1 }
                } else {
                    object.setValue(nil, forKey: name)
                }
                work.summary.links += 1
            }
            return object
        }
    }

    private mutating func setMembers(
        _ ids: [String], _ relationship: NSRelationshipDescription, of object: NSManagedObject
    ) throws {
        let known = try ids.compactMap { try self.object($0) }
        let unknown = ids.count - known.count
        summary.unknownReferences += unknown
        let name = relationship.name
        var members: [Any] = []
        if unknown > 0 {
            members =
                relationship.isOrdered
                ? object.mutableOrderedSetValue(forKey: name).array : object.mutableSetValue(forKey: name).allObjects
        }
        members += known
        object.setValue(
            relationship.isOrdered ? NSOrderedSet(array: members) : NSSet(array: members), forKey: name)
    }

    /// The object of the store for an id of the export; nil for an id without a record.
    private func object(_ id: String) throws -> NSManagedObject? {
        if let object = pending[id] { return object }
        let (name, key) = try ExchangeRecord.reference(id)
        guard let coordinator = context.persistentStoreCoordinator, let row = ids[name]?[key],
            let identifier = coordinator.persistentStores.first?.identifier,
            let url = URL(string: "x-coredata://\(identifier)/\(name)/p\(row)"),
            let objectID = coordinator.managedObjectID(forURIRepresentation: url)
        else { return nil }
        return context.object(with: objectID)
    }
}
