// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Translates sort descriptors to ORDER BY, with an order for equal rows.

import Foundation

package struct SortTranslator {
    package let schema: Schema
    package let place: RowPlace

    /// The terms of ORDER BY.
    ///
    /// - Throws: `NotTranslatable` if a term must be sorted in memory.
    package func terms(_ sorting: [PreparedFetch.Sort]) throws -> [SQLText] {
        try sorting.map { sort in
            guard sort.keyPath.tail == .value else { throw NotTranslatable(reason: "the order of such values") }
            switch try PathColumns(schema: schema).end(sort.keyPath.steps, from: place) {
            case .attribute(_, .transformable), .attribute(_, .externalBinary), .attribute(_, .binary), .composite:
                throw NotTranslatable(reason: "the order of such values")
            case .attribute(let column, let coding):
                return try schema.dialect.order(column, coding, sort.comparison, isAscending: sort.isAscending)
            // The order of creation, `IdentityOrder`.
            case .object(let key, _, _):
                return try schema.dialect.order(key, .integer, .standard, isAscending: sort.isAscending)
            }
        }
    }
}

/// Key paths that have been looked up already.
package struct PathColumns {
    package let schema: Schema

    package enum End {
        case attribute(SQLText, ColumnCoding)
        case composite([(leaf: CompositeLeaf, column: SQLText)])
        case object(key: SQLText, entity: SQLText?, layout: EntityLayout)
    }

    package func end(_ steps: [PathStep], from start: RowPlace) throws -> End {
        var place = start
        for (position, step) in steps.enumerated() {
            let isLast = position == steps.count - 1
            switch schema.mapping(place.layout)?.storage[step.slot] ?? .none {
            case .attribute(let column): return .attribute(place.column(column.name), column.coding)
            case .composite(let leaves):
                guard let element = step.element else {
                    return .composite(leaves.map { ($0, place.column($0.column.name)) })
                }
                guard let leaf = leaves.first(where: { $0.path.joined(separator: ".") == element }) else {
                    throw NotTranslatable(reason: "the element '\(element)'")
                }
                return .attribute(place.column(leaf.column.name), leaf.column.coding)
            case .toOne(let columns):
                if isLast {
                    let destination = schema.model.layouts[Int(place.layout[step.slot].destination)]
                    return .object(
                        key: place.column(columns.key), entity: columns.entity.map(place.column), layout: destination)
                }
                place = try place.level.follow(step.slot, from: place)
            case .none, .toMany:
                throw NotTranslatable(
                    reason: "\(place.layout.name).\(place.layout.properties[step.slot].name) in a key path")
            }
        }
        return .object(key: place.key, entity: place.entity, layout: place.layout)
    }
}
