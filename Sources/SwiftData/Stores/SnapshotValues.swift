// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The values of models as those of snapshots, and back. SwiftData-W2.

import CoreData
import Foundation

/// Backing data of this library.
protocol RowBacked: AnyObject {
    var row: ModelRow { get }
}

extension RowValues: RowBacked {}

enum SnapshotValues {
    /// The values of a row by name, without those that are nil.
    static func values(of row: ModelRow) -> [String: any DataStoreSnapshotValue] {
        var result: [String: any DataStoreSnapshotValue] = [:]
        guard let type = row.entityCompanion?.type as? any PersistentModel.Type else { return result }
        forEachProperty(of: type) { property, _ in
            let valueType = ValueForms.unwrapped(Swift.type(of: property.keypath).valueType)
            let stored = row.value(forKey: property.name)
            if let destination = Destination(valueType) {
                result[property.name] = destination.isToMany ? members(stored) : identifier(stored)
            } else if let stored, let valueType = valueType as? any Codable.Type {
                result[property.name] = value(stored, valueType, property.name)
            }
        }
        return result
    }

    private static func identifier(_ stored: Any?) -> (any DataStoreSnapshotValue)? {
        (stored as? ModelRow).map { PersistentIdentifier(lasting: $0.objectID) }
    }

    /// Unordered ones in the order in which they were first saved.
    private static func members(_ stored: Any?) -> [PersistentIdentifier] {
        if let ordered = stored as? NSOrderedSet {
            return ordered.array.compactMap { ($0 as? ModelRow)?.objectID }.map { PersistentIdentifier(lasting: $0) }
        }
        return (stored as? Set<NSManagedObject> ?? []).map(\.objectID).sorted { $0.recordKey < $1.recordKey }
            .map { PersistentIdentifier(lasting: $0) }
    }

    private static func value<Value: Codable>(
        _ stored: Any, _ type: Value.Type, _ name: String
    ) -> (any DataStoreSnapshotValue)? {
        do {
            return try ValueForms.value(stored, as: type, property: name).flatMap { sendable($0) }
        } catch {
            ModelLog.warn("'\(name)' makes no \(type), and is left out of a snapshot: \(error)")
            return nil
        }
    }

    /// A cast at run time, where `Sendable` makes no difference: attribute values are only read.
    private static func sendable(_ value: any Codable) -> (any DataStoreSnapshotValue)? {
        func cast<Target>(_ value: Any, to type: Target.Type) -> Target? { value as? Target }
        return cast(value, to: (any DataStoreSnapshotValue).self)
    }

    /// The stored properties of a class and its superclasses, each with the class that declares it.
    static func forEachProperty(
        of type: any PersistentModel.Type, _ body: (Schema.PropertyMetadata, any PersistentModel.Type) throws -> Void
    ) rethrows {
        var next: (any PersistentModel.Type)? = type
        while let owner = next {
            for property in owner.schemaMetadata where !property.name.isEmpty {
                if property.metadata?.isTransient == true { continue }
                try body(property, owner)
            }
            next = SchemaOutline.superclass(of: owner)
        }
    }

    // MARK: Decoding

    static func decode(
        _ type: any PersistentModel.Type, _ container: KeyedDecodingContainer<DataStoreSnapshotCodingKey>
    ) throws -> [String: any DataStoreSnapshotValue] {
        var result: [String: any DataStoreSnapshotValue] = [:]
        try forEachProperty(of: type) { property, _ in
            let key = DataStoreSnapshotCodingKey.modeledProperty(property.name)
            guard container.contains(key), try !container.decodeNil(forKey: key) else { return }
            let valueType = ValueForms.unwrapped(Swift.type(of: property.keypath).valueType)
            if let destination = Destination(valueType) {
                result[property.name] =
                    destination.isToMany
                    ? try container.decode([PersistentIdentifier].self, forKey: key)
                    : try container.decode(PersistentIdentifier.self, forKey: key)
            } else if let valueType = valueType as? any Codable.Type {
                result[property.name] = sendable(try decode(valueType, container, key))
            }
        }
        return result
    }

    private static func decode<Value: Codable>(
        _ type: Value.Type, _ container: KeyedDecodingContainer<DataStoreSnapshotCodingKey>,
        _ key: DataStoreSnapshotCodingKey
    ) throws -> any Codable {
        try container.decode(Value.self, forKey: key)
    }
}

/// Finds the class of a snapshot that is decoded.
enum SnapshotClasses {
    /// The schema of the store that is being read.
    @TaskLocal static var schema: Schema?

    static func type(of identifier: PersistentIdentifier) -> (any PersistentModel.Type)? {
        let name = identifier.entityName
        if let type = schema?.types.first(where: { Schema.name(of: $0) == name }) { return type }
        return SchemaModel.lastUsedType(named: name)
    }
}
