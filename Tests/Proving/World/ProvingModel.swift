// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The model of the proving ground: links of each kind, order, large data, unique values, derived values, inheritance,
// a searched attribute, a dictionary with an indexed path.

import CoreData
import CoreDataModelFiles
import CoreDataTestSupport
import Foundation

/// Things with pieces in order, tags, a parent and children. A special thing is a thing.
enum ProvingModel {
    static let shared = make(.first)
    /// A later version: one more attribute, which is searched, and one more entity.
    static let later = make(.later)

    /// The versions of the model, oldest first.
    enum Version: CaseIterable {
        case first
        /// Between the stages of a staged migration: the later attribute without its default value and its search.
        case middle
        case later

        var model: NSManagedObjectModel {
            switch self {
            case .first: ProvingModel.shared
            case .middle: ProvingModel.middle
            case .later: ProvingModel.later
            }
        }
    }

    fileprivate static let middle = make(.middle)

    /// The remark of each thing of a later store.
    static let remark = "none"

    /// A stage without code, and one with a handler that gives each thing its remark.
    static func stages() -> NSStagedMigrationManager {
        func reference(_ model: NSManagedObjectModel) -> NSManagedObjectModelReference {
            NSManagedObjectModelReference(model: model, versionChecksum: model.versionChecksum)
        }
        let custom = NSCustomMigrationStage(migratingFrom: reference(middle), to: reference(later))
        custom.didMigrateHandler = { manager, _ in
            guard let context = manager.container?.newBackgroundContext() else { return }
            try context.performAndWait {
                for thing in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Thing")) {
                    thing.setValue(remark, forKey: "remark")
                }
                try context.save()
            }
        }
        return NSStagedMigrationManager([NSLightweightMigrationStage([shared.versionChecksum]), custom])
    }

    /// The file of a mapping model from one version to the other.
    static func writeMapping(to url: URL) throws { try mapping().data().write(to: url) }

    /// The mapping model from the first version to the last.
    static func mapping() throws -> MappingDocument {
        try NSMappingModel.inferredMappingModel(forSourceModel: shared, destinationModel: later).document()
    }

    private static func make(_ version: Version) -> NSManagedObjectModel {
        let thing = NSEntityDescription("Thing")
        thing.attribute("number", .integer64AttributeType, optional: false, default: 0)
        thing.attribute("name", .stringAttributeType).isIndexedBySpotlight = true
        // The name once more, in a dictionary.
        thing.attribute("meta", .transformableAttributeType).userInfo = ["indexedPaths": "name"]
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
        if version == .first { return NSManagedObjectModel(thing, special, piece, tag) }
        if version == .middle {
            thing.attribute("remark", .stringAttributeType)
            return NSManagedObjectModel(thing, special, piece, tag)
        }
        thing.attribute("remark", .stringAttributeType, default: remark).isIndexedBySpotlight = true
        let note = NSEntityDescription("Note")
        note.attribute("text", .stringAttributeType)
        return NSManagedObjectModel(thing, special, piece, tag, note)
    }
}
