// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compares the objects of two stores: two sorted streams for each entity, row by row.

import CoreData
import Foundation
import SQLiteDriver

/// The differences between the objects of two stores.
///
/// SQLite sorts both sides by row or by key attributes, on disk if there are many, so memory does not grow with the
/// stores.
package struct DataDiff {
    /// One difference: an object that only one side has, or a property with two values.
    package struct Change: Sendable, Equatable {
        package enum Kind: String, Sendable { case added, removed, changed }

        package let kind: Kind
        package let entity: String
        /// "Book/3", or the values of the key attributes.
        package let object: String
        /// nil for an object that only one side has.
        package let property: String?
        package let old: Cell
        package let new: Cell
    }

    package struct Counts: Sendable, Equatable {
        package var compared = 0
        package var added = 0
        package var removed = 0
        package var changed = 0

        package var isEmpty: Bool { added + removed + changed == 0 }
    }

    private let one: RowStore
    private let other: RowStore
    private let keys: [String: [String]]

    /// - Parameter keys: the key attributes by entity name. Objects of other entities are the same if they have the
    ///   same row in both stores.
    package init(_ one: RowStore, _ other: RowStore, keys: [String: [String]] = [:]) throws {
        for name in keys.keys {
            guard one.tables.entity(name) != nil || other.tables.entity(name) != nil else {
                throw ToolError("There is no entity '\(name)'.")
            }
        }
        (self.one, self.other) = (one, other)
        // Objects of subentities have the keys of their superentities.
        var all = keys
        for entity in one.tables.entities where all[entity.name] == nil {
            var next = entity.superNumber
            while next != 0, let parent = one.tables.entity(number: next) {
                if let inherited = keys[parent.name] { all[entity.name] = all[entity.name] ?? inherited }
                next = parent.superNumber
            }
        }
        self.keys = all
    }

    /// Calls `report` with each difference, by entity in the order of the first store.
    package func run(step: (String) -> Void = { _ in }, report: (Change) throws -> Void) throws -> Counts {
        var counts = Counts()
        try one.connection.read {
            try other.connection.read {
                for entity in one.concreteEntities {
                    step(entity.name)
                    if let counterpart = other.tables.entity(entity.name), !counterpart.isAbstract {
                        try compare(entity, counterpart, &counts, report)
                    }
                }
            }
        }
        return counts
    }

    private struct Side {
        let query: RowQuery
        let statement: Statement
        let store: RowStore
        private(set) var key: [SQLiteValue]?

        init(_ query: RowQuery, _ store: RowStore) throws {
            self.query = query
            self.store = store
            statement = try store.connection.prepare(query.sql)
            try advance()
        }

        mutating func advance() throws {
            guard try statement.step() else {
                key = nil
                return
            }
            key = query.keyCount == 0 ? [statement.value(at: 0)] : (1...query.keyCount).map { statement.value(at: $0) }
        }

        func value(_ part: Int) -> SQLiteValue { statement.value(at: 1 + query.keyCount + part) }

        var name: String {
            guard query.keyCount > 0, let key else { return "\(query.entity.name)/\(statement.int64(at: 0))" }
            return key.map { StoredValue.cell($0, .string, folder: store.largeData).tableText }.joined(separator: ",")
        }
    }

    private func compare(
        _ first: StoreTables.Entity, _ second: StoreTables.Entity, _ counts: inout Counts,
        _ report: (Change) throws -> Void
    ) throws {
        let names = Self.properties(first).intersection(Self.properties(second))
        let queries = (
            try RowQuery(first, in: one.tables, names: names, keys: keys),
            try RowQuery(second, in: other.tables, names: names, keys: keys)
        )
        // A composite may have other elements, a to-many another storage.
        let places = Dictionary(
            queries.1.parts.enumerated().map { ($0.element.label, $0.offset) }, uniquingKeysWith: { first, _ in first })
        let pairs = queries.0.parts.enumerated().compactMap { position, part in
            places[part.label].map { (part: part, one: position, other: $0) }
        }
        var (left, right) = (try Side(queries.0, one), try Side(queries.1, other))
        while true {
            switch (left.key, right.key) {
            case (nil, nil): return
            case (let a?, let b?) where Self.order(a, b) == 0:
                counts.compared += 1
                var isChanged = false
                for pair in pairs {
                    guard let change = change(pair.part, left, right, pair.one, pair.other) else { continue }
                    isChanged = true
                    try report(change)
                }
                if isChanged { counts.changed += 1 }
                try left.advance()
                try right.advance()
            case (let a?, let b) where b.map({ Self.order(a, $0) < 0 }) ?? true:
                counts.removed += 1
                try report(
                    Change(kind: .removed, entity: first.name, object: left.name, property: nil, old: .null, new: .null)
                )
                try left.advance()
            default:
                counts.added += 1
                try report(
                    Change(kind: .added, entity: second.name, object: right.name, property: nil, old: .null, new: .null)
                )
                try right.advance()
            }
        }
    }

    private static func properties(_ entity: StoreTables.Entity) -> Set<String> {
        Set(entity.attributes.map(\.name) + entity.toOnes.map(\.name) + entity.toManys.map(\.name))
    }

    private func change(_ part: RowQuery.Part, _ left: Side, _ right: Side, _ a: Int, _ b: Int) -> Change? {
        let (old, new) = (left.value(a), right.value(b))
        func change(_ old: Cell, _ new: Cell) -> Change {
            Change(
                kind: .changed, entity: left.query.entity.name, object: left.name, property: part.label, old: old,
                new: new)
        }
        switch part.content {
        case .attribute(let column):
            let folders = (one.largeData, other.largeData)
            if StoredValue.isEqual(old, new, column.kind, folders) { return nil }
            return change(
                StoredValue.cell(old, column.kind, folder: folders.0),
                StoredValue.cell(new, column.kind, folder: folders.1))
        case .toOne, .toMany:
            func names(_ value: SQLiteValue, _ store: RowStore) -> [String] {
                (value.textValue ?? "").split(separator: " ").map { store.tables.objectName(String($0)) }
            }
            if old == new, one.tables.entities.map(\.number) == other.tables.entities.map(\.number) { return nil }
            let (before, after) = (names(old, one), names(new, other))
            if before == after { return nil }
            func cell(_ names: [String]) -> Cell {
                if case .toMany = part.content { return .list(names.map { .object($0) }, isObjects: false) }
                return names.first.map { .object($0) } ?? .null
            }
            return change(cell(before), cell(after))
        }
    }

    /// SQLite's order of values: null, numbers, text by bytes, data by bytes.
    private static func order(_ one: [SQLiteValue], _ other: [SQLiteValue]) -> Int {
        for (a, b) in zip(one, other) {
            let order = Self.order(a, b)
            if order != 0 { return order }
        }
        return 0
    }

    private static func order(_ one: SQLiteValue, _ other: SQLiteValue) -> Int {
        func rank(_ value: SQLiteValue) -> Int {
            switch value {
            case .null: 0
            case .integer, .real: 1
            case .text: 2
            case .blob: 3
            }
        }
        switch (one, other) {
        case (.integer(let a), .integer(let b)): return a < b ? -1 : a > b ? 1 : 0
        case (.text(let a), .text(let b)):
            return a.utf8.elementsEqual(b.utf8) ? 0 : a.utf8.lexicographicallyPrecedes(b.utf8) ? -1 : 1
        case (.blob(let a), .blob(let b)): return a == b ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
        default:
            if let a = one.realValue, let b = other.realValue { return a < b ? -1 : a > b ? 1 : 0 }
            return rank(one) < rank(other) ? -1 : rank(one) > rank(other) ? 1 : 0
        }
    }
}

extension DataDiff.Change {
    package static let columns = ["change", "entity", "object", "property", "old", "new"]

    package var row: QueryResult.Row {
        .init(
            id: "",
            cells: [
                .string(kind.rawValue), .string(entity), .string(object), property.map { .string($0) } ?? .null, old,
                new,
            ])
    }
}
