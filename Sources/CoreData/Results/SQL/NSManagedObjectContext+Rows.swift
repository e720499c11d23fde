// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// SQL queries with the names of the model, and results with types.

import Foundation

extension NSManagedObjectContext {
    /// Returns the rows of a SELECT statement that uses the names of entities and attributes.
    ///
    /// ```swift
    /// let folders = try context.rows(
    ///     "SELECT folder.name, count(*) FROM Memo WHERE title >= \(title) GROUP BY 1 ORDER BY 2 DESC",
    ///     as: (String?, Int).self)
    /// for (name, count) in folders { print(name ?? "no folder", count) }
    /// ```
    ///
    /// Each entity is a table with the columns `objectID`, its attributes and its to-one relationships, and with
    /// `entity` if it has subentities. It includes objects of subentities. `folder.name` follows a to-one relationship.
    /// `Book_tags` is the table of the many-to-many relationship `tags` of `Book`, with the columns `Book` and `tags`;
    /// for other to-many relationships join the destination. Common table expressions, window functions and all other
    /// parts of SELECT are SQLite's.
    ///
    /// Interpolations are values and never SQL; an array is a list for `IN`. Values of columns are those of the file: a
    /// date is its seconds since the start of 2001, and a UUID 16 bytes. `Date` and `UUID` convert them, as values and
    /// as results. Comparisons of texts are SQLite's: by bytes. Sums of decimals are real numbers there; `aggregate`
    /// adds them exactly. Attributes with external storage have no column, nor have names that differ in case only.
    ///
    /// - Parameters:
    ///   - query: one SELECT statement.
    ///   - types: the types of the columns, optional where a value may be NULL. An `NSManagedObjectID`, or a class of
    ///     managed objects, needs a column that is `objectID` or a to-one relationship.
    ///   - store: nil if the entities of the statement are in one store.
    /// - Returns: the rows in the order of the statement, as the store has them at the moment of the context's query
    ///   generation.
    /// - Throws: a `SQLQueryError`: `unknownName` with the nearest name, `refused` for anything but reading,
    ///   `wrongColumns` and `unfitValue` for results that do not fit the types, `unsavedChanges` if this context or a
    ///   parent has unsaved changes of an entity that the statement reads, `unsupportedStore` for stores other than
    ///   SQLite, `ambiguousStore`. `CancellationError` if the task that calls the method is cancelled; a block of
    ///   `perform` runs outside of the task that waits for it. The error of a store that cannot be read.
    /// - Important: call on the context's queue.
    /// - Complexity: one statement. Objects are faults; no others are made.
    /// - SeeAlso: `explain(_:in:)`; `aggregate(_:where:by:having:sort:limit:_:)`, for all kinds of stores.
    public func rows<each Column: SQLConvertible>(
        _ query: SQLQuery, as types: (repeat each Column).Type, in store: NSPersistentStore? = nil
    ) throws -> [(repeat each Column)] {
        var kinds: [SQLColumnKind] = []
        repeat kinds.append((each Column).sqlColumnKind)
        let reading = SQLRowReading(self, try SQLQueryExecution(self, query, store).rows(kinds))
        var result: [(repeat each Column)] = []
        result.reserveCapacity(reading.count)
        while reading.nextRow() { result.append((repeat try reading.next((each Column).self))) }
        return result
    }

    /// Returns the values of a SELECT statement with one column.
    ///
    /// ```swift
    /// let notes = try context.rows("SELECT objectID FROM Memo WHERE folder IS NULL", as: Memo.self)
    /// ```
    ///
    /// - SeeAlso: the method with several columns, which describes names, values and errors.
    public func rows<Value: SQLConvertible>(
        _ query: SQLQuery, as type: Value.Type, in store: NSPersistentStore? = nil
    ) throws -> [Value] {
        let result = try SQLQueryExecution(self, query, store).rows([Value.sqlColumnKind])
        let reading = SQLRowReading(self, result)
        var values: [Value] = []
        values.reserveCapacity(reading.count)
        while reading.nextRow() { values.append(try reading.next(Value.self)) }
        return values
    }

    /// Describes how SQLite would carry out a query, without executing it.
    ///
    /// ```swift
    /// print(try context.explain("SELECT count(*) FROM Memo WHERE title = \(title)"))
    /// ```
    ///
    /// - Throws: as `rows(_:as:in:)`, but not for unsaved changes.
    /// - Important: call on the context's queue.
    public func explain(_ query: SQLQuery, in store: NSPersistentStore? = nil) throws -> SQLQueryPlan {
        try SQLQueryExecution(self, query, store).plan()
    }
}
