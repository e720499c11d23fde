// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Infers to-many relationships from join tables, and from the columns of one-way relationships.

import CoreDataModelFiles
import SQLiteDriver

extension SchemaModel {
    /// "Z_26ASSETS" with "Z_26ALBUMS" and "Z_34ASSETS": entity 26 has "assets", entity 34 has "albums".
    mutating func addJoin(_ table: String) {
        guard let columns = tables[table] else { return }
        if table.hasPrefix("Z"), !table.hasPrefix("Z_") { return addOwned(table) }
        guard Self.numbered(table) != nil, columns.count >= 2 else { return }
        let keys = columns.filter { !$0.name.hasPrefix("Z_FOK_") }
        guard keys.count == 2, let first = Self.numbered(keys[0].name) else { return }
        func isOrdered(by column: String) -> Bool {
            columns.contains { $0.name == "Z_FOK_" + column.dropFirst(2) }
        }
        if keys[1].name == "REFLEXIVE" {
            addToMany(first.name, of: first.number, to: first.number, inverse: first.name, isOrdered: false)
            return
        }
        guard let second = Self.numbered(keys[1].name) else { return }
        // If another property has the name, the relationship belongs to an unknown subentity.
        guard isFree(second.name, first.number), isFree(first.name, second.number),
            first.number != second.number || first.name != second.name
        else { return }
        addToMany(
            second.name, of: first.number, to: second.number, inverse: first.name,
            isOrdered: isOrdered(by: keys[1].name))
        addToMany(
            first.name, of: second.number, to: first.number, inverse: second.name,
            isOrdered: isOrdered(by: keys[0].name))
    }

    private static func numbered(_ name: String) -> (number: Int64, name: String)? {
        guard name.hasPrefix("Z_") else { return nil }
        let digits = name.dropFirst(2).prefix { $0.isASCII && $0.isNumber }
        guard let number = Int64(digits) else { return nil }
        let rest = name.dropFirst(2 + digits.count).lowercased()
        return isName(rest) && rest.uppercased() == name.dropFirst(2 + digits.count) ? (number, rest) : nil
    }

    private mutating func addToMany(
        _ name: String, of number: Int64, to destination: Int64, inverse: String, isOrdered: Bool
    ) {
        guard isFree(name, number), let target = family.name(destination) else { return }
        var relationship = ModelDocument.Relationship(name: name, destinationEntityName: target)
        relationship.traits.isOptional = true
        relationship.isToMany = true
        relationship.isOrdered = isOrdered
        relationship.inverseName = inverse
        relationship.inverseEntityName = target
        add(relationship, to: number)
    }

    /// "Z1SPEC" is 1 and "SPEC".
    static func ownedColumn(_ column: String) -> (number: Int64, name: String)? {
        guard column.hasPrefix("Z") else { return nil }
        let digits = column.dropFirst().prefix { $0.isASCII && $0.isNumber }
        let rest = column.dropFirst(1 + digits.count)
        guard let number = Int64(digits), isName(String(rest)) else { return nil }
        return (number, rest.lowercased())
    }

    /// "Z1SPEC" in ZINGREDIENT is the to-many "spec" of entity 1 to ingredients, which has no inverse.
    private mutating func addOwned(_ table: String) {
        guard let member = family.members.first(where: { "Z" + $0.name.uppercased() == table }),
            family.parent(of: member.number) == nil
        else { return }
        for column in tables[table] ?? [] where column.type.uppercased() == "INTEGER" {
            guard let (number, name) = Self.ownedColumn(column.name), isFree(name, number),
                "Z\(number)\(name.uppercased())" == column.name
            else { continue }
            var relationship = ModelDocument.Relationship(name: name, destinationEntityName: member.name)
            relationship.traits.isOptional = true
            relationship.isToMany = true
            add(relationship, to: number)
        }
    }
}
