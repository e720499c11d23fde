// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes one SELECT from a prepared fetch, and lists the parts that cannot be translated.

import CoreDataFoundation
import Foundation

/// Builds the statement of a fetch. No I/O.
package struct SelectBuilder {
    package let schema: Schema
    package let fetch: BoundFetch
    private let mapping: EntityMapping
    private let excludesForeignRows: Bool
    private let level: QueryLevel
    private let place: RowPlace
    private let conditions: [SQLText]
    private let order: [SQLText]?

    /// Conjuncts of the predicate that must be evaluated in memory.
    package let remainder: [PredicateSyntax]
    /// The reason for each of them.
    package let remainderReasons: [String]
    /// The reason why rows must be sorted in memory; nil if they need not be.
    package let orderReason: String?
    /// Whether rows must be sorted in memory.
    package var sortsInMemory: Bool { order == nil }
    /// The reason why the position of a page must be compared in memory; nil if it need not be.
    package let positionReason: String?
    /// Whether the statement returns exactly the requested result, including limit and offset.
    package var isComplete: Bool { remainder.isEmpty && !sortsInMemory && positionReason == nil }

    /// - Parameters:
    ///   - excludesForeignRows: leaves out rows of the table that belong to none of its entities.
    ///   - searches: nil if searches must be evaluated in memory.
    ///   - spaces: nil for a database without spatial indexes.
    ///   - values: nil for a database without indexes of values inside of values.
    /// - Throws: a Cocoa error for an entity that the store does not hold, and for unknown keys.
    package init(
        schema: Schema, fetch: BoundFetch, excludesForeignRows: Bool = false,
        searches: (any SearchConditions)? = nil, spaces: (any SpatialConditions)? = nil,
        values: (any ValueConditions)? = nil
    ) throws {
        self.schema = schema
        self.fetch = fetch
        mapping = try schema.held(fetch.layout.index)
        self.excludesForeignRows = excludesForeignRows
        level = QueryLevel(schema: schema, numbers: AliasNumbers(), searches: searches, values: values)
        place = level.place(fetch.layout)
        var conditions: [SQLText] = []
        var remainder: [PredicateSyntax] = []
        var reasons: [String] = []
        if let predicate = fetch.predicate {
            let translator = PredicateTranslator(expressions: ExpressionTranslator(schema: schema, place: place))
            let conjuncts = Self.conjuncts(predicate)
            if let spaces, let boxes = SpatialBoxes(schema: schema, layout: fetch.layout).boxes(conjuncts),
                let candidates = try spaces.candidates(boxes, key: place.key, of: fetch.layout)
            {
                conditions.append(candidates)
            }
            for conjunct in conjuncts {
                do {
                    let condition = try translator.condition(conjunct)
                    if condition != schema.dialect.yes { conditions.append(condition) }
                } catch let obstacle as NotTranslatable {
                    var reason = obstacle.reason
                    if let wider = obstacle.wider, translator.isPlain(conjunct) {
                        conditions.append(wider)
                    } else if let wider = try translator.candidates(conjunct) {
                        conditions.append(wider)
                        if conjunct.comparesInside { reason += ", for the rows that an index gives" }
                    }
                    remainder.append(conjunct)
                    reasons.append(reason)
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
        var positionReason: String?
        if let paging = fetch.paging {
            do {
                let position = try PositionTranslator(schema: schema, place: place).condition(
                    paging, fetch.prepared.sorting)
                if let position { conditions.append("(\(position))") }
            } catch let obstacle as NotTranslatable {
                positionReason = obstacle.reason
            }
        }
        self.positionReason = positionReason
        self.conditions = conditions
    }

    private static func conjuncts(_ predicate: PredicateSyntax) -> [PredicateSyntax] {
        if case .and(let members) = predicate { return members.flatMap(conjuncts) }
        return [predicate]
    }

    // MARK: Parts

    /// Rows of other entities in the same table do not count. If a table has no other entities, the condition is only
    /// needed for a statement that counts all rows, or if the file is known to contain rows with a number or key that
    /// none of the table's objects has.
    private var entityCondition: SQLText? {
        let family = fetch.includesSubentities ? fetch.layout.familyIndexes : [fetch.layout.index]
        let entities = family.compactMap { schema.mapping($0) }
        let inTable = schema.entities.filter { $0.table === mapping.table }.count
        let excludesForeignRows = schema.dialect.hasForeignRows && (excludesForeignRows || isPlainCount)
        if entities.count == inTable, !excludesForeignRows { return nil }
        let condition = schema.dialect.isEntity(place.entity, among: entities.map(\.stored))
        return excludesForeignRows ? "\(condition) AND \(place.key) > 0" : condition
    }

    private var isPlainCount: Bool {
        if case .count = fetch.result { return conditions.isEmpty }
        return false
    }

    private func source(notIndexed: Bool = false) -> SQLText {
        let hint = notIndexed ? schema.dialect.groupHint : ""
        return source(SQLText(raw: " FROM \(mapping.table.sql) AS \(place.alias)\(hint)\(level.joinText)"), and: nil)
    }

    /// The tables and conditions of the statement, beginning with FROM.
    ///
    /// - Parameters:
    ///   - tables: the first tables, among them `table`.
    ///   - condition: a further condition; nil for none.
    package func source(from tables: SQLText, and condition: SQLText? = nil) -> SQLText {
        source(SQLText(raw: " FROM ") + tables + SQLText(raw: level.joinText), and: condition)
    }

    private func source(_ tables: SQLText, and condition: SQLText?) -> SQLText {
        var all = conditions
        if let condition { all.insert(condition, at: 0) }
        if let entityCondition { all.append(entityCondition) }
        var text = tables
        if !all.isEmpty { text += SQLText(raw: " WHERE ") + all.balanced(" AND ") }
        return text
    }

    /// The table of the rows with its alias, and two of its columns.
    package var table: SQLText { SQLText(raw: "\(mapping.table.sql) AS \(place.alias)") }
    package var key: SQLText { place.key }
    package var entity: SQLText { place.entity }
    /// Whether the predicate is more than a choice of entities.
    package var hasConditions: Bool { !conditions.isEmpty }

    /// - Parameter tieBreak: whether rows have keys; groups have none.
    private func ordering(tieBreak: Bool) -> SQLText {
        guard let order else { return "" }
        if order.isEmpty, fetch.paging == nil {
            // The first rows of an unsorted fetch are those with the lowest keys, in all stores. Dictionaries have no
            // keys by which they could be sorted later.
            var isCut = !window.text.isEmpty
            if case .dictionaries = fetch.result { isCut = true }
            guard tieBreak, isCut else { return "" }
        }
        // Equal rows are in the order of their keys, in the direction of the last descriptor, so that an index read
        // backwards gives the complete order without sorting.
        guard tieBreak else { return SQLText(raw: " ORDER BY ") + order.joined(", ") }
        let key: SQLText = fetch.sorting.breaksTiesAscending ? place.key : "\(place.key) DESC"
        return SQLText(raw: " ORDER BY ") + (order + [key]).joined(", ")
    }

    private var window: SQLText {
        if !isComplete || (fetch.limit == 0 && fetch.offset == 0) { return "" }
        return schema.dialect.window(limit: fetch.limit, offset: fetch.offset)
    }

    // MARK: Statements

    /// The rows for a statement that changes them: their table with its alias, and the condition that they match.
    package var target: (table: String, alias: String, condition: SQLText?) {
        let table = "\(mapping.table.sql) AS \(place.alias)"
        if level.joins.isEmpty, window.text.isEmpty {
            let all = conditions + [entityCondition].compactMap { $0 }
            return (table, place.alias, all.isEmpty ? nil : all.balanced(" AND "))
        }
        let keys =
            SQLText(raw: "\(place.key.text) IN (SELECT \(place.key.text)") + source() + ordering(tieBreak: true)
            + window + SQLText(raw: ")")
        return (table, place.alias, keys)
    }

    package func rows(_ plan: RowPlan) -> SQLText {
        var columns = schema.dialect.head(root: mapping.table.root, alias: place.alias)
        for column in plan.columns { columns += ", \(place.alias).\(column)" }
        return SQLText(raw: "SELECT " + columns) + source() + ordering(tieBreak: true) + window
    }

    package func keys() -> SQLText {
        "SELECT \(place.key), \(place.entity)" + source() + ordering(tieBreak: true) + window
    }

    package func count() -> SQLText {
        if fetch.limit == 0, fetch.offset == 0 { return SQLText(raw: "SELECT COUNT(*)") + source() }
        return SQLText(raw: "SELECT COUNT(*) FROM (SELECT 1") + source() + window
            + SQLText(raw: ")\(schema.dialect.subqueryName)")
    }

    /// - Throws: `NotTranslatable` for an expression that SQL cannot compute.
    package func dictionaries(_ request: DictionaryRequest) throws -> (SQLText, [DictionaryColumn]) {
        var translator = ExpressionTranslator(schema: schema, place: place)
        translator.allowsAggregates = true
        let builder = DictionaryColumnBuilder(schema: schema, place: place, expressions: translator)
        var columns: [DictionaryColumn] = []
        var terms: [SQLText] = []
        for column in request.columns {
            let (new, sql, operand) = try builder.column(column, at: terms.count)
            columns.append(new)
            terms += sql
            if let operand { translator.aliases[column.name] = (operand, column.resultType) }
        }
        let groups = try request.groupBy.flatMap { try builder.groupTerms($0) }
        var having = SQLText(raw: "")
        if let predicate = request.having {
            having = SQLText(raw: " HAVING ") + (try PredicateTranslator(expressions: translator).condition(predicate))
        }
        let isGrouped =
            !groups.isEmpty || request.isDistinct || RowAggregates(fetch.layout, fetch.model).takesRows(request)
        var text = SQLText(raw: "SELECT \(request.isDistinct ? "DISTINCT " : "")") + terms.joined(", ")
        // An index on the grouped columns would read the table in index order, five times slower than a scan.
        text += source(notIndexed: !groups.isEmpty && conditions.isEmpty)
        if !groups.isEmpty { text += SQLText(raw: " GROUP BY ") + groups.joined(", ") }
        if request.having != nil, groups.isEmpty { text += SQLText(raw: schema.dialect.groupOfAll) }
        if request.isDistinct, !schema.dialect.sortsDistinctFreely, let order, !order.isEmpty {
            let isShown = order.allSatisfy { term in terms.contains { term.text.hasPrefix($0.text) } }
            guard isShown else { throw NotTranslatable(reason: "distinct rows in an order that they do not show") }
        }
        if let groupWindow = request.window, !groups.isEmpty, let part = groupWindowText(groupWindow, request, builder)
        {
            return (text + having + part, columns)
        }
        return (text + having + ordering(tieBreak: !isGrouped) + window, columns)
    }

    /// The order and the limit of groups; nil if the database does not sort them as memory does.
    private func groupWindowText(
        _ groups: GroupWindow, _ request: DictionaryRequest, _ builder: DictionaryColumnBuilder
    ) -> SQLText? {
        let orders = try? groups.orders.map { order in
            guard let column = request.columns.first(where: { $0.name == order.column }) else {
                throw NotTranslatable(reason: "the order of '\(order.column)'")
            }
            return try builder.order(column, isAscending: order.isAscending)
        }
        guard let orders, !orders.isEmpty else { return nil }
        let limit = groups.limit.map { $0 == 0 ? "" : schema.dialect.window(limit: $0, offset: 0) } ?? ""
        return SQLText(raw: " ORDER BY ") + orders.joined(", ") + limit
    }
}
