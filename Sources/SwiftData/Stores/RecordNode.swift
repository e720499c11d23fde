// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A snapshot as the engine's values of a record. SwiftData-W2.

import CoreData
import Foundation

struct RecordNode {
    private(set) var values: [String: Any] = [:]
    /// A digest that is equal for equal values, in this process.
    let digest: Int

    /// - Throws: an error for a value that does not fit its attribute.
    init(_ reading: SnapshotReading, _ entity: NSEntityDescription, _ bridge: DataStoreBridge) throws {
        let given = try reading.values()
        var hasher = Hasher()
        for (name, attribute) in entity.attributesByName where !attribute.isTransient {
            let value = try given[name].flatMap { try ValueForms.engineValue($0, in: attribute) }
            // A class may have gained the property since the record was written.
            values[name] = value ?? attribute.defaultValue ?? NSNull()
        }
        for (name, relationship) in entity.relationshipsByName.sorted(by: { $0.key < $1.key }) {
            let ids = Self.ids(given[name], bridge)
            for id in ids { hasher.combine(id) }
            if !relationship.isToMany { values[name] = ids.first ?? NSNull() }
        }
        for (name, value) in values.sorted(by: { $0.key < $1.key }) where !(value is NSManagedObjectID) {
            hasher.combine(name)
            Self.combine(value, &hasher)
        }
        digest = hasher.finalize()
    }

    /// The records of a relationship's value: one identifier, or several.
    static func ids(_ value: (any Encodable)?, _ bridge: DataStoreBridge) -> [NSManagedObjectID] {
        switch value {
        case let one as PersistentIdentifier: [bridge.objectID(one)].compactMap { $0 }
        case let many as [PersistentIdentifier]: many.compactMap { bridge.objectID($0) }
        case let many as Set<PersistentIdentifier>: many.compactMap { bridge.objectID($0) }
        default: []
        }
    }

    private static func combine(_ value: Any, _ hasher: inout Hasher) {
        switch value {
        // Each instance of `NSNull` has another hash, so nulls are left out.
        case is NSNull: break
        case let members as [String: Any]:
            for (name, member) in members.sorted(by: { $0.key < $1.key }) {
                hasher.combine(name)
                combine(member, &hasher)
            }
        case let list as [Any]: for member in list { combine(member, &hasher) }
        case let value as AnyHashable: hasher.combine(value)
        default: break
        }
    }
}
