// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Collects rows without a context, and all rows that their relationships reach. SwiftData-H4.

import CoreData

/// A row without a context and the rows that its relationships reach. All are inserted or moved together.
struct LinkedRows {
    /// The first row is the given one.
    let rows: [ModelRow]

    init(from row: ModelRow) {
        var found: [ModelRow] = [row]
        var seen: Set<ObjectIdentifier> = [ObjectIdentifier(row)]
        var next = 0
        while next < found.count {
            for case let other as ModelRow in found[next].linkedObjects
            where other.managedObjectContext == nil && !other.wasDeleted
                && seen.insert(ObjectIdentifier(other)).inserted
            {
                found.append(other)
            }
            next += 1
        }
        rows = found
    }

    /// Gives the first row the entity of the model's class. Before the end of an initializer it has that of the topmost
    /// class.
    func become(_ type: any PersistentModel.Type) {
        let model = ClassEntities.entity(of: type).managedObjectModel
        var classes = classes
        classes[0] = type
        if !move(to: model, as: classes) { move(toSchemaOf: classes, as: classes) }
    }

    /// Before two rows are related: the containers that were opened last when they were made may have had other lists
    /// of classes. So one graph moves to the model of the other one, or both move to a model that has all classes.
    static func unite(_ one: ModelRow, _ other: ModelRow) {
        if one.wasDeleted || other.wasDeleted { return }
        let (mine, theirs) = (LinkedRows(from: one), LinkedRows(from: other))
        if theirs.move(to: one.entity.managedObjectModel, as: theirs.classes) { return }
        if mine.move(to: other.entity.managedObjectModel, as: mine.classes) { return }
        let all = mine.classes + theirs.classes
        mine.move(toSchemaOf: all, as: mine.classes)
        theirs.move(toSchemaOf: all, as: theirs.classes)
    }

    private var classes: [any PersistentModel.Type] {
        rows.map { row in
            guard let type = row.entityCompanion?.type as? any PersistentModel.Type else {
                preconditionFailure("\(row) belongs to no model class.")
            }
            return type
        }
    }

    /// Does nothing and returns false where the model lacks a class.
    private func move(to model: NSManagedObjectModel, as classes: [any PersistentModel.Type]) -> Bool {
        let known = model.entitiesByName
        let entities = classes.compactMap { type in
            known[Schema.name(of: type)].flatMap { ($0.companion as? EntityCompanion)?.type == type ? $0 : nil }
        }
        guard entities.count == rows.count else { return false }
        NSManagedObject.move(rows, to: entities)
        return true
    }

    private func move(toSchemaOf all: [any PersistentModel.Type], as classes: [any PersistentModel.Type]) {
        guard move(to: SchemaModel.joining(all).model, as: classes) else {
            preconditionFailure("The schema of \(all) lacks one of them.")
        }
    }
}
