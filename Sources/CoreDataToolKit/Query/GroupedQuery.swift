// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A query for groups of objects with aggregate values.

import CoreData
import CoreDataFoundation
import Foundation

/// One grouping statement. Without group keys all objects form one group.
struct GroupedQuery {
    private static let functions = ["@sum": "sum:", "@avg": "average:", "@min": "min:", "@max": "max:"]

    let query: Query
    let entity: NSEntityDescription
    private let columns: [String]

    /// Whether a column is "@count", "@sum.price" or similar.
    static func isAggregate(_ path: String) -> Bool {
        path == "@count" || functions.keys.contains { path.hasPrefix($0 + ".") }
    }

    /// - Throws: `ToolError` for a column that is neither a group key nor an aggregate.
    init(_ query: Query, _ entity: NSEntityDescription) throws {
        self.query = query
        self.entity = entity
        columns = query.selection.isEmpty ? query.groupKeys + ["@count"] : query.selection
        for path in query.groupKeys {
            let properties = try KeyCheck.properties(path, of: entity)
            guard !path.contains("@"), !properties.contains(where: Self.isToMany), path != "objectID" else {
                throw ToolError("Objects cannot be grouped by '\(path)': name attributes and to-one relationships.")
            }
        }
        for path in columns where !query.groupKeys.contains(path) {
            guard Self.isAggregate(path) else {
                throw ToolError(
                    "'\(path)' may differ among the objects of a group: add it to --group-by, or select "
                        + "@count, @sum.\(path), @avg.\(path), @min.\(path) or @max.\(path).")
            }
            if path != "@count" { try Self.checkOperand(path, of: entity) }
        }
        for path in query.sortKeys.map({ Query.sort($0).path }) where !columns.contains(path) {
            throw ToolError("Groups are sorted by their columns, which are \(columns.list); '\(path)' is none.")
        }
    }

    private static func isToMany(_ property: NSPropertyDescription) -> Bool {
        (property as? NSRelationshipDescription)?.isToMany == true
    }

    private static func checkOperand(_ path: String, of entity: NSEntityDescription) throws {
        let operand = path.split(separator: ".").dropFirst().joined(separator: ".")
        let properties = try KeyCheck.properties(operand, of: entity)
        guard !operand.contains("@"), properties.last is NSAttributeDescription, !properties.contains(where: isToMany)
        else { throw ToolError("'\(path)' computes over attributes, which '\(operand)' is not.") }
    }

    /// - Throws: as `Query.run(on:)`.
    func run(on store: OpenedStore, into sink: any RowSink) throws {
        let request = NSFetchRequest<NSDictionary>(entityName: entity.name ?? query.entityName)
        request.resultType = .dictionaryResultType
        request.predicate = try query.predicate(entity, store)
        if !query.groupKeys.isEmpty { request.propertiesToGroupBy = query.groupKeys }
        request.propertiesToFetch = try columns.enumerated().map { try property($1, at: $0) }
        try store.ask { context in
            let rows = try sorted(context.fetch(request).map(cells))
            let rest = rows.dropFirst(query.offset)
            let shown = query.limit > 0 ? rest.prefix(query.limit) : rest
            try sink.begin(QueryResult.Header(columns: columns, hasIDs: false, isGrouped: true))
            for cells in shown { try sink.add(QueryResult.Row(id: "", cells: cells)) }
            try sink.end(shown.count)
        }
    }

    private func property(_ path: String, at position: Int) throws -> Any {
        guard Self.isAggregate(path) else { return path }
        let description = NSExpressionDescription()
        description.name = "column\(position)"
        guard path != "@count" else {
            description.expression = NSExpression(
                forFunction: "count:", arguments: [NSExpression.expressionForEvaluatedObject()])
            description.expressionResultType = .integer64AttributeType
            return description
        }
        let steps = path.split(separator: ".", maxSplits: 1).map(String.init)
        description.expression = NSExpression(
            forFunction: Self.functions[steps[0]] ?? "", arguments: [NSExpression(forKeyPath: steps[1])])
        let operand = try KeyCheck.properties(steps[1], of: entity).last as? NSAttributeDescription
        let type = operand?.attributeType ?? .undefinedAttributeType
        // The average of whole numbers is not a whole number.
        let wholeTypes: [NSAttributeType] = [
            .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .booleanAttributeType,
        ]
        description.expressionResultType =
            steps[0] == "@avg" && wholeTypes.contains(type)
            ? .doubleAttributeType : steps[0] == "@sum" && wholeTypes.contains(type) ? .integer64AttributeType : type
        return description
    }

    private func cells(_ row: NSDictionary) throws -> [Cell] {
        try columns.enumerated().map { position, path in
            let isComputed = Self.isAggregate(path)
            let value = row[isComputed ? "column\(position)" : path]
            if let id = value as? NSManagedObjectID { return .object(id.shortText) }
            let plain = isComputed && !["@min", "@max"].contains(String(path.prefix(4)))
            let operand = isComputed ? String(path.split(separator: ".", maxSplits: 1).last ?? "") : path
            let attribute = plain ? nil : try KeyCheck.properties(operand, of: entity).last as? NSAttributeDescription
            return Cell(value, of: attribute)
        }
    }

    private func sorted(_ rows: [[Cell]]) throws -> [[Cell]] {
        let keys = query.sortKeys.map(Query.sort).compactMap { key in
            columns.firstIndex(of: key.path).map { (column: $0, isAscending: key.isAscending) }
        }
        guard !keys.isEmpty else { return rows }
        return rows.sorted { one, other in
            for key in keys {
                let order = one[key.column].order(other[key.column])
                if order != .orderedSame { return (order == .orderedAscending) == key.isAscending }
            }
            return false
        }
    }
}
