// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Translates a key path to SQL: a column, a key, the members of a to-many relationship, or an aggregate of them.

import Foundation

/// The value at the end of a key path.
package enum PathEnd {
    case attribute(SQLText, ColumnCoding)
    /// An object, by its key, and by its entity if a column contains it.
    case object(key: SQLText, entity: SQLText?, layout: EntityLayout)
    /// The entity of an object: its number.
    case entity(SQLText)
    /// A composite, or a composite within one, by the columns of its elements. It is nil if all of them are null.
    case composite([SQLText])
    /// The members of the first to-many relationship in the path, and the rest of the path after it.
    case members(place: RowPlace, slot: Int, rest: [String])
}

package struct KeyPathTranslator {
    package let schema: Schema

    /// - Throws: `NotTranslatable` for a property that is not stored, a Cocoa error for a key that an entity on the
    ///   path lacks.
    package func resolve(_ path: [String], from start: RowPlace) throws -> PathEnd {
        var place = start
        var position = 0
        while position < path.count {
            let name = path[position]
            let rest = Array(path[(position + 1)...])
            if name.uppercased() == "SELF" {
                position += 1
                continue
            }
            guard let slot = place.layout.slot(name) else {
                if name == "objectID", rest.isEmpty {
                    return .object(key: place.key, entity: place.entity, layout: place.layout)
                }
                if name == "entity", rest.isEmpty { return .entity(place.entity) }
                if let inside = InsidePath(key: name) {
                    throw NotTranslatable(reason: "a path into the values of '\(inside.attribute)'")
                }
                throw Self.unknown(name, place.layout, path)
            }
            let storage = schema.mapping(place.layout)?.storage[slot] ?? .none
            switch storage {
            case .none:
                throw NotTranslatable(reason: "\(place.layout.name).\(name) is not stored")
            case .attribute(let column):
                guard rest.isEmpty else { throw NotTranslatable(reason: "'\(rest[0])' of a value") }
                return .attribute(place.column(column.name), column.coding)
            case .composite(let leaves):
                if let leaf = leaves.first(where: { $0.path == rest }) {
                    return .attribute(place.column(leaf.column.name), leaf.column.coding)
                }
                let inner = leaves.filter { $0.path.starts(with: rest) }
                if inner.isEmpty { throw Self.unknown(rest.joined(separator: "."), place.layout, path) }
                return .composite(inner.map { place.column($0.column.name) })
            case .toOne(let columns):
                let destination = schema.model.layouts[Int(place.layout[slot].destination)]
                if rest.isEmpty || rest == ["objectID"] {
                    return .object(
                        key: place.column(columns.key), entity: columns.entity.map(place.column), layout: destination)
                }
                place = try place.level.follow(slot, from: place)
            case .toMany:
                return .members(place: place, slot: slot, rest: rest)
            }
            position += 1
        }
        return .object(key: place.key, entity: place.entity, layout: place.layout)
    }

    package static func unknown(_ name: String, _ layout: EntityLayout, _ path: [String]) -> any Error {
        let inPath = path.count > 1 ? " (in '\(path.joined(separator: "."))')" : ""
        return CoreDataError.storeOperation(
            "'\(layout.name)' has no property '\(name)'\(inPath).\(layout.names(near: name))")
    }

    package static func components(_ path: String) -> [String] { path.split(separator: ".").map(String.init) }

    /// The rows of a to-many relationship, as the FROM and WHERE of a subquery.
    package struct Members {
        package let level: QueryLevel
        package let place: RowPlace
        package let from: String
        package let link: SQLText

        /// FROM and WHERE with all joins that are needed so far.
        package func source(where condition: SQLText?) -> SQLText {
            let head = SQLText(raw: "FROM \(from)\(level.joinText) WHERE ") + link
            return condition.map { head + SQLText(raw: " AND ") + $0 } ?? head
        }
    }

    package func members(of slot: Int, from owner: RowPlace) throws -> Members {
        let destination = schema.model.layouts[Int(owner.layout[slot].destination)]
        guard case .toMany(let storage) = schema.mapping(owner.layout)?.storage[slot],
            let table = schema.mapping(destination)?.table
        else {
            throw NotTranslatable(reason: "\(owner.layout.name).\(owner.layout.properties[slot].name) is not stored")
        }
        let level = QueryLevel(
            schema: schema, numbers: owner.level.numbers, searches: owner.level.searches, values: owner.level.values)
        let place = level.place(destination)
        switch storage {
        case .column(let key, _, _):
            return Members(
                level: level, place: place, from: "\(table.sql) AS \(place.alias)",
                link: place.column(key) + SQLText(raw: " = ") + owner.key)
        case .join(let join, let isOwner):
            let link = owner.level.numbers.next()
            let (own, other) = (join.column(of: isOwner), join.column(of: !isOwner))
            var source = "\(join.sql) AS \(link)"
            if join.isReflexive {
                // A link connects both ends, whichever direction was written.
                let links = join.sql + schema.dialect.subqueryName
                source =
                    "(SELECT \(own), \(other) FROM \(links) UNION SELECT \(other), \(own) FROM \(links)) AS \(link)"
            }
            return Members(
                level: level, place: place,
                from: "\(source) JOIN \(table.sql) AS \(place.alias) ON \(place.key.text) = \(link).\(other)",
                link: SQLText(raw: "\(link).\(own) = ") + owner.key)
        }
    }
}
