// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// SQL queries with the names of models, and results with types.

public import CoreData
import Foundation

extension ModelContext {
    /// Returns the rows of a SELECT statement that uses the names of models and their properties.
    ///
    /// ```swift
    /// let albums = try context.rows(
    ///     "SELECT album.name, count(*) FROM Page WHERE number > \(number) GROUP BY 1", as: (String?, Int).self)
    /// for (name, count) in albums { print(name ?? "no album", count) }
    /// ```
    ///
    /// - Parameters:
    ///   - query: one SELECT statement. Interpolations are values and never SQL.
    ///   - types: the types of the columns, optional where a value may be NULL. A `PersistentIdentifier` needs a column
    ///     that is `objectID` or a to-one relationship.
    /// - Returns: the rows in the order of the statement, as the store has them.
    /// - Throws: a `SQLQueryError`, also if the context has unsaved changes of a model that the statement reads.
    /// - Important: call on the context's actor.
    /// - Complexity: one statement; no models are made.
    /// - SeeAlso: `NSManagedObjectContext.rows(_:as:in:)`, which describes names, values and errors.
    public func rows<each Column: SQLConvertible>(
        _ query: SQLQuery, as types: (repeat each Column).Type
    ) throws -> [(repeat each Column)] {
        synchronize()
        return try below.rows(query, as: types)
    }

    /// Returns the values of a SELECT statement with one column.
    ///
    /// ```swift
    /// let ids = try context.rows("SELECT objectID FROM Page WHERE album IS NULL", as: PersistentIdentifier.self)
    /// ```
    ///
    /// - SeeAlso: the method with several columns.
    public func rows<Value: SQLConvertible>(_ query: SQLQuery, as type: Value.Type) throws -> [Value] {
        synchronize()
        return try below.rows(query, as: type)
    }

    /// Describes how SQLite would carry out a query, without executing it.
    public func explain(_ query: SQLQuery) throws -> SQLQueryPlan { try below.explain(query) }
}

extension PersistentIdentifier: SQLConvertible {
    /// The key of the model, which is compared with `objectID` or a to-one relationship.
    public var sqlArgument: SQLArgument {
        managedObjectID.map { .object($0) }
            ?? .unsupported("The identifier was decoded, and names no model of this process.")
    }
    /// The identifier of a model.
    public static func fromSQL(_ cell: SQLCell) -> PersistentIdentifier? { cell.objectID.map { Self($0) } }
    /// `.object`.
    public static var sqlColumnKind: SQLColumnKind { .object }
}
