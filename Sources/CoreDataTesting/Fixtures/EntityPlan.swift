// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The parts of an entity that a fixture needs for each object, found once.

import CoreData

/// The attributes and relationships of an entity in the order of their names, and its unique constraints.
struct EntityPlan {
    let entity: NSEntityDescription
    let attributes: [NSAttributeDescription]
    let makers: [String: ValueMaker]
    /// The attributes of each unique constraint.
    let constraints: [[String]]
    let relationships: [NSRelationshipDescription]

    init(_ entity: NSEntityDescription) {
        self.entity = entity
        attributes = entity.attributesByName.sorted { $0.key < $1.key }.map(\.value)
            .filter { !$0.isTransient && !($0 is NSDerivedAttributeDescription) }
        let name = entity.name ?? ""
        makers = Dictionary(uniqueKeysWithValues: attributes.map { ($0.name, ValueMaker($0, of: name)) })
        constraints = TakenValues.constraints(entity)
        relationships = entity.relationshipsByName.sorted { $0.key < $1.key }.map(\.value)
            .filter { !$0.isTransient }
    }
}
