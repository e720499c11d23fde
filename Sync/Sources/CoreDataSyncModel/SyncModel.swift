// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Decides which properties of a model travel, and on which side of a relationship.
package import CoreData
package import CoreDataSyncProtocol
import Foundation

/// The entities of a model that travel. Immutable.
package struct SyncModel: @unchecked Sendable {  // descriptions of a model in use are not changed
    /// Entities whose names begin with this belong to sync, and do not travel.
    package static let reservedPrefix = "CoreDataSync"

    package let entities: [String: SyncEntity]
    package let schema: SyncSchema

    package init(_ model: NSManagedObjectModel) {
        var entities: [String: SyncEntity] = [:]
        var hashes: [String: Data] = [:]
        for entity in model.entities {
            guard let name = entity.name, !name.hasPrefix(Self.reservedPrefix) else { continue }
            entities[name] = SyncEntity(entity, name)
            hashes[name] = entity.versionHash
        }
        self.entities = entities
        schema = SyncSchema(entities: hashes)
    }

    /// The entity of an object; nil for those of sync.
    package func entity(of object: NSManagedObject) -> SyncEntity? { entities[object.entity.name ?? ""] }
}

/// The properties of one entity that travel, inherited ones included. A class, because loops over records copy it.
package final class SyncEntity: @unchecked Sendable {  // descriptions of a model in use are not changed
    package let name: String
    package let isAbstract: Bool
    /// Attributes that are stored and not derived, counters excluded.
    package let attributes: [String: NSAttributeDescription]
    /// Integer attributes that merge by sums.
    package let counters: [String: NSAttributeDescription]
    /// Attributes and counters in the order of their names, for loops over all of them.
    package let values: [(key: String, attribute: NSAttributeDescription)]
    /// To-one relationships on the side that travels.
    package let links: [String: NSRelationshipDescription]
    /// To-many relationships on the side that keeps the members.
    package let members: [String: NSRelationshipDescription]
    /// Ordered to-many relationships; `members` has some of them, too.
    package let orders: [String: NSRelationshipDescription]
    /// The names of `links`, in order.
    package let linkKeys: [String]
    /// The names of `members` and `orders`, in order.
    package let memberKeys: [String]
    /// The names of all relationships that travel, in order. A fetch of objects reads them as well.
    package let relationshipKeys: [String]
    /// The unique UUID attribute whose value is the record's name; nil without one.
    package let nameAttribute: String?
    /// The uniqueness constraints that consist of attributes only.
    package let constraints: [[String]]
    /// Whether a deletion wins over newer changes.
    package let deletionWins: Bool

    init(_ entity: NSEntityDescription, _ name: String) {
        self.name = name
        isAbstract = entity.isAbstract
        let stored = entity.attributesByName.filter {
            !$0.value.isTransient && !($0.value is NSDerivedAttributeDescription)
        }
        counters = stored.filter { $0.value.userInfo?["sync"] as? String == "counter" && $0.value.isInteger }
        attributes = stored.filter { [counters] in counters[$0.key] == nil }
        values = stored.sorted { $0.key < $1.key }.map { (key: $0.key, attribute: $0.value) }
        let relationships = entity.relationshipsByName.filter { !$0.value.isTransient }
        links = relationships.filter { !$0.value.isToMany && $0.value.isKeeper }
        members = relationships.filter { $0.value.isToMany && $0.value.isKeeper }
        orders = relationships.filter { $0.value.isToMany && $0.value.isOrdered }
        linkKeys = links.keys.sorted()
        memberKeys = Set(members.keys).union(orders.keys).sorted()
        relationshipKeys = (linkKeys + memberKeys).sorted()
        var constraints: [[String]] = []
        var ancestor: NSEntityDescription? = entity
        while let current = ancestor {
            constraints += current.uniquenessConstraints.map { $0.compactMap(SyncEntity.propertyName) }
            ancestor = current.superentity
        }
        self.constraints = constraints.filter { [attributes] in $0.allSatisfy { attributes[$0] != nil } }
        nameAttribute = self.constraints.filter { $0.count == 1 }.map { $0[0] }.sorted()
            .first { [attributes] in attributes[$0]?.attributeType == .UUIDAttributeType }
        deletionWins = entity.userInfo?["sync.delete"] as? String == "wins"
    }

    /// Whether changes of a property travel as part of this entity's records.
    package func isKept(_ property: String) -> Bool {
        attributes[property] != nil || counters[property] != nil || links[property] != nil
            || members[property] != nil || orders[property] != nil
    }

    private static func propertyName(_ element: Any) -> String? {
        (element as? String) ?? (element as? NSPropertyDescription)?.name
    }
}

extension NSAttributeDescription {
    fileprivate var isInteger: Bool {
        switch attributeType {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType: true
        default: false
        }
    }
}

extension NSRelationshipDescription {
    /// Whether this side's records carry the relationship. `Documentation/Design.md` has the table. Both sides do if a
    /// relationship is its own inverse.
    fileprivate var isKeeper: Bool {
        guard let inverse = inverseRelationship else { return true }
        if isToMany != inverse.isToMany { return !isToMany }
        // The first names, so that all versions of a model agree.
        let own = (inverse.destinationEntity?.renamingIdentifier ?? "", renamingIdentifier ?? name)
        let other = (destinationEntity?.renamingIdentifier ?? "", inverse.renamingIdentifier ?? inverse.name)
        return own <= other
    }
}
