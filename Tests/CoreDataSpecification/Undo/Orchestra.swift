// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The sample for undo: relationships of every kind, in order and not, with an inverse and without.

import CoreData
import CoreDataTestSupport
import Foundation

/// An orchestra seats its players in order; players play pieces, which have their players in order too; a player has a
/// teacher and pupils, owns a music desk, which goes with him, and wears badges that know nothing of it, one of them in
/// front.
enum OrchestraModel {
    static func make() -> NSManagedObjectModel {
        let orchestra = NSEntityDescription("Orchestra")
        orchestra.attribute("name", .stringAttributeType)
        orchestra.attribute("founded", .dateAttributeType)
        let player = NSEntityDescription("Player")
        player.attribute("name", .stringAttributeType)
        player.attribute("age", .integer32AttributeType, optional: false, default: 20)
        player.attribute("fee", .decimalAttributeType)
        player.attribute("mood", .stringAttributeType, transient: true)
        player.attribute("portrait", .binaryDataAttributeType).allowsExternalBinaryDataStorage = true
        player.attribute("nicknames", .transformableAttributeType)
        let piece = NSEntityDescription("Piece")
        piece.attribute("name", .stringAttributeType)
        piece.attribute("minutes", .doubleAttributeType)
        piece.uniquenessConstraints = [["name"]]
        let stand = NSEntityDescription("Stand")
        stand.attribute("name", .stringAttributeType)
        let badge = NSEntityDescription("Badge")
        badge.attribute("name", .stringAttributeType)
        orchestra.relate("players", .ordered, to: player, inverse: "orchestra", .one)
        player.relate("pieces", .ordered, to: piece, inverse: "players", .ordered)
        player.relate("pupils", .many, to: player, inverse: "teacher", .one)
        player.relate("stand", .one, .cascadeDeleteRule, to: stand, inverse: "player", .one)
        player.relationship("front", .one, to: badge)
        player.relationship("badges", .many, to: badge)
        return NSManagedObjectModel(orchestra, player, piece, stand, badge)
    }
}
