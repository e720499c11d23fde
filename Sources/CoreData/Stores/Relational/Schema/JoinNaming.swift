// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The names of join tables that no known rule determines: those of a file, or a guess.
// Documentation/Internals/Stores.md.

import Foundation

/// The relationship that names the join table of a pair within one entity, and the numbers of equal column names.
/// Stores-K31.
struct JoinNaming {
    /// One end of a many-to-many relationship: the relationship of the entity that declares it.
    struct End: Hashable {
        let entity: String
        let relationship: String
    }

    /// The ends that name a join table within one entity.
    private(set) var owners: Set<End> = []
    /// The number at the end of the column name with the keys of the end's entity; empty for a name without a number.
    private(set) var numbers: [End: String] = [:]

    /// The names in an existing store, for the same version of its model.
    init(_ schema: Schema) { self.init(schema) { $0 } }

    /// The names in an existing store, for the version to which it is migrated.
    init(_ schema: Schema, continuedIn pairing: ModelPairing) {
        self.init(schema) { end in
            guard
                let pair = pairing.entities.first(where: { $0.source?.name == end.entity }),
                var entity = pair.destination, let name = pair.destination(of: end.relationship)?.name
            else { return nil }
            while let parent = entity.superentity, parent.propertiesByName[name] != nil { entity = parent }
            return End(entity: entity.name ?? "", relationship: name)
        }
    }

    private init(_ schema: Schema, _ continued: (End) -> End?) {
        for join in schema.joinTables where !join.isReflexive {
            let (owner, member) = (Self.end(join.owner, join.ownerSlot), Self.end(join.member, join.memberSlot))
            if join.owner === join.member, let end = continued(owner) { owners.insert(end) }
            // The column of an end is named after the other end.
            for (end, other, column) in [
                (owner, member, join.ownerColumn), (member, owner, join.memberColumn),
            ] {
                guard let end = continued(end) else { continue }
                numbers[end] = Self.number(of: column, other.relationship)
            }
        }
    }

    private static func end(_ layout: EntityLayout, _ slot: Int) -> End {
        End(entity: layout.name, relationship: layout.properties[slot].name)
    }

    /// "1" for `Z_23USERS1`; nil for a column of another name.
    private static func number(of column: String, _ relationship: String) -> String? {
        let name = relationship.uppercased()
        guard StoreInventory.matches(column, prefix: "Z_", suffix: name),
            let range = column.range(of: name, options: .backwards)
        else { return nil }
        return String(column[range.upperBound...])
    }

    // MARK: A guess

    /// Guesses whether a relationship names the join table of a pair within one entity, in a new store.
    ///
    /// Apple's rule is not known. This guess is right for 156 of 168 tables in 84 stores: the first of the pair in a
    /// hash table of size three; if both have the same position there, the first among all relationships.
    static func guess(_ name: String, _ other: String, in entity: NSEntityDescription) -> Bool {
        let relationships = entity.relationshipsByName.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        guard (relationships + [name, other]).allSatisfy({ $0.utf16.count <= StringTableOrder.longestName }) else {
            return other.utf8.lexicographicallyPrecedes(name.utf8)
        }
        let all = StringTableOrder.order(relationships, capacity: relationships.count)
        let pair = all.filter { $0 == name || $0 == other }
        return StringTableOrder.order(pair, capacity: pair.count).first == name
    }
}
