// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compares every value of a migrated store with those of its original.

import CoreData
import CoreDataModelFiles
import Foundation

/// Objects are paired by their keys, entities and properties by their renaming identifiers. An object of the original
/// must be in the migrated store or in a quarantine, and links to objects in a quarantine must be gone.
struct OriginalComparison {
    private static let slice = 500

    private struct Count {
        var objects = 0
        let example: String
    }

    private(set) var comparedObjects = 0
    private(set) var quarantinedObjects = 0
    private(set) var unmatched: [String] = []
    private let original: OpenedStore
    private let migrated: OpenedStore
    /// The objects in quarantines, by the names of the original.
    private var quarantined: Set<Target> = []
    /// The names of the migrated store's entities by those of the original.
    private var names: [String: String] = [:]
    private var counts: [String: Count] = [:]

    var differences: [String] {
        counts.sorted { $0.key < $1.key }.map { subject, count in
            "\(subject): \(count.objects) object\(count.objects == 1 ? "" : "s"), first \(count.example)."
        }
    }

    init(_ original: OpenedStore, _ migrated: OpenedStore, quarantines: [OpenedStore]) throws {
        self.original = original
        self.migrated = migrated
        for store in quarantines { try compare(quarantine: store) }
        let wanted = NSManagedObjectModel(document: migrated.document).entitiesByName
        var pairs: [EntityPair] = []
        for old in original.entities {
            guard let name = old.name, let new = Self.counterpart(of: old, among: migrated.entities) else {
                if !old.isAbstract { unmatched.append(old.name ?? "") }
                continue
            }
            names[name] = new.name
            guard !old.isAbstract, !new.isAbstract else { continue }
            let pair = EntityPair(old, new, wanted: wanted[new.name ?? ""])
            unmatched += pair.unmatched
            pairs.append(pair)
        }
        for pair in pairs { try compare(pair) }
    }

    private static func counterpart(
        of old: NSEntityDescription, among entities: [NSEntityDescription]
    ) -> NSEntityDescription? {
        let name = old.renamingIdentifier ?? old.name
        return entities.first { ($0.renamingIdentifier ?? $0.name) == name }
            ?? entities.first { $0.renamingIdentifier == old.name }
    }

    // MARK: Objects

    private mutating func compare(_ pair: EntityPair) throws {
        let keys = try Self.keys(of: pair.old, in: original)
        let known = Set(try Self.keys(of: pair.new, in: migrated))
        let isLeft = { [quarantined] (key: Int64) in quarantined.contains(Target(pair.old.name ?? "", String(key))) }
        for key in keys where known.contains(key) && isLeft(key) {
            note("\(pair.new.name ?? "") has objects of the quarantine", "\(pair.old.name ?? "")/\(key)")
        }
        for key in keys where !known.contains(key) && !isLeft(key) {
            note("\(pair.new.name ?? "") lacks objects of the original", "\(pair.old.name ?? "")/\(key)")
        }
        let former = Set(keys)
        for key in known.sorted() where !former.contains(key) {
            note("\(pair.new.name ?? "") has objects that the original lacks", "\(pair.new.name ?? "")/\(key)")
        }
        let both = keys.filter(known.contains)
        let progress = ProgressLine("Comparing \(pair.new.name ?? "")", total: both.count)
        for start in stride(from: 0, to: both.count, by: Self.slice) {
            let slice = Array(both[start..<min(start + Self.slice, both.count)])
            let old = try Self.values(slice, pair.old, pair.properties.map(\.old), in: original)
            let new = try Self.values(slice, pair.new, pair.properties.map(\.new), in: migrated)
            for (key, rows) in zip(slice, zip(old, new)) { compare(key, rows.0, rows.1, pair) }
            comparedObjects += slice.count
            progress.advance(to: comparedObjects)
        }
        progress.finish()
    }

    private mutating func compare(_ key: Int64, _ old: [ComparedValue], _ new: [ComparedValue], _ pair: EntityPair) {
        for (property, values) in zip(pair.properties, zip(old, new)) {
            guard !property.isSame(values.0.without(quarantined), values.1, names: names) else { continue }
            note(
                "\(pair.new.name ?? "").\(property.new.name) differs from the original",
                "\(pair.new.name ?? "")/\(key), \(values.0.text) before and \(values.1.text) now")
        }
    }

    /// Each object of a quarantine has the attributes of the original.
    private mutating func compare(quarantine store: OpenedStore) throws {
        for entity in store.entities where !entity.isAbstract {
            guard let name = entity.name, let old = original.entities.first(where: { $0.name == name }) else {
                continue
            }
            let keys = try Self.keys(of: entity, in: store)
            let known = Set(try Self.keys(of: old, in: original))
            for key in keys where !known.contains(key) {
                note("The quarantine has objects of \(name) that the original lacks", "\(name)/\(key)")
            }
            let both = keys.filter(known.contains)
            quarantined.formUnion(both.map { Target(name, String($0)) })
            quarantinedObjects += both.count
            let pairs = EntityPair(old, entity, wanted: nil).properties.filter { $0.old is NSAttributeDescription }
            for start in stride(from: 0, to: both.count, by: Self.slice) {
                let slice = Array(both[start..<min(start + Self.slice, both.count)])
                let before = try Self.values(slice, old, pairs.map(\.old), in: original)
                let now = try Self.values(slice, entity, pairs.map(\.new), in: store)
                for (key, rows) in zip(slice, zip(before, now)) {
                    for (pair, values) in zip(pairs, zip(rows.0, rows.1))
                    where !pair.isSame(values.0, values.1, names: [:]) {
                        note("\(name).\(pair.old.name) in the quarantine differs from the original", "\(name)/\(key)")
                    }
                }
            }
        }
    }

    private mutating func note(_ subject: String, _ example: String) {
        counts[subject, default: Count(example: example)].objects += 1
    }

    // MARK: Reading

    private static func keys(of entity: NSEntityDescription, in store: OpenedStore) throws -> [Int64] {
        try store.ask { context in
            let request = NSFetchRequest<NSManagedObjectID>(entityName: entity.name ?? "")
            request.includesSubentities = false
            request.resultType = .managedObjectIDResultType
            return try context.fetch(request).compactMap(\.rowKey).sorted()
        }
    }

    /// The values of objects in the order of their keys. Objects that cannot be read have none.
    private static func values(
        _ keys: [Int64], _ entity: NSEntityDescription, _ properties: [NSPropertyDescription], in store: OpenedStore
    ) throws -> [[ComparedValue]] {
        let ids = try keys.map { try store.objectID("\(entity.name ?? "")/\($0)", of: entity) }
        return try store.ask { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
            request.predicate = NSPredicate(format: "SELF IN %@", ids.compactMap { $0 } as NSArray)
            request.returnsObjectsAsFaults = false
            request.relationshipKeyPathsForPrefetching = properties.compactMap {
                ($0 as? NSRelationshipDescription)?.isToMany == true ? $0.name : nil
            }
            let objects = Dictionary(
                try context.fetch(request).map { ($0.objectID.rowKey, $0) }, uniquingKeysWith: { first, _ in first })
            defer { context.reset() }
            return keys.map { key in
                guard let object = objects[key] else { return [] }
                return properties.map { ComparedValue(object.value(forKey: $0.name)) }
            }
        }
    }
}

extension NSManagedObjectID {
    /// The number after the `p` of the URI; nil for other ids.
    fileprivate var rowKey: Int64? { Int64(uriRepresentation().lastPathComponent.dropFirst()) }
}
