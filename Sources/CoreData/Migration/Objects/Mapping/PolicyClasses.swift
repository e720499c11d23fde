// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the migration policy that a mapping model names, and makes it.

import Foundation

enum PolicyClasses {
    /// The policy of a mapping: the named one, or the standard one.
    ///
    /// - Throws: 134170 if no class has the name, or the class is not a policy.
    static func policy(for mapping: NSEntityMapping) throws -> NSEntityMigrationPolicy {
        guard let name = mapping.entityMigrationPolicyClassName, !name.isEmpty else { return NSEntityMigrationPolicy() }
        let found = classes(name)
        guard found.count == 1 else {
            let reason =
                found.isEmpty
                ? "the program has no such subclass of NSEntityMigrationPolicy"
                : "several modules have it (\(found.map { String(reflecting: $0) }.sorted().joined(separator: ", ")))"
            throw CoreDataError.policy(
                "The mapping '\(mapping.name ?? "")' names the migration policy '\(name)', but \(reason).")
        }
        let type: NSObject.Type = found[0]
        guard let policy = type.createPlain() as? NSEntityMigrationPolicy else {
            preconditionFailure("An object of \(type) is no migration policy.")
        }
        return policy
    }

    private static func classes(_ name: String) -> [NSEntityMigrationPolicy.Type] {
        if name == "NSEntityMigrationPolicy" { return [NSEntityMigrationPolicy.self] }
        if let known = NSClassFromString(name) as? NSEntityMigrationPolicy.Type { return [known] }
        let bare = name.split(separator: ".").last.map(String.init) ?? name
        let found = (TypeRecords.classes()[bare] ?? []).compactMap { $0.type as? NSEntityMigrationPolicy.Type }
        guard name != bare, !name.hasPrefix(".") else { return found }
        return found.filter { String(reflecting: $0) == name || String(reflecting: $0).hasSuffix("." + name) }
    }
}
