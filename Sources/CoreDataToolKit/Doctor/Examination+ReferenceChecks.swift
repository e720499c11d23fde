// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Checks to-one relationships: existing destinations of the right entity, and inverses that agree.

import CoreData
import Foundation

extension Examination {
    func checkReferences() throws {
        guard let tables = store.tables else { return }
        for entity in tables.entities {
            for property in entity.toOnes where !property.isInherited {
                guard let destination = tables.entity(property.destination) else { continue }
                try checkDestination(property, entity, destination)
                if let inverse = property.inverse, !property.inverseIsToMany,
                    let other = destination.toOnes.first(where: { $0.name == inverse }), !other.isInherited,
                    (entity.name, property.name) <= (destination.name, other.name)
                {
                    try checkInverse(property, entity, other, destination)
                }
            }
            for property in entity.toManys where property.inverse == nil && !property.isInherited {
                try checkOneWay(property, entity)
            }
        }
    }

    private func source(_ entity: StoreTables.Entity, _ condition: String) -> String {
        "SELECT R.Z_PK, R.Z_ENT FROM \(entity.tableSQL) AS R WHERE R.Z_ENT IN \(entity.family.sqlList) AND \(condition)"
    }

    private func checkDestination(
        _ property: StoreTables.ToOne, _ entity: StoreTables.Entity, _ destination: StoreTables.Entity
    ) throws {
        let (table, key) = (entity.tableSQL, property.keySQL)
        let family = "Z_ENT IN \(entity.family.sqlList)"
        func change(_ condition: String) -> [String] {
            [Repair.update(table, property.emptied, where: "\(family) AND \(key) IS NOT NULL AND \(condition)")]
        }
        func missing(_ column: String) -> String {
            "NOT EXISTS (SELECT 1 FROM \(destination.tableSQL) AS D WHERE D.Z_PK = \(column))"
        }
        let lost = try tally(source(entity, "R.\(key) IS NOT NULL AND \(missing("R.\(key)"))"))
        let emptied = "\(Self.rows(lost.count)) of \(entity.table) lose the reference."
        try note(
            "reference.dangling", entity.name, property.name, lost,
            "\(Self.rows(lost.count)) of \(entity.name) refer to no object in '\(property.name)'.",
            repair: Repair(.statements(change(missing("\(table).\(key)"))), emptied))
        func foreign(_ column: String) -> String {
            "EXISTS (SELECT 1 FROM \(destination.tableSQL) AS D WHERE D.Z_PK = \(column) "
                + "AND IFNULL(D.Z_ENT, 0) NOT IN \(destination.family.sqlList))"
        }
        let wrong = try tally(source(entity, "R.\(key) IS NOT NULL AND \(foreign("R.\(key)"))"))
        try note(
            "reference.foreign", entity.name, property.name, wrong,
            "\(Self.rows(wrong.count)) of \(entity.name) refer to an object that is no \(destination.name) in "
                + "'\(property.name)'.",
            repair: Repair(
                .statements(change(foreign("\(table).\(key)"))),
                "\(Self.rows(wrong.count)) of \(entity.table) lose the reference."))
        try checkDiscriminator(property, entity, destination)
    }

    private func checkDiscriminator(
        _ property: StoreTables.ToOne, _ entity: StoreTables.Entity, _ destination: StoreTables.Entity
    ) throws {
        guard let column = property.entitySQL else { return }
        func mistaken(_ key: String, _ number: String) -> String {
            "EXISTS (SELECT 1 FROM \(destination.tableSQL) AS D WHERE D.Z_PK = \(key) "
                + "AND D.Z_ENT IN \(destination.family.sqlList) AND D.Z_ENT IS NOT \(number))"
        }
        let (table, key) = (entity.tableSQL, property.keySQL)
        let found = try tally(source(entity, mistaken("R.\(key)", "R.\(column)")))
        try note(
            "reference.entity", entity.name, property.name, found,
            "\(Self.rows(found.count)) of \(entity.name) have a wrong entity for the object of '\(property.name)'.",
            repair: Repair(
                .statements([
                    Repair.update(
                        table,
                        [
                            "\(column) = (SELECT D.Z_ENT FROM \(destination.tableSQL) AS D WHERE D.Z_PK = \(table).\(key))"
                        ],
                        where: "Z_ENT IN \(entity.family.sqlList) AND "
                            + mistaken("\(table).\(key)", "\(table).\(column)"))
                ]), "\(Self.rows(found.count)) of \(entity.table) get the entity of the object."))
    }

    /// A to-many without an inverse stores the key of its owner in the table of its members.
    private func checkOneWay(_ property: StoreTables.ToMany, _ entity: StoreTables.Entity) throws {
        guard let column = property.memberKeySQL, let members = store.tables?.entity(property.destination) else {
            return
        }
        func missing(_ key: String) -> String {
            "\(key) IS NOT NULL AND NOT EXISTS (SELECT 1 FROM \(entity.tableSQL) AS D WHERE D.Z_PK = \(key) "
                + "AND D.Z_ENT IN \(entity.family.sqlList))"
        }
        let lost = try tally(source(members, missing("R.\(column)")))
        try note(
            "reference.dangling", entity.name, property.name, lost,
            "\(Self.rows(lost.count)) of \(members.name) are members of '\(property.name)' of no object.",
            repair: Repair(
                .statements([
                    Repair.update(
                        members.tableSQL, ["\(column) = NULL"],
                        where: "Z_ENT IN \(members.family.sqlList) AND " + missing("\(members.tableSQL).\(column)"))
                ]), "\(Self.rows(lost.count)) of \(members.table) lose the reference."))
    }

    // MARK: One-to-one

    private func checkInverse(
        _ one: StoreTables.ToOne, _ first: StoreTables.Entity, _ other: StoreTables.ToOne, _ second: StoreTables.Entity
    ) throws {
        let pairs =
            [(one, first, other, second)]
            + (one.name == other.name && first.name == second.name
                ? [] : [(other, second, one, first)])
        for (property, entity, inverse, destination) in pairs {
            try checkContest(property, entity, inverse, destination)
        }
        for (property, entity, inverse, destination) in pairs {
            try checkOneSided(property, entity, inverse, destination)
        }
    }

    private func checkContest(
        _ property: StoreTables.ToOne, _ entity: StoreTables.Entity, _ inverse: StoreTables.ToOne,
        _ destination: StoreTables.Entity
    ) throws {
        let (table, key, target) = (entity.tableSQL, property.keySQL, destination.tableSQL)
        let family = "Z_ENT IN \(entity.family.sqlList)"
        let shared =
            "IN (SELECT \(key) FROM \(table) WHERE \(family) AND \(key) IS NOT NULL GROUP BY \(key) HAVING COUNT(*) > 1)"
        let found = try tally(source(entity, "R.\(key) \(shared)"))
        // The object that the other end names is kept; without one, the first is.
        let chosen =
            "(SELECT D.\(inverse.keySQL) FROM \(target) AS D JOIN \(table) AS B ON B.Z_PK = D.\(inverse.keySQL) "
            + "WHERE D.Z_PK = \(table).\(key) AND B.\(key) = D.Z_PK)"
        let least = "(SELECT MIN(B.Z_PK) FROM \(table) AS B WHERE B.\(family) AND B.\(key) = \(table).\(key))"
        try note(
            "inverse.contested", entity.name, property.name, found,
            "\(Self.rows(found.count)) of \(entity.name) share objects in '\(property.name)', which is one-to-one.",
            repair: Repair(
                .statements([
                    Repair.update(
                        table, property.emptied,
                        where: "\(family) AND \(key) \(shared) AND Z_PK <> IFNULL(\(chosen), \(least))")
                ]), "All but one of the objects lose the reference."))
    }

    private func checkOneSided(
        _ property: StoreTables.ToOne, _ entity: StoreTables.Entity, _ inverse: StoreTables.ToOne,
        _ destination: StoreTables.Entity
    ) throws {
        let (table, key, target, back) = (
            entity.tableSQL, property.keySQL, destination.tableSQL, inverse.keySQL
        )
        let family = "Z_ENT IN \(entity.family.sqlList)"
        func disagrees(_ row: String) -> String {
            "EXISTS (SELECT 1 FROM \(target) AS D WHERE D.Z_PK = \(row).\(key) AND D.\(back) IS NOT \(row).Z_PK)"
        }
        let found = try tally(source(entity, disagrees("R")))
        let owner = "FROM \(table) AS A WHERE A.\(family) AND A.\(key) = \(target).Z_PK"
        let assigned = "\(back) = (SELECT A.Z_PK \(owner) LIMIT 1)"
        let number = inverse.entitySQL.map { "\($0) = (SELECT A.Z_ENT \(owner) LIMIT 1)" }
        try note(
            "inverse.oneSided", entity.name, property.name, found,
            "\(Self.rows(found.count)) of \(entity.name) refer in '\(property.name)' to an object whose "
                + "'\(inverse.name)' is another one or empty.",
            repair: Repair(
                .statements([
                    Repair.update(
                        target, [assigned, number].compactMap { $0 },
                        where: "\(back) IS NULL AND EXISTS (SELECT 1 \(owner))"),
                    Repair.update(table, property.emptied, where: "\(family) AND \(disagrees(table))"),
                ]), "Empty ends are set, and ends that contradict the other are emptied."))
    }
}

extension StoreTables.ToOne {
    /// The assignments that empty the relationship.
    fileprivate var emptied: [String] { [keySQL, entitySQL].compactMap { $0 }.map { "\($0) = NULL" } }
}
