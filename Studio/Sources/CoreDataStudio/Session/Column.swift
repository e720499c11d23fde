// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The columns of an entity's grid, and the titles of objects.

import CoreData
import CoreDataToolKit
import Foundation

/// A column: an attribute or a relationship.
struct Column: Sendable {
    enum Kind: Sendable {
        case attribute(NSAttributeType)
        case toOne(String)
        case toMany(String)
    }

    /// The place where a user edits the values.
    enum Editing: Sendable {
        case never
        /// In the cell, as one line.
        case line
        /// On the card, or in a dialog over the grid: values with parts, data, archives.
        case dialog
    }

    let name: String
    let kind: Kind
    /// The key path to sort by; nil if the order makes no sense.
    let sortPath: String?
    let editing: Editing

    var isNumeric: Bool {
        switch kind {
        case .attribute(let type):
            [
                .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .decimalAttributeType,
                .doubleAttributeType, .floatAttributeType,
            ].contains(type)
        case .toOne, .toMany: false
        }
    }

    /// A word for the type.
    var typeName: String {
        switch kind {
        case .attribute(let type): Self.name(of: type)
        case .toOne(let entity): entity
        case .toMany(let entity): "\(entity)*"
        }
    }

    static func name(of type: NSAttributeType) -> String {
        switch type {
        case .integer16AttributeType: "Integer 16"
        case .integer32AttributeType: "Integer 32"
        case .integer64AttributeType: "Integer 64"
        case .decimalAttributeType: "Decimal"
        case .doubleAttributeType: "Double"
        case .floatAttributeType: "Float"
        case .stringAttributeType: "String"
        case .booleanAttributeType: "Boolean"
        case .dateAttributeType: "Date"
        case .binaryDataAttributeType: "Binary"
        case .UUIDAttributeType: "UUID"
        case .URIAttributeType: "URI"
        case .transformableAttributeType: "Transformable"
        case .compositeAttributeType: "Composite"
        default: "Undefined"
        }
    }

    /// In the order of their use: the name of the object, relationships, other values in one line, values with parts.
    /// Relationships of one object come before those of many, and columns of a kind by name.
    static func all(of entity: NSEntityDescription) -> [Column] {
        let titleKey = ObjectTitle.key(of: entity)
        let attributes = entity.attributesByName.values.map(attribute)
        let relationships = entity.relationshipsByName.values.map(relationship)
        func rank(_ column: Column) -> Int {
            switch column.kind {
            case .attribute: column.name == titleKey ? 0 : column.sortPath == nil ? 4 : 3
            case .toOne: 1
            case .toMany: 2
            }
        }
        return (attributes + relationships).sorted { (rank($0), $0.name) < (rank($1), $1.name) }
    }

    private static func attribute(_ attribute: NSAttributeDescription) -> Column {
        let isOpaque =
            BrowsedStore.isTransformable(attribute)
            || [.binaryDataAttributeType, .compositeAttributeType].contains(attribute.attributeType)
        return Column(
            name: attribute.name,
            kind: .attribute(
                BrowsedStore.isTransformable(attribute) ? .transformableAttributeType : attribute.attributeType),
            sortPath: isOpaque ? nil : attribute.name,
            editing: attribute is NSDerivedAttributeDescription ? .never : isOpaque ? .dialog : .line)
    }

    private static func relationship(_ relationship: NSRelationshipDescription) -> Column {
        let destination = relationship.destinationEntity?.name ?? ""
        guard !relationship.isToMany else {
            return Column(name: relationship.name, kind: .toMany(destination), sortPath: nil, editing: .never)
        }
        let title = relationship.destinationEntity.flatMap(ObjectTitle.key)
        return Column(
            name: relationship.name, kind: .toOne(destination),
            sortPath: title.map { "\(relationship.name).\($0)" }, editing: .line)
    }
}

/// A short text for an object. Studio-N1.
enum ObjectTitle {
    /// The text attribute that names objects best; nil for an entity whose objects are known by their numbers.
    static func key(of entity: NSEntityDescription) -> String? { BrowsedStore.namingAttribute(of: entity) }

    /// The title of an object, or its id.
    static func text(of object: NSManagedObject) -> String {
        if let key = key(of: object.entity), let text = object.value(forKey: key) as? String {
            let line = text.prefix(80).split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
            if line.contains(where: { !$0.isWhitespace }) { return line }
        }
        return object.studioID
    }
}

extension NSManagedObject {
    /// "Book/12"; "Book/new-…" before the first save.
    var studioID: String {
        guard objectID.isTemporaryID else { return objectID.shortText }
        return "\(entity.name ?? "")/new-\(objectID.uriRepresentation().lastPathComponent)"
    }
}
