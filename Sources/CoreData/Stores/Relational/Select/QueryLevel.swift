// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The tables of one SELECT, with their aliases.

/// An object that a SELECT can read: a row, under the alias of its table.
package struct RowPlace {
    package let level: QueryLevel
    package let alias: String
    package let layout: EntityLayout

    /// Without an alias (in the condition of an index) a space replaces it, as in Apple's files.
    package func column(_ name: String) -> SQLText {
        SQLText(raw: alias.isEmpty ? " \(dialect.quoted(name))" : "\(alias).\(dialect.quoted(name))")
    }

    package var dialect: any Dialect { level.schema.dialect }
    package var key: SQLText { column(dialect.names.key) }
    package var entity: SQLText {
        let root = level.schema.mapping(layout)?.table.root ?? layout
        return dialect.entity(alias, layout, root: root)
    }
}

/// Numbers for aliases, one sequence for a statement with all its subqueries.
package final class AliasNumbers {
    private var last = -1

    package func next() -> String {
        last += 1
        return "t\(last)"
    }
}

/// One SELECT, outermost or inside a condition, with the joins that its key paths need.
///
/// Joins follow to-one relationships, so they never multiply rows; a relationship that several key paths use is joined
/// once. All are left joins: SQLite itself converts them to inner joins if a condition excludes null.
package final class QueryLevel {
    package let schema: Schema
    package let numbers: AliasNumbers
    /// nil if searches must be evaluated in memory.
    package let searches: (any SearchConditions)?
    /// nil for a database without indexes of values inside of values.
    package let values: (any ValueConditions)?
    package private(set) var joins: [String] = []
    /// The aliases of joined rows. Not their places, which retain this object.
    private var aliases: [Edge: String] = [:]

    private struct Edge: Hashable {
        var alias: String
        var slot: Int
        var entity: Int
    }

    package init(
        schema: Schema, numbers: AliasNumbers, searches: (any SearchConditions)? = nil,
        values: (any ValueConditions)? = nil
    ) {
        self.schema = schema
        self.numbers = numbers
        self.searches = searches
        self.values = values
    }

    package func place(_ layout: EntityLayout) -> RowPlace {
        RowPlace(level: self, alias: numbers.next(), layout: layout)
    }

    /// The row to which a to-one relationship refers.
    ///
    /// - Throws: `NotTranslatable` for relationships that are not stored.
    package func follow(_ slot: Int, from place: RowPlace) throws -> RowPlace {
        let edge = Edge(alias: place.alias, slot: slot, entity: place.layout.index)
        let destination = schema.model.layouts[Int(place.layout[slot].destination)]
        if let known = aliases[edge] { return RowPlace(level: self, alias: known, layout: destination) }
        guard case .toOne(let columns) = schema.mapping(place.layout)?.storage[slot],
            let table = schema.mapping(destination)?.table
        else {
            throw NotTranslatable(reason: "\(place.layout.name).\(place.layout.properties[slot].name) is not stored")
        }
        let target = self.place(destination)
        joins.append(
            "LEFT JOIN \(table.sql) AS \(target.alias) ON \(target.key.text) = \(place.column(columns.key).text)")
        aliases[edge] = target.alias
        return target
    }

    package var joinText: String { joins.isEmpty ? "" : " " + joins.joined(separator: " ") }
}
