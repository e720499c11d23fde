// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The snapshots of built-in stores, which custom stores may use, too.

import CoreData
import Foundation

/// The values of a record by name, encoded and decoded by the types of its class.
///
/// A property without a value is not in `values`. To-one relationships are a `PersistentIdentifier`, to-many ones an
/// array of them.
public struct DefaultSnapshot: DataStoreSnapshot, CustomStringConvertible {
    /// The record.
    public let persistentIdentifier: PersistentIdentifier
    /// The values by the names of the properties.
    public var values: [String: any DataStoreSnapshotValue]

    private init(_ persistentIdentifier: PersistentIdentifier, _ values: [String: any DataStoreSnapshotValue]) {
        self.persistentIdentifier = persistentIdentifier
        self.values = values
    }

    /// Takes the values of a model, and adds those of the unsaved models that it refers to.
    ///
    /// Traps for backing data that `createBackingData()` has not made, and that no model has given.
    public init(
        from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
    ) {
        guard let data = backingData as? any RowBacked else {
            preconditionFailure(
                "\(type(of: backingData)) is no backing data of this library: use createBackingData().")
        }
        self.init(data.row)
        for case let other as ModelRow in data.row.linkedObjects where !other.hasRecordKey {
            relatedBackingDatas[PersistentIdentifier(lasting: other.objectID)] = other.values
        }
    }

    init(_ row: ModelRow) {
        self.init(PersistentIdentifier(lasting: row.objectID), SnapshotValues.values(of: row))
    }

    /// Decodes a snapshot. The types of its values are those of the class in the store that is being read, or else in
    /// an open container.
    ///
    /// - Throws: an error of decoding, also where no container knows the class.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
        let identifier = try container.decode(PersistentIdentifier.self, forKey: .persistentIdentifier)
        guard let type = SnapshotClasses.type(of: identifier) else {
            throw DecodingError.dataCorruptedError(
                forKey: .persistentIdentifier, in: container,
                debugDescription: "No open container has the class '\(identifier.entityName)'.")
        }
        self.init(identifier, try SnapshotValues.decode(type, container))
    }

    /// Encodes the identifier, and each value under its name.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
        try container.encode(persistentIdentifier, forKey: .persistentIdentifier)
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            try container.encode(value, forKey: .modeledProperty(name))
        }
    }

    /// The same values under another identifier.
    public func copy(
        persistentIdentifier: PersistentIdentifier,
        remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
    ) -> DefaultSnapshot {
        guard let remappedIdentifiers, !remappedIdentifiers.isEmpty else {
            return DefaultSnapshot(persistentIdentifier, values)
        }
        let mapped = values.mapValues { value -> any DataStoreSnapshotValue in
            switch value {
            case let one as PersistentIdentifier: remappedIdentifiers[one] ?? one
            // An empty array of any type would be cast.
            case let many as [PersistentIdentifier] where type(of: value) == [PersistentIdentifier].self:
                many.map { remappedIdentifiers[$0] ?? $0 }
            default: value
            }
        }
        return DefaultSnapshot(persistentIdentifier, mapped)
    }

    /// The identifier and the values.
    public var description: String {
        let list = values.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        return
            "\(persistentIdentifier.entityName) \(persistentIdentifier.id.parts.key) { \(list.joined(separator: ", ")) }"
    }
}
