// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds rows that cannot be migrated: missing and duplicate values, numbers out of range, rows of abstract entities.

import Foundation

/// A query that counts the rows of the source that break a rule of the destination.
package struct ScriptCheck: Sendable {
    package enum Kind: String, Sendable {
        case missingValue, conversion, duplicate, abstract
    }

    let kind: Kind
    let entity: String
    /// nil for the rows of an abstract entity. Several names are joined with commas.
    let property: String?
    let reason: String
    /// Gives the number of rows.
    package let query: String
    /// The table of the source that has the rows.
    let source: String
    /// Selects the keys of the rows; of duplicates, all but the lowest. Rows in the `QuarantineTable` do not count.
    let failing: String
}

struct ScriptChecks {
    let transition: SchemaTransition
    let origins: ColumnOrigins

    private var dialect: any Dialect { transition.dialect }

    var all: [ScriptCheck] {
        get throws { try transition.entities.flatMap(ofEntity) + transition.destination.entities.flatMap(duplicates) }
    }

    private func ofEntity(_ entity: EntityTransition) throws -> [ScriptCheck] {
        let layout = entity.destination.layout
        if layout.isAbstract {
            guard !entity.source.layout.isAbstract else { return [] }
            return [
                check(entity, .abstract, nil, "The entity is abstract in the destination model, and has rows", nil)
            ]
        }
        return try (0..<layout.slotCount).flatMap { slot -> [ScriptCheck] in
            guard case .attribute(let column) = entity.destination.storage[slot] else { return [] }
            let origin = AttributeOrigin(entity, slot)
            return try [missing(entity, slot, column, origin), unfit(entity, slot, origin)].compactMap { $0 }
        }
    }

    private func check(
        _ entity: EntityTransition, _ kind: ScriptCheck.Kind, _ property: String?, _ reason: String, _ rule: String?
    ) -> ScriptCheck {
        let rows =
            "FROM \(entity.source.table.sql) WHERE \(isOf(entity))" + (rule.map { " AND \($0)" } ?? "")
        return ScriptCheck(
            kind: kind, entity: entity.destination.layout.name, property: property, reason: reason,
            query: "SELECT COUNT(*) \(rows)", source: entity.source.table.name,
            failing: "SELECT \(dialect.names.key) \(rows)")
    }

    /// The condition that a row of the source belongs to an entity.
    private func isOf(_ entity: EntityTransition) -> String {
        "\(transition.source.entity(of: entity.source.table)) = \(transition.source.literal(entity.oldNumber))"
    }

    private func missing(
        _ entity: EntityTransition, _ slot: Int, _ column: AttributeColumn, _ origin: AttributeOrigin
    ) throws -> ScriptCheck? {
        guard let attribute = entity.destination.layout.attribute(slot), !attribute.isOptional,
            !(attribute is NSDerivedAttributeDescription), origin.former?.isOptional != false,
            try origin.defaultLiteral(column.coding, path: []) == nil
        else { return nil }
        return check(
            entity, .missingValue, attribute.name,
            "Validation error missing attribute values on mandatory destination attribute",
            origin.column(path: []).map { "\(dialect.quoted($0.name)) IS NULL" })
    }

    private func unfit(_ entity: EntityTransition, _ slot: Int, _ origin: AttributeOrigin) -> ScriptCheck? {
        guard let attribute = entity.destination.layout.attribute(slot), let former = origin.former,
            let column = origin.column(path: []),
            let rule = rule(former.attributeType, attribute.attributeType, dialect.quoted(column.name))
        else { return nil }
        return check(
            entity, .conversion, attribute.name, "A value does not fit the type of the destination attribute",
            "\(dialect.quoted(column.name)) IS NOT NULL AND NOT (\(rule))")
    }

    /// The condition that a value fits; nil if all values do.
    private func rule(_ old: NSAttributeType, _ new: NSAttributeType, _ column: String) -> String? {
        guard old != new, ModelDifference.isNumber(old), ModelDifference.isNumber(new) else { return nil }
        let widths: [NSAttributeType: Int] = [
            .integer16AttributeType: 16, .integer32AttributeType: 32, .integer64AttributeType: 64,
        ]
        let between = { (bound: Int64) in "\(column) BETWEEN \(-bound) AND \(bound)" }
        switch (widths[old], widths[new]) {
        case (let from?, let to?):
            return from <= to ? nil : "\(column) BETWEEN \(-(1 << (to - 1))) AND \((1 << (to - 1)) - 1)"
        case (nil, let to?):
            let range =
                to == 64
                ? "\(column) >= -9.2233720368547e18 AND \(column) <= 9.2233720368547e18"
                : "\(column) BETWEEN \(-(1 << (to - 1))) AND \((1 << (to - 1)) - 1)"
            return "\(range) AND \(dialect.isWhole(column))"
        case (let from?, nil):
            // Beyond these bounds some integers have no exact floating-point value.
            let bound: Int64 = new == .floatAttributeType ? 1 << 24 : 1 << 53
            return from == 16 || from == 32 && new != .floatAttributeType ? nil : between(bound)
        case (nil, nil):
            return new == .floatAttributeType ? "ABS(\(column)) <= 3.4028234663852886e38" : nil
        }
    }

    // MARK: Uniqueness

    private func duplicates(_ mapping: EntityMapping) -> [ScriptCheck] {
        let layout = mapping.layout
        let family = transition.family(mapping).compactMap { transition.entity(new: $0.number) }
            .filter { !$0.destination.layout.isAbstract }
        guard !family.isEmpty else { return [] }
        let inherited = layout.superIndex >= 0 ? transition.destination.mapping(layout.superIndex) : nil
        let known = inherited?.layout.entity.uniquenessConstraintNames ?? []
        return layout.entity.uniquenessConstraintNames.filter { !known.contains($0) }.compactMap { names in
            if family.allSatisfy({ Self.isUnique(names, $0.pair) }) { return nil }
            return duplicates(names, mapping, family)
        }
    }

    /// Whether the same values were unique in the source.
    private static func isUnique(_ names: [String], _ pair: ModelPairing.Entity) -> Bool {
        let formers = names.compactMap { pair.source(of: $0)?.name }
        let old = Set((pair.source?.uniquenessConstraintNames ?? []).map { Set($0) })
        return formers.count == names.count && old.contains(Set(formers))
    }

    private func duplicates(_ names: [String], _ mapping: EntityMapping, _ family: [EntityTransition]) -> ScriptCheck? {
        let plans = Dictionary(
            origins.columns(of: mapping.table).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var columns: [ColumnPlan] = []
        for name in names {
            guard let slot = mapping.layout.slot(name) else { return nil }
            switch mapping.storage[slot] {
            case .attribute(let column): plans[column.name].map { columns.append($0) }
            case .toOne(let key): plans[key.key].map { columns.append($0) }
            case .none, .composite, .toMany: return nil
            }
        }
        guard columns.count == names.count, !columns.isEmpty, let source = family.first?.source.table.name else {
            return nil
        }
        let aliases = columns.indices.map { "V\($0)" }
        let list = aliases.joined(separator: ", ")
        let present = aliases.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
        let quarantine = QuarantineTable(transition.source)
        let (key, name) = (dialect.names.key, dialect.subqueryName)
        let rows = { (isQuarantining: Bool) in
            family.map { entity in
                let values = zip(columns, aliases).map { column, alias in
                    let value = column.origins[entity.oldNumber]?.value.sql(dialect) ?? "NULL"
                    let lost = isQuarantining ? lostReference(column, entity, quarantine) : nil
                    return (lost.map { "CASE WHEN \($0) THEN NULL ELSE \(value) END" } ?? value) + " AS \(alias)"
                }
                return "SELECT \(key), \(values.joined(separator: ", ")) FROM \(entity.source.table.sql) "
                    + "WHERE \(isOf(entity))"
            }.joined(separator: " UNION ALL ")
        }
        return ScriptCheck(
            kind: .duplicate, entity: mapping.layout.name, property: names.joined(separator: ","),
            reason: "constraint violation during attempted migration",
            query:
                "SELECT COALESCE(SUM(N - 1), 0) FROM (SELECT COUNT(*) AS N FROM (\(rows(false)))\(name) "
                + "WHERE \(present) GROUP BY \(list) HAVING COUNT(*) > 1)\(name)",
            source: source,
            failing:
                "SELECT \(key) FROM (SELECT \(key), ROW_NUMBER() OVER (PARTITION BY \(list) ORDER BY \(key)) AS N FROM "
                + "(\(rows(true)))\(name) WHERE \(present) AND NOT \(quarantine.has(key, of: source)))\(name) WHERE N > 1"
        )
    }

    /// The condition that a column of a row refers to a quarantined row; nil for a column that is not a reference.
    private func lostReference(_ column: ColumnPlan, _ entity: EntityTransition, _ quarantine: QuarantineTable)
        -> String?
    {
        for slot in 0..<entity.source.layout.slotCount {
            guard case .toOne(let key) = entity.source.storage[slot],
                let base = column.origins[entity.oldNumber]?.base, key.key == base,
                let target = transition.source.mapping(Int(entity.source.layout[slot].destination))
            else { continue }
            return quarantine.has(dialect.quoted(base), of: target.table.name)
        }
        return nil
    }
}
