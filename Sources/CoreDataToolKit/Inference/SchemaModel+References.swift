// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Infers to-one relationships from columns of keys, with their destinations and inverses.

import CoreDataModelFiles
import SQLiteDriver

extension SchemaModel {
    /// Collects a column that may hold keys (7).
    ///
    /// - Returns: false for a number.
    mutating func addReference(
        _ column: String, _ name: String, _ entity: Int64, _ table: String, _ names: Set<String>
    ) -> Bool {
        let bare = String(column.dropFirst())
        var reference = Reference(
            entity: entity, table: table, column: column, name: name,
            hasIndex: indexes.contains("\(table)_\(column)_INDEX"),
            hasOrder: names.contains("Z_FOK_" + bare))
        // "Z34_ASSET" with "ZASSET": 34 is the root entity of the destinations.
        if let root = names.lazy.compactMap({ Self.discriminator($0) }).first(where: { $0.name == bare })?.number {
            guard family.name(root) != nil else { return false }
            reference.destination = root
            references.append(reference)
            return true
        }
        let namesake = family.namesake(of: bare)
        if reference.hasIndex || reference.hasOrder {
            if let namesake, isPlausible(reference, namesake.number, mustBeWhole: false) {
                reference.destination = namesake.number
                reference.isGuess = !namesake.isExact
            }
            references.append(reference)
            return true
        }
        // The framework indexes every reference, so this one has lost its index.
        guard let namesake, namesake.isExact, isPlausible(reference, namesake.number, mustBeWhole: true) else {
            return false
        }
        reference.destination = namesake.number
        reference.isGuess = true
        references.append(reference)
        return true
    }

    /// Whether the values may be keys of an entity: of a sample at least half are, or all of them and at least one.
    private mutating func isPlausible(_ reference: Reference, _ number: Int64, mustBeWhole: Bool) -> Bool {
        guard let (all, hits) = hits(reference, number) else { return false }
        return mustBeWhole ? all > 0 && hits == all : hits * 2 >= all
    }

    /// How many of a sample of values are keys of objects of an entity.
    private mutating func hits(_ reference: Reference, _ number: Int64) -> (all: Int64, hits: Int64)? {
        guard let root = family.name(family.root(of: number)) else { return nil }
        let destination = ("Z" + root.uppercased()).sqlName
        return counts(
            "SELECT COUNT(*), IFNULL(SUM(EXISTS (SELECT 1 FROM \(destination) AS D WHERE D.Z_PK = V AND D.Z_ENT = \(number))), 0) "
                + "FROM (SELECT \(reference.column.sqlName) AS V FROM \(reference.table.sqlName) "
                + "WHERE \(reference.column.sqlName) IS NOT NULL LIMIT 1000)"
        ).map { ($0[0], $0[1]) }
    }

    // MARK: Destinations

    mutating func resolveReferences() {
        for position in references.indices where references[position].destination == nil {
            resolveByInverse(position)
        }
        for position in references.indices where references[position].destination == nil {
            resolveByKeys(position)
        }
        findInverses()
    }

    /// A reference back to the rows that refer here is the other end of a one-to-one relationship.
    private mutating func resolveByInverse(_ position: Int) {
        let reference = references[position]
        for other in references.indices where other != position && references[other].inverse == nil {
            let back = references[other]
            guard let destination = back.destination, family.root(of: destination) == reference.entity else { continue }
            let (one, two) = (reference.column.sqlName, back.column.sqlName)
            guard
                let row = counts(
                    "SELECT COUNT(*), MIN(D.Z_ENT), MAX(D.Z_ENT) FROM \(reference.table.sqlName) AS R "
                        + "JOIN \(back.table.sqlName) AS D ON D.Z_PK = R.\(one) AND D.\(two) = R.Z_PK"), row[0] > 0,
                row[1] == row[2], family.leafNumbers.contains(row[1])
            else { continue }
            references[position].destination = row[1]
            references[position].isGuess = true
            return
        }
    }

    /// The only entity of which all values are keys. Few small keys may be keys of anything if there are two entities.
    private mutating func resolveByKeys(_ position: Int) {
        let reference = references[position]
        if family.members.count == 1, let only = family.leafNumbers.first, let (all, hits) = hits(reference, only) {
            references[position].destination = hits * 2 >= all ? only : nil
            references[position].isGuess = true
            return
        }
        guard
            let distinct = counts(
                "SELECT COUNT(DISTINCT V) FROM (SELECT \(reference.column.sqlName) AS V FROM \(reference.table.sqlName) "
                    + "WHERE \(reference.column.sqlName) IS NOT NULL LIMIT 1000)"), distinct[0] >= 3
        else { return }
        var found: Int64?
        for number in family.leafNumbers {
            guard let (all, hits) = hits(reference, number) else { return }
            if all == 0 { return }
            guard hits == all else { continue }
            if found != nil { return }
            found = number
        }
        references[position].destination = found
        references[position].isGuess = true
    }

    /// Two references that name each other's rows, each row once, are one relationship, if neither could be the inverse
    /// of a third one (9).
    private mutating func findInverses() {
        var candidates: [Int: [Int]] = [:]
        for position in references.indices {
            let one = references[position]
            guard let destination = one.destination, !one.hasOrder else { continue }
            for other in references.indices.dropFirst(position + 1) {
                let two = references[other]
                guard let back = two.destination, !two.hasOrder, family.root(of: destination) == two.entity,
                    family.root(of: back) == one.entity, isOneToOne(one, two)
                else { continue }
                candidates[position, default: []].append(other)
                candidates[other, default: []].append(position)
            }
        }
        for (position, others) in candidates where others.count == 1 && candidates[others[0]]?.count == 1 {
            references[position].inverse = others[0]
        }
    }

    private mutating func isOneToOne(_ one: Reference, _ two: Reference) -> Bool {
        let (a, b) = (one.column.sqlName, two.column.sqlName)
        let (first, second) = (one.table.sqlName, two.table.sqlName)
        func keys(_ column: String, _ table: String) -> [Int64]? {
            counts("SELECT COUNT(\(column)), COUNT(DISTINCT \(column)) FROM \(table)")
        }
        guard let left = keys(a, first), let right = keys(b, second), left[0] == left[1], right[0] == right[1],
            let shared = counts(
                "SELECT COUNT(*) FROM \(first) AS R JOIN \(second) AS D ON D.Z_PK = R.\(a) AND D.\(b) = R.Z_PK")?[0],
            let opposed = counts(
                "SELECT COUNT(*) FROM \(first) AS R JOIN \(second) AS D ON D.Z_PK = R.\(a) AND D.\(b) <> R.Z_PK")?[0]
        else { return false }
        return shared > 0 && opposed == 0 && shared * 2 >= left[0] && shared * 2 >= right[0]
    }

    // MARK: Relationships

    /// Adds the relationships of all references, and numbers for those without a known destination.
    mutating func addReferences() {
        for position in references.indices { references[position] = placed(references[position]) }
        for reference in references {
            guard let number = reference.destination, let target = family.name(number) else {
                addNumber(reference)
                continue
            }
            var relationship = ModelDocument.Relationship(name: reference.name, destinationEntityName: target)
            relationship.traits.isOptional = true
            relationship.maxCount = 1
            if let position = reference.inverse, let other = family.name(owner(references[position])) {
                relationship.destinationEntityName = other
                relationship.inverseName = references[position].name
                relationship.inverseEntityName = other
                note(
                    owner(reference), reference.name, isGuess: true,
                    "The values of '\(reference.name)' and '\(references[position].name)' name each other's rows, as "
                        + "those of inverse relationships do.")
            } else if reference.hasOrder {
                relationship.inverseName = addOrdered(reference, number)
                relationship.inverseEntityName = relationship.inverseName.map { _ in target }
            }
            if reference.isGuess {
                note(
                    owner(reference), reference.name, isGuess: true,
                    reference.hasIndex
                        ? "The destination \(target) is guessed from the name, or from the keys in the column."
                        : "The column has no index, but the name of \(target) and only keys of its rows.")
            }
            add(relationship, to: owner(reference))
        }
    }

    /// One-to-one relationships belong to the entity that the other end names; others to the root.
    private func owner(_ reference: Reference) -> Int64 {
        guard let position = reference.inverse, let number = references[position].destination else {
            return reference.entity
        }
        return number
    }

    /// Without its inverse, where an end would hold rows of another entity than the inverse names.
    private mutating func placed(_ reference: Reference) -> Reference {
        guard reference.inverse != nil else { return reference }
        let number = owner(reference)
        guard number != reference.entity,
            evidence(
                "SELECT 1 FROM \(reference.table.sqlName) WHERE \(reference.column.sqlName) IS NOT NULL "
                    + "AND Z_ENT <> \(number) LIMIT 1") != nil
        else { return reference }
        var result = reference
        if let position = reference.inverse { references[position].inverse = nil }
        result.inverse = nil
        return result
    }

    private mutating func addNumber(_ reference: Reference) {
        var attribute = ModelDocument.Attribute(name: reference.name, type: AttributeKind.integer64.rawValue)
        attribute.traits.isOptional = true
        add(attribute, to: reference.entity)
        note(
            reference.entity, reference.name, isGuess: true,
            "The column is indexed as a relationship is, but no part of the file has its destination: it is a number here."
        )
    }

    /// The ordered to-many at the other end of a reference with order keys; no table has its name (10).
    private mutating func addOrdered(_ reference: Reference, _ destination: Int64) -> String? {
        guard let source = family.name(reference.entity) else { return nil }
        let plain = source.prefix(1).lowercased() + source.dropFirst() + "s"
        guard let name = [plain, "\(plain)_\(reference.name)"].first(where: { isFree($0, destination) }) else {
            return nil
        }
        var relationship = ModelDocument.Relationship(name: name, destinationEntityName: source)
        relationship.traits.isOptional = true
        relationship.isToMany = true
        relationship.isOrdered = true
        relationship.inverseName = reference.name
        relationship.inverseEntityName = source
        add(relationship, to: destination)
        note(
            destination, name, isGuess: true,
            "The name is made up: the table keeps the order of the objects, but not the name of their list.")
        return name
    }
}
