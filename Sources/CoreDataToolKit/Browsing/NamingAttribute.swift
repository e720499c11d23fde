// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Chooses the text attribute by which people know the objects of an entity. Studio-N1.

import CoreDataModelFiles

/// The choice of a naming attribute: a usual name, then a unique text, then a required text.
enum NamingAttribute {
    private static let usual = [
        "title", "name", "displayname", "fullname", "label", "subject", "headline", "filename", "username",
        "lastname", "firstname", "text", "email", "identifier", "key", "code",
    ]
    private static let usualEndings = ["name", "title"]

    /// - Parameter chain: the entity, then its superentities, the nearest first.
    /// - Returns: nil if no text is likely to name an object.
    static func choose(_ chain: [ModelDocument.Entity]) -> String? {
        let texts = chain.flatMap(\.attributes)
            .filter { AttributeKind(rawValue: $0.type) == .string && !$0.traits.isTransient }
        let names = texts.map(\.traits.name).sorted()
        for name in usual {
            if let found = names.first(where: { $0.lowercased() == name }) { return found }
        }
        if let found = names.first(where: { name in usualEndings.contains { name.lowercased().hasSuffix($0) } }) {
            return found
        }
        let unique = chain.flatMap(\.uniquenessConstraints).filter { $0.count == 1 }.flatMap(\.self)
        return unique.first(where: names.contains)
            ?? texts.filter { !$0.traits.isOptional }.map(\.traits.name).sorted().first
    }
}
