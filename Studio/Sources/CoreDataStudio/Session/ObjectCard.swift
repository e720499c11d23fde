// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The contents of an object's card, as values.

import CoreData
import CoreDataToolKit
import Foundation

/// One object.
struct ObjectCard: Sendable {
    struct Attribute: Sendable {
        let name: String
        /// The names of the composite attribute and of its elements down to this one: "size.width".
        let path: String
        let typeName: String
        let type: NSAttributeType
        let isOptional: Bool
        let isEditable: Bool
        let cell: Cell
        /// The text of data or an archive that can be edited as text; nil for all others.
        let source: String?
        /// The elements of a composite attribute.
        let elements: [Attribute]
        let isEdited: Bool
        /// Sentences about rules that the value breaks.
        var errors: [String] = []
    }

    struct Link: Sendable {
        let id: String
        let title: String
        let entityName: String
    }

    struct Relationship: Sendable {
        let name: String
        let destination: String
        let isToMany: Bool
        let isOrdered: Bool
        let isOptional: Bool
        let total: Int
        /// The first members.
        let members: [Link]
        /// A filter that gives all members in a grid; nil without an inverse.
        let filter: String?
        var errors: [String] = []
    }

    struct Change: Sendable {
        let number: Int64
        let date: Date
        let author: String
        let kind: String
        let properties: [String]
    }

    let id: String
    let uri: String
    let entityName: String
    let title: String
    let edit: Row.Edit
    let isDeleted: Bool
    var attributes: [Attribute]
    var relationships: [Relationship]
    /// The newest changes first; nil for a store without a history.
    let history: [Change]?
    /// Broken rules that concern no single property.
    var errors: [String] = []
}

extension Desk {
    static let memberLimit = 50

    /// The object with a name such as "Book/12".
    ///
    /// - Throws: `SiteFailure` for an unknown object.
    func object(_ name: String) throws -> NSManagedObject {
        let parts = name.split(separator: "/", maxSplits: 1).map(String.init)
        if parts.count == 2, parts[1].hasPrefix("new-") {
            guard let object = context.insertedObjects.first(where: { $0.studioID == name }) else {
                throw SiteFailure(status: 404, message: "\(name) is gone: it was saved under another name, or undone.")
            }
            return object
        }
        guard let id = store.objectID(name) else {
            throw SiteFailure(status: 404, message: "There is no object \(name).")
        }
        let object: NSManagedObject
        do {
            object = try context.existingObject(with: id)
        } catch {
            throw SiteFailure(status: 404, message: "There is no object \(name).")
        }
        return object
    }

    func card(_ name: String) throws -> ObjectCard {
        let object = try object(name)
        let changed = object.isUpdated ? Set(object.changedValues().keys) : []
        let optional = object.entity.propertiesByName.mapValues(\.isOptional)
        let attributes = object.entity.attributesByName
        var cards: [ObjectCard.Attribute] = []
        var links: [ObjectCard.Relationship] = []
        for column in Column.all(of: object.entity) {
            switch column.kind {
            case .attribute(let type):
                guard let attribute = attributes[column.name] else { continue }
                cards.append(
                    ObjectCard.Attribute(
                        name: column.name, path: column.name, typeName: column.typeName, type: type,
                        isOptional: optional[column.name] ?? true, isEditable: column.editing != .never,
                        cell: try store.cell(object, attribute),
                        source: column.editing == .dialog
                            ? ValueSource.text(of: object.value(forKey: column.name), for: attribute) : nil,
                        elements: elements(of: attribute, column.name, object.value(forKey: column.name)),
                        isEdited: changed.contains(column.name)))
            case .toOne, .toMany:
                guard let relationship = object.entity.relationshipsByName[column.name] else { continue }
                links.append(try self.relationship(relationship, of: object))
            }
        }
        var card = ObjectCard(
            id: object.studioID, uri: object.objectID.uriRepresentation().absoluteString,
            entityName: object.entity.name ?? "", title: ObjectTitle.text(of: object),
            edit: object.isInserted ? .inserted : object.isUpdated ? .updated : .none, isDeleted: object.isDeleted,
            attributes: cards, relationships: links, history: try history(of: object))
        if object.hasChanges, !object.isDeleted { addErrors(of: object, to: &card) }
        return card
    }

    private func elements(of attribute: NSAttributeDescription, _ path: String, _ value: Any?)
        -> [ObjectCard.Attribute]
    {
        guard let composite = attribute as? NSCompositeAttributeDescription else { return [] }
        let values = value as? [String: Any] ?? [:]
        return composite.elements.map { element in
            let (path, value) = ("\(path).\(element.name)", values[element.name])
            return ObjectCard.Attribute(
                name: element.name, path: path, typeName: Column.name(of: element.attributeType),
                type: element.attributeType, isOptional: true, isEditable: true, cell: Cell(value, of: element),
                source: element.attributeType == .binaryDataAttributeType
                    ? ValueSource.text(of: value, for: element) : nil,
                elements: elements(of: element, path, value), isEdited: false)
        }
    }

    private func relationship(_ relationship: NSRelationshipDescription, of object: NSManagedObject) throws
        -> ObjectCard.Relationship
    {
        let name = relationship.name
        var total = 0
        var members: [NSManagedObject] = []
        let filter = Members.filter(for: relationship, of: object)
        if !relationship.isToMany {
            members = [object.value(forKey: name) as? NSManagedObject].compactMap { $0 }
            total = members.count
        } else if let filter, !relationship.isOrdered, !object.hasChanges, !context.hasChanges,
            let destination = relationship.destinationEntity
        {
            // Reads only the first members: there may be a million.
            let request = NSFetchRequest<NSManagedObject>(entityName: destination.name ?? "")
            request.predicate = try store.predicate(filter, of: destination)
            total = try context.count(for: request)
            request.fetchLimit = Self.memberLimit
            members = try context.fetch(request)
        } else {
            let all = Members.of(object, name)
            total = all.count
            members = Array(all.prefix(Self.memberLimit))
        }
        return ObjectCard.Relationship(
            name: name, destination: relationship.destinationEntity?.name ?? "", isToMany: relationship.isToMany,
            isOrdered: relationship.isOrdered, isOptional: relationship.isOptional, total: total,
            members: members.map {
                .init(id: $0.studioID, title: ObjectTitle.text(of: $0), entityName: $0.entity.name ?? "")
            },
            filter: filter)
    }

    /// - Returns: nil for a store without a history.
    private func history(of object: NSManagedObject) throws -> [ObjectCard.Change]? {
        guard !object.objectID.isTemporaryID, let coordinator = context.persistentStoreCoordinator,
            coordinator.currentPersistentHistoryToken(fromStores: nil) != nil,
            let fetch = NSPersistentHistoryChange.fetchRequest
        else { return nil }
        fetch.predicate = NSPredicate(format: "changedObjectID == %@", object.objectID)
        let request = NSPersistentHistoryChangeRequest.fetchHistory(withFetch: fetch)
        request.resultType = .changesOnly
        guard let result = try context.execute(request) as? NSPersistentHistoryResult,
            let changes = result.result as? [NSPersistentHistoryChange]
        else { return [] }
        return changes.suffix(30).reversed().map { change in
            ObjectCard.Change(
                number: change.transaction?.transactionNumber ?? 0,
                date: change.transaction?.timestamp ?? .distantPast, author: change.transaction?.author ?? "",
                kind: change.changeType.word, properties: (change.updatedProperties ?? []).map(\.name).sorted())
        }
    }

    private func addErrors(of object: NSManagedObject, to card: inout ObjectCard) {
        do {
            if object.isInserted { try object.validateForInsert() } else { try object.validateForUpdate() }
        } catch {
            for failure in RuleFailure.all(in: error) {
                if let place = card.attributes.firstIndex(where: { $0.name == failure.key }) {
                    card.attributes[place].errors.append(failure.message)
                } else if let place = card.relationships.firstIndex(where: { $0.name == failure.key }) {
                    card.relationships[place].errors.append(failure.message)
                } else {
                    card.errors.append(failure.message)
                }
            }
        }
    }
}

extension NSPersistentHistoryChangeType {
    var word: String {
        switch self {
        case .insert: "inserted"
        case .update: "changed"
        case .delete: "deleted"
        }
    }
}

/// A broken rule, with its object and property.
struct RuleFailure: Sendable {
    let objectID: String
    let objectTitle: String
    let key: String?
    let message: String

    /// The broken rules of an error of validation; empty for other errors. Call it on the queue of the context.
    static func all(in error: any Error) -> [RuleFailure] {
        let error = error as NSError
        if let parts = error.userInfo[NSDetailedErrorsKey] as? [NSError] { return parts.flatMap(all) }
        guard error.domain == NSCocoaErrorDomain, (1550...1699).contains(error.code) else { return [] }
        let object = error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject
        return [
            RuleFailure(
                objectID: object?.studioID ?? "", objectTitle: object.map(ObjectTitle.text) ?? "",
                key: error.userInfo[NSValidationKeyErrorKey] as? String, message: error.localizedDescription)
        ]
    }
}
