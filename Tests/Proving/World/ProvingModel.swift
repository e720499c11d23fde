// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The model of the proving ground: links of each kind, order, large data, unique values, derived values, inheritance,
// a searched attribute.

import CoreData
import CoreDataModelFiles
import CoreDataTestSupport
import Foundation

/// Things with pieces in order, tags, a parent and children. A special thing is a thing.
enum ProvingModel {
    static let shared = make()
    /// A later version: one more attribute and one more entity.
    static let later = make(isLater: true)

    /// The file of a mapping model from one version to the other.
    static func writeMapping(to url: URL) throws {
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: shared, destinationModel: later)
        try mapping.document().data().write(to: url)
    }

    private static func make(isLater: Bool = false) -> NSManagedObjectModel {
        let thing = NSEntityDescription("Thing")
        thing.attribute("number", .integer64AttributeType, optional: false, default: 0)
        thing.attribute("name", .stringAttributeType).isIndexedBySpotlight = true
        thing.attribute("amount", .doubleAttributeType)
        thing.attribute("code", .stringAttributeType)
        thing.attribute("data", .binaryDataAttributeType).allowsExternalBinaryDataStorage = true
        thing.uniquenessConstraints = [["code"]]
        let special = NSEntityDescription("Special")
        special.attribute("rank", .integer32AttributeType)
        thing.subentities = [special]
        let piece = NSEntityDescription("Piece")
        piece.attribute("number", .integer64AttributeType, optional: false, default: 0)
        let tag = NSEntityDescription("Tag")
        tag.attribute("number", .integer64AttributeType, optional: false, default: 0)
        tag.attribute("code", .stringAttributeType)
        tag.uniquenessConstraints = [["code"]]
        thing.relate("parent", .one, to: thing, inverse: "children", .many)
        thing.relate("pieces", .ordered, .cascadeDeleteRule, to: piece, inverse: "whole", .one)
        thing.relate("tags", .many, to: tag, inverse: "things", .many)
        thing.derived("pieceCount", .integer32AttributeType, "pieces.@count")
        thing.derived("folded", .stringAttributeType, "canonical:(name)")
        guard isLater else { return NSManagedObjectModel(thing, special, piece, tag) }
        thing.attribute("remark", .stringAttributeType, default: "none")
        let note = NSEntityDescription("Note")
        note.attribute("text", .stringAttributeType)
        return NSManagedObjectModel(thing, special, piece, tag, note)
    }
}
