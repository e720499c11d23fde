// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Executes a fetch: by one statement if SQL can express all of it, otherwise by filtering candidates in memory.

/// One fetch on one connection.
package protocol StatementFetch {
    associatedtype Reader: ConnectionReader

    var reader: Reader { get }
    var fetch: BoundFetch { get }
    /// Whether statements leave out rows of the table that belong to none of its entities.
    var excludesForeignRows: Bool { get }
    /// nil for a database without full-text indexes.
    var searches: (any SearchConditions)? { get }
    /// nil for a database without spatial indexes.
    var spaces: (any SpatialConditions)? { get }
    /// nil for a database without indexes of values inside of values.
    var values: (any ValueConditions)? { get }

    /// Runs a statement that gives the result: rows, keys or a number.
    func whole(_ sql: SQLText) throws -> FetchOutcome
    func dictionaries(_ sql: SQLText, _ columns: [DictionaryColumn]) throws -> [[String: Any]]
    /// Any number of rows, put into the row cache.
    ///
    /// - Parameter parts: the rest of the request, for a log.
    func candidates(_ sql: SQLText, _ parts: [FetchExplanation.InMemoryPart]) throws -> [FetchedRow]
}

extension StatementFetch {
    package var spaces: (any SpatialConditions)? { nil }
    package var values: (any ValueConditions)? { nil }

    package var plan: RowPlan { reader.plans.rows(fetch.layout, includesSubentities: fetch.includesSubentities) }

    package func strategy() throws -> FetchStrategy { try FetchStrategy(builder(fetch), plan) }

    /// Reads all rows of the entity, and does everything else in memory.
    package func strategy(refused reason: String) throws -> FetchStrategy {
        try FetchStrategy(refused: fetch, reason: reason) { try builder($0).rows(plan) }
    }

    private func builder(_ fetch: BoundFetch) throws -> SelectBuilder {
        try SelectBuilder(
            schema: reader.schema, fetch: fetch, excludesForeignRows: excludesForeignRows, searches: searches,
            spaces: spaces, values: values)
    }

    package func run(_ strategy: FetchStrategy) throws -> FetchOutcome {
        switch strategy {
        case .whole(let sql): return try whole(sql)
        case .dictionaries(let sql, let columns): return .dictionaries(try dictionaries(sql, columns))
        case .candidates(let sql, let rest, let parts):
            var candidates = try candidates(sql, parts)
            if rest.isOrdered { candidates.sort { $0.key < $1.key } }
            let source = reader.relatedRows()
            return try withExtendedLifetime(source) { try RowFetch(rest, source).run(over: candidates) }
        }
    }
}
