// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compares two models: entities, properties, version hashes, and the work of a migration between them.

import CoreData
package import CoreDataModelFiles
package import Foundation

/// The differences between two models.
package struct ModelDiff: Sendable, Equatable {
    package struct Change: Sendable, Equatable {
        /// "added", "removed" or "changed".
        package let kind: String
        package let entity: String
        /// nil for the entity itself.
        package let property: String?
        /// The differing settings, such as "type Integer 16 → String".
        package let text: String
    }

    package let changes: [Change]
    /// Sentences about a migration from the first to the second model; empty if none is needed.
    package let migration: [String]
    /// The stores whose models were inferred, and are less complete than real models.
    package private(set) var inferred: [URL] = []

    package init(_ one: ModelDocument, _ other: ModelDocument) {
        var changes: [Change] = []
        let (old, new) = (Self.entities(one), Self.entities(other))
        let (oldHashes, newHashes) = (Self.hashes(one), Self.hashes(other))
        for name in Set(old.keys).union(new.keys).sorted() {
            guard let before = old[name] else {
                changes.append(Change(kind: "added", entity: name, property: nil, text: ""))
                continue
            }
            guard let after = new[name] else {
                changes.append(Change(kind: "removed", entity: name, property: nil, text: ""))
                continue
            }
            let isSameVersion = oldHashes[name] == newHashes[name]
            let settings = Self.settings(before, after) + (isSameVersion ? [] : ["version hash"])
            if !settings.isEmpty {
                changes.append(
                    Change(kind: "changed", entity: name, property: nil, text: settings.joined(separator: ", ")))
            }
            changes += Self.properties(before, after, name)
        }
        self.changes = changes
        migration = oldHashes == newHashes ? [] : Self.migration(one, other)
    }

    /// Compares the models of two files, each a model or a store.
    ///
    /// - Parameter model: the model of a store that keeps none.
    package init(_ one: URL, _ other: URL, model: URL? = nil, inference: ModelInference? = nil) throws {
        let (first, second) = (
            try Self.document(one, model, inference), try Self.document(other, model, inference)
        )
        self.init(first.document, second.document)
        inferred = (first.isInferred ? [one] : []) + (second.isInferred ? [other] : [])
    }

    private static func document(_ url: URL, _ model: URL?, _ inference: ModelInference?) throws
        -> (document: ModelDocument, isInferred: Bool)
    {
        if try FileKind(of: url) == .model { return (try ModelBundle.load(contentsOf: url, version: nil), false) }
        let store = try OpenedStore(url, model: RowStore.model(model, for: url), inference: inference)
        return (store.document, store.origin != .cache && store.origin != .file)
    }

    private static func entities(_ document: ModelDocument) -> [String: ModelDocument.Entity] {
        Dictionary(document.entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private static func hashes(_ document: ModelDocument) -> [String: Data] {
        NSManagedObjectModel(document: document).entityVersionHashesByName
    }

    // MARK: Settings

    private static func settings(_ old: ModelDocument.Entity, _ new: ModelDocument.Entity) -> [String] {
        var result: [String] = []
        note("superentity", old.superentityName, new.superentityName, &result)
        note("abstract", old.isAbstract, new.isAbstract, &result)
        note("class", old.className, new.className, &result)
        note("renaming identifier", old.renamingIdentifier, new.renamingIdentifier, &result)
        if old.uniquenessConstraints != new.uniquenessConstraints { result.append("uniqueness constraints") }
        if old.indexes != new.indexes { result.append("indexes") }
        return result
    }

    private static func note<Value: Equatable>(
        _ name: String, _ old: Value, _ new: Value, _ result: inout [String]
    ) {
        func text(_ value: Value) -> String {
            let mirror = Mirror(reflecting: value)
            if mirror.displayStyle == .optional { return mirror.children.first.map { "\($0.value)" } ?? "none" }
            return value as? Bool == true ? "yes" : value as? Bool == false ? "no" : "\(value)"
        }
        if old != new { result.append("\(name) \(text(old)) → \(text(new))") }
    }

    private static func properties(
        _ old: ModelDocument.Entity, _ new: ModelDocument.Entity, _ entity: String
    ) -> [Change] {
        var result: [Change] = []
        func compare<Property: Equatable>(
            _ old: [Property], _ new: [Property], name: (Property) -> String,
            settings: (Property, Property) -> [String]
        ) {
            let before = Dictionary(old.map { (name($0), $0) }, uniquingKeysWith: { first, _ in first })
            let after = Dictionary(new.map { (name($0), $0) }, uniquingKeysWith: { first, _ in first })
            for key in Set(before.keys).union(after.keys).sorted() {
                guard let a = before[key] else {
                    result.append(Change(kind: "added", entity: entity, property: key, text: ""))
                    continue
                }
                guard let b = after[key] else {
                    result.append(Change(kind: "removed", entity: entity, property: key, text: ""))
                    continue
                }
                let differing = settings(a, b)
                if !differing.isEmpty {
                    result.append(
                        Change(
                            kind: "changed", entity: entity, property: key, text: differing.joined(separator: ", ")))
                }
            }
        }
        compare(old.attributes, new.attributes, name: \.traits.name) { a, b in
            var list = traits(a.traits, b.traits)
            note("type", typeName(a.type), typeName(b.type), &list)
            if a.defaultValue != b.defaultValue { list.append("default") }
            note("large data in files", a.allowsExternalBinaryDataStorage, b.allowsExternalBinaryDataStorage, &list)
            note("transformer", a.valueTransformerName, b.valueTransformerName, &list)
            note("derivation", a.derivationExpression, b.derivationExpression, &list)
            if a.elements != b.elements { list.append("elements") }
            return list
        }
        compare(old.relationships, new.relationships, name: \.traits.name) { a, b in
            var list = traits(a.traits, b.traits)
            note("destination", a.destinationEntityName, b.destinationEntityName, &list)
            note("inverse", a.inverseName, b.inverseName, &list)
            note("to-many", a.isToMany, b.isToMany, &list)
            note("ordered", a.isOrdered, b.isOrdered, &list)
            note("delete rule", a.deleteRule, b.deleteRule, &list)
            note("least count", a.minCount, b.minCount, &list)
            note("greatest count", a.maxCount, b.maxCount, &list)
            return list
        }
        return result
    }

    private static func traits(_ a: ModelDocument.PropertyTraits, _ b: ModelDocument.PropertyTraits) -> [String] {
        var list: [String] = []
        note("optional", a.isOptional, b.isOptional, &list)
        note("transient", a.isTransient, b.isTransient, &list)
        note("renaming identifier", a.renamingIdentifier, b.renamingIdentifier, &list)
        if a.validations != b.validations { list.append("validation") }
        return list
    }

    private static func typeName(_ type: Int) -> String {
        AttributeKind(rawValue: type).map { "\($0)" } ?? "\(type)"
    }

    // MARK: Migration

    private static func migration(_ one: ModelDocument, _ other: ModelDocument) -> [String] {
        func plain(_ document: ModelDocument) -> NSManagedObjectModel {
            var document = document
            for position in document.entities.indices { document.entities[position].className = nil }
            return NSManagedObjectModel(document: document)
        }
        do {
            let mapping = try NSMappingModel.inferredMappingModel(
                forSourceModel: plain(one), destinationModel: plain(other))
            return mapping.entityMappings.compactMap { entity in
                let (source, destination) = (entity.sourceEntityName ?? "", entity.destinationEntityName ?? "")
                switch entity.mappingType {
                case .addEntityMappingType: return "A migration adds \(destination), without objects."
                case .removeEntityMappingType: return "A migration removes \(source) with its objects."
                case .transformEntityMappingType:
                    return source == destination
                        ? "A migration changes the objects of \(source)."
                        : "A migration makes the objects of \(source) objects of \(destination)."
                default: return nil
                }
            }.sorted()
        } catch {
            return ["No migration can be inferred: \(ToolError.text(of: error))"]
        }
    }
}

extension ModelDiff.Change {
    package var row: QueryResult.Row {
        .init(
            id: "",
            cells: [
                .string(kind), .string(entity), property.map { .string($0) } ?? .null, .string(text),
            ])
    }

    package static let columns = ["change", "entity", "property", "settings"]
}
