// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The sample for delete rules.

public import CoreData

/// An owner has things.
public enum OwnersModel {
    /// - Parameters:
    ///   - rule: the delete rule of owners.
    ///   - isShared: whether a thing has "owners", with the same rule, in place of one "owner" with the rule Nullify.
    public static func make(_ rule: NSDeleteRule, isShared: Bool = false) -> NSManagedObjectModel {
        let (owner, thing) = (NSEntityDescription("Owner"), NSEntityDescription("Thing"))
        owner.attribute("name", .stringAttributeType)
        if isShared {
            owner.relate("things", .many, rule, to: thing, inverse: "owners", .many, rule)
        } else {
            owner.relate("things", .many, rule, to: thing, inverse: "owner", .one)
        }
        return NSManagedObjectModel(owner, thing)
    }
}
