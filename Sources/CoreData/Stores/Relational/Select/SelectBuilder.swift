// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes one SELECT from a prepared fetch, and lists the parts that have no SQL.

import CoreDataFoundation
import Foundation
import SQLiteDriver

/// Builds the statement of a fetch. No I/O.
struct SelectBuilder {
    let schema: Schema
    let fetch: BoundFetch
    private let mapping: EntityMapping
    private let excludesForeignRows: Bool
    private let level: QueryLevel
    private let place: RowPlace
    private let conditions: [SQLText]
    private let order: [SQLText]?

    /// Conjuncts of the predicate that rows have to be asked in memory.
    let remainder: [PredicateSyntax]
    /// Why, for each of them.
    let remainderReasons: [String]
    /// Why rows have to be sorted in memory; nil where they have not.
    let orderReason: String?
    /// Whether rows have to be sorted in memory.
    var sortsInMemory: Bool { order == nil }
    /// Whether the statement gives exactly what was asked for, limit and offset included.
    var isComplete: Bool { remainder.isEmpty && !sortsInMemory }

    /// - Parameters:
    ///   - keys: nil; or the keys of the rows that match, found out before: they take the place of the predicate.
    ///   - excludesForeignRows: leaves out rows of the entity's table that belong to none of its entities.
    /// - Throws: a Cocoa error for an entity that the store does not hold, and for unknown keys.
    init(schema: Schema, fetch: BoundFetch, keys: [Int64]? = nil, excludesForeignRows: Bool = false) throws {
        self.schema = schema
        self.fetch = fetch
        guard let mapping = schema.mapping(fetch.layout) else {
            throw CoreDataError.storeOperation("The store does not hold the entity \(fetch.layout.name).")
        }
        self.mapping = mapping
        self.excludesForeignRows = excludesForeignRows
        level = QueryLevel(schema: schema, numbers: AliasNumbers())
        place = level.place(fetch.layout)
        var conditions: [SQLText] = []
        var remainder: [PredicateSyntax] = []
        var reasons: [String] = []
        if let keys {
            conditions.append("\(place.key) IN \(ListTranslator.list(keys.map { .integer($0) }))")
        } else if let predicate = fetch.predicate {
            let translator = PredicateTranslator(expressions: ExpressionTranslator(schema: schema, place: place))
            for conjunct in Self.conjuncts(predicate) {
                do {
                    let condition = try translator.condition(conjunct)
                    if condition != .yes { conditions.append(condition) }
                } catch let obstacle as NotTranslatable {
                    remainder.append(conjunct)
                    reasons.append(obstacle.reason)
                }
            }
        }
        self.remainder = remainder
        remainderReasons = reasons
        do {
            order = try SortTranslator(schema: schema, place: place).terms(fetch.sorting)
            orderReason = nil
        } catch let obstacle as NotTranslatable {
            order = nil
            orderReason = obstacle.reason
        }
        self.conditions = conditions
    }

    private static func conjuncts(_ predicate: PredicateSyntax) -> [PredicateSyntax] {
        if case .and(let members) = predicate { return members.flatMap(conjuncts) }
        return [predicate]
    }

    // MARK: Parts

    /// Rows of other entities in the same table do not count. Where a table has no other entities, a statement has a
    /// condition only if it counts all rows, or if the file is known to hold rows with a number or key that none of the
    /// table's objects has.
    private var entityCondition: SQLText? {
        let family = fetch.includesSubentities ? fetch.layout.familyIndexes : [fetch.layout.index]
        let numbers = family.compactMap { schema.mapping($0)?.number }
        let inTable = schema.entities.filter { $0.table === mapping.table }.count
        let excludesForeignRows = excludesForeignRows || isPlainCount
        if numbers.count == inTable, !excludesForeignRows { return nil }
        let entity = "\(place.alias).Z_ENT"
        let condition =
            numbers.count == 1
            ? "\(entity) = \(numbers[0])" : "\(entity) IN (\(numbers.map(String.init).joined(separator: ", ")))"
        return SQLText(raw: excludesForeignRows ? "\(condition) AND \(place.alias).Z_PK > 0" : condition)
    }

    private var isPlainCount: Bool {
        if case .count = fetch.result { return conditions.isEmpty }
        return false
    }

    private func source(notIndexed: Bool = false) -> SQLText {
        let all = conditions + [entityCondition].compactMap { $0 }
        var text = SQLText(
            raw: " FROM \(mapping.table.sql) AS \(place.alias)\(notIndexed ? " NOT INDEXED" : "")\(level.joinText)")
        if !all.isEmpty { text += SQLText(raw: " WHERE ") + all.joined(" AND ") }
        return text
    }

    private func ordering(tieBreak: Bool) -> SQLText {
        guard let order, !order.isEmpty else { return "" }
        // Rows that are equal stand in the order of their keys, in the direction of the last descriptor: so an index
        // that is read backwards gives the whole order, and nothing is sorted.
        guard tieBreak else { return SQLText(raw: " ORDER BY ") + order.joined(", ") }
        let key: SQLText = fetch.sorting.breaksTiesUpwards ? place.key : "\(place.key) DESC"
        return SQLText(raw: " ORDER BY ") + (order + [key]).joined(", ")
    }

    private var window: SQLText {
        if !isComplete || (fetch.limit == 0 && fetch.offset == 0) { return "" }
        let limit = SQLiteValue.integer(fetch.limit == 0 ? -1 : Int64(fetch.limit))
        return fetch.offset == 0
            ? " LIMIT \(value: limit)" : " LIMIT \(value: limit) OFFSET \(value: .integer(Int64(fetch.offset)))"
    }

    // MARK: Statements

    /// The rows for a statement that changes them: their table with its alias, and the condition that they match.
    var target: (table: String, alias: String, condition: SQLText?) {
        let table = "\(mapping.table.sql) AS \(place.alias)"
        if level.joins.isEmpty, window.text.isEmpty {
            let all = conditions + [entityCondition].compactMap { $0 }
            return (table, place.alias, all.isEmpty ? nil : all.joined(" AND "))
        }
        let keys =
            SQLText(raw: "\(place.alias).Z_PK IN (SELECT \(place.alias).Z_PK") + source() + ordering(tieBreak: true)
            + window + SQLText(raw: ")")
        return (table, place.alias, keys)
    }

    func rows(_ plan: RowPlan) -> SQLText {
        var columns = "\(place.alias).Z_PK, \(place.alias).Z_ENT, \(place.alias).Z_OPT"
        for column in plan.columns { columns += ", \(place.alias).\(column)" }
        return SQLText(raw: "SELECT " + columns) + source() + ordering(tieBreak: true) + window
    }

    func keys() -> SQLText {
        SQLText(raw: "SELECT \(place.alias).Z_PK, \(place.alias).Z_ENT") + source() + ordering(tieBreak: true) + window
    }

    func count() -> SQLText {
        if fetch.limit == 0, fetch.offset == 0 { return SQLText(raw: "SELECT COUNT(*)") + source() }
        return SQLText(raw: "SELECT COUNT(*) FROM (SELECT 1") + source() + window + SQLText(raw: ")")
    }

    /// - Throws: `NotTranslatable` for an expression that SQL cannot compute.
    func dictionaries(_ request: DictionaryRequest) throws -> (SQLText, [DictionaryColumn]) {
        var translator = ExpressionTranslator(schema: schema, place: place)
        translator.allowsAggregates = true
        let builder = DictionaryColumnBuilder(schema: schema, place: place, expressions: translator)
        var columns: [DictionaryColumn] = []
        var terms: [SQLText] = []
        for column in request.columns {
            let (new, sql) = try builder.column(column, at: terms.count)
            columns.append(new)
            terms += sql
            if let first = sql.first, sql.count == 1 { translator.aliases[column.name] = first }
        }
        let groups = try request.groupBy.flatMap { try builder.groupTerms($0) }
        var having = SQLText(raw: "")
        if let predicate = request.having {
            having = SQLText(raw: " HAVING ") + (try PredicateTranslator(expressions: translator).condition(predicate))
        }
        let isGrouped = !groups.isEmpty || request.isDistinct || columns.contains(where: \.isAggregate)
        var text = SQLText(raw: "SELECT \(request.isDistinct ? "DISTINCT " : "")") + terms.joined(", ")
        // An index on what is grouped by leads through the table in its order: five times slower than reading it
        // through.
        text += source(notIndexed: !groups.isEmpty && conditions.isEmpty)
        if !groups.isEmpty { text += SQLText(raw: " GROUP BY ") + groups.joined(", ") }
        if request.having != nil, groups.isEmpty { text += SQLText(raw: " GROUP BY NULL") }
        return (text + having + ordering(tieBreak: !isGrouped) + window, columns)
    }
}
