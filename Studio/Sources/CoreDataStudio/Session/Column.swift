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
        case .toMany: true
        case .toOne: false
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

    /// The attribute that names an object best comes first, then attributes, to-ones and to-manys by name.
    static func all(of entity: NSEntityDescription) -> [Column] {
        let titleKey = ObjectTitle.key(of: entity)
        let attributes = entity.attributesByName.values.sorted {
            ($0.name == titleKey ? 0 : 1, $0.name) < ($1.name == titleKey ? 0 : 1, $1.name)
        }
        let relationships = entity.relationshipsByName.values.sorted { $0.name < $1.name }
        return attributes.map(attribute) + relationships.filter { !$0.isToMany }.map(toOne)
            + relationships.filter(\.isToMany).map {
                Column(
                    name: $0.name, kind: .toMany($0.destinationEntity?.name ?? ""), sortPath: nil, editing: .never)
            }
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

    private static func toOne(_ relationship: NSRelationshipDescription) -> Column {
        let title = relationship.destinationEntity.flatMap(ObjectTitle.key)
        return Column(
            name: relationship.name, kind: .toOne(relationship.destinationEntity?.name ?? ""),
            sortPath: title.map { "\(relationship.name).\($0)" }, editing: .line)
    }
}

/// A short text for an object.
enum ObjectTitle {
    private static let names = [
        "title", "name", "displayname", "fullname", "label", "subject", "headline", "filename", "username",
        "lastname", "firstname", "text", "email", "identifier", "key", "code",
    ]

    /// The text attribute that names objects best; nil for an entity without text.
    static func key(of entity: NSEntityDescription) -> String? {
        let texts = entity.attributesByName.values.filter { $0.attributeType == .stringAttributeType }.map(\.name)
            .sorted()
        for name in names {
            if let found = texts.first(where: { $0.lowercased() == name }) { return found }
        }
        return texts.first { text in ["name", "title"].contains { text.lowercased().hasSuffix($0) } } ?? texts.first
    }

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
