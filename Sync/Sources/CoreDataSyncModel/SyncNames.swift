// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The names that entities and properties had in earlier versions of a model.
package import CoreData
package import CoreDataSyncProtocol
import Foundation

/// Former names, by renaming identifiers. `Documentation/Versions.md` has the rules.
package struct SyncNames: Sendable {
    /// Present names of renamed entities, by former name.
    package let entities: [String: String]
    /// Present names of renamed properties: by present entity, then by former name.
    package let properties: [String: [String: String]]

    package init(_ model: NSManagedObjectModel) {
        var entities: [String: String] = [:]
        var properties: [String: [String: String]] = [:]
        for entity in model.entities {
            guard let name = entity.name, !name.hasPrefix(SyncModel.reservedPrefix) else { continue }
            if let former = entity.renamingIdentifier, former != name, model.entitiesByName[former] == nil {
                entities[former] = name
            }
            for (key, property) in entity.propertiesByName {
                guard let former = property.renamingIdentifier, former != key, entity.propertiesByName[former] == nil
                else { continue }
                properties[name, default: [:]][former] = key
            }
        }
        self.entities = entities
        self.properties = properties
    }

    /// The id of an object, which is a URI of the store, the entity and the key, with another entity's name.
    package static func uri(_ text: String, entity: String) -> String {
        var parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count >= 2 else { return text }
        parts[parts.count - 2] = entity
        return parts.joined(separator: "/")
    }

    /// The former name of an entity; nil without one.
    package func former(ofEntity name: String) -> String? { entities.first { $0.value == name }?.key }

    /// Present names in place of former ones. If both occur, a device knows the former one only.
    package func present<Value>(_ values: [String: Value], of entity: String) -> [String: Value] {
        guard let names = properties[entity], !values.isEmpty else { return values }
        var result = values.filter { names[$0.key] == nil }
        for (former, present) in names { if let value = values[former] { result[present] = value } }
        return result
    }

    /// A change with present names in place of former ones.
    package func present(_ change: SyncChange) -> SyncChange {
        var change = change
        change.entity = entities[change.entity] ?? change.entity
        change.fields = present(change.fields, of: change.entity)
        change.members = present(change.members, of: change.entity)
        change.counters = present(change.counters, of: change.entity)
        change.places = present(change.places, of: change.entity)
        return change
    }

    /// The values under their former names, too.
    package func withFormer<Value>(_ values: [String: Value], of entity: String) -> [String: Value] {
        guard let names = properties[entity], !values.isEmpty else { return values }
        var result = values
        for (former, present) in names { if let value = values[present] { result[former] = value } }
        return result
    }
}
