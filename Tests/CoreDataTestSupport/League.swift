// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The sample with derived attributes: of values, of counts, sums and other aggregates, and of related objects.

public import CoreData
import Foundation

/// Teams have players, one of them the captain, and sponsors, who have any number of teams.
public enum League {
    public static var model: NSManagedObjectModel {
        let (team, player, captain) = (
            NSEntityDescription("Team"), NSEntityDescription("Player"), NSEntityDescription("Captain")
        )
        let sponsor = NSEntityDescription("Sponsor")
        player.subentities = [captain]
        for entity in [team, player, sponsor] { entity.attribute("name", .stringAttributeType) }
        player.attribute("age", .integer32AttributeType)
        player.attribute("wage", .doubleAttributeType)
        captain.attribute("since", .integer32AttributeType)
        team.relate("players", .many, .nullifyDeleteRule, to: player, inverse: "team", .one)
        team.relate("sponsors", .many, to: sponsor, inverse: "teams", .many)
        for (name, function) in [("upper", "uppercase:"), ("lower", "lowercase:"), ("folded", "canonical:")] {
            player.derived(name, .stringAttributeType, "\(function)(name)")
        }
        player.derived("saved", .dateAttributeType, "now()")
        player.derived("teamName", .stringAttributeType, "team.name")
        captain.derived("tenure", .integer32AttributeType, "add:to:(since, 1)")
        team.derived("size", .integer32AttributeType, "players.@count")
        team.derived("wages", .doubleAttributeType, "players.wage.@sum")
        team.derived("ages", .integer64AttributeType, "players.@sum.age")
        team.derived("oldest", .integer32AttributeType, "max:(players.age)")
        team.derived("mean", .doubleAttributeType, "players.@avg.age")
        team.derived("supporters", .integer32AttributeType, "count:(sponsors)")
        sponsor.derived("reach", .integer32AttributeType, "teams.@count")
        return NSManagedObjectModel(team, player, captain, sponsor)
    }

    /// All derived values of all objects but the times, by kind and name.
    public static func values(in stack: Stack) throws -> [String: [String: String]] {
        let context = stack.newContext()
        var result: [String: [String: String]] = [:]
        for entity in stack.model.entities {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
            request.includesSubentities = false
            for object in try context.fetch(request) {
                var values: [String: String] = [:]
                for (name, attribute) in entity.attributesByName
                where attribute is NSDerivedAttributeDescription && name != "saved" {
                    values[name] = object.value(forKey: name).map { "\($0)" } ?? "nil"
                }
                result["\(entity.name ?? "") \(object.value(forKey: "name") as? String ?? "")"] = values
            }
        }
        return withExtendedLifetime(context) { result }
    }
}
