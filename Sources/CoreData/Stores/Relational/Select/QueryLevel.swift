// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The tables of one SELECT, with their short names.

/// An object that a SELECT has at hand: a row, under the alias of its table.
struct RowPlace {
    let level: QueryLevel
    let alias: String
    let layout: EntityLayout

    /// Without an alias (in the condition of an index) the name stands alone.
    func column(_ name: String) -> SQLText {
        SQLText(raw: alias.isEmpty ? SchemaNaming.quoted(name) : "\(alias).\(SchemaNaming.quoted(name))")
    }

    var key: SQLText { column(SchemaNaming.key) }
    var entity: SQLText { column(SchemaNaming.entity) }
}

/// Numbers for aliases, one sequence for a statement with all its subqueries.
final class AliasNumbers {
    private var last = -1

    func next() -> String {
        last += 1
        return "t\(last)"
    }
}

/// One SELECT, outermost or inside a condition, with the joins that its key paths need.
///
/// Joins follow to-ones, so they never multiply rows; a to-one that several key paths go through is joined once. All
/// are left joins: SQLite makes inner ones of them by itself where a condition refuses null.
final class QueryLevel {
    let schema: Schema
    let numbers: AliasNumbers
    private(set) var joins: [String] = []
    private var places: [Edge: RowPlace] = [:]

    private struct Edge: Hashable {
        var alias: String
        var slot: Int
        var entity: Int
    }

    init(schema: Schema, numbers: AliasNumbers) {
        self.schema = schema
        self.numbers = numbers
    }

    func place(_ layout: EntityLayout) -> RowPlace { RowPlace(level: self, alias: numbers.next(), layout: layout) }

    /// The row that a to-one leads to.
    ///
    /// - Throws: `NotTranslatable` for relationships that are not stored.
    func follow(_ slot: Int, from place: RowPlace) throws -> RowPlace {
        let edge = Edge(alias: place.alias, slot: slot, entity: place.layout.index)
        if let known = places[edge] { return known }
        let destination = schema.model.layouts[Int(place.layout[slot].destination)]
        guard case .toOne(let columns) = schema.mapping(place.layout)?.storage[slot],
            let table = schema.mapping(destination)?.table
        else {
            throw NotTranslatable(reason: "\(place.layout.name).\(place.layout.properties[slot].name) is not stored")
        }
        let target = self.place(destination)
        joins.append(
            "LEFT JOIN \(table.sql) AS \(target.alias) ON \(target.alias).Z_PK = \(place.column(columns.key).text)")
        places[edge] = target
        return target
    }

    var joinText: String { joins.isEmpty ? "" : " " + joins.joined(separator: " ") }
}
