// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The values of rows on their way into a database, one call for each column (StoreInterface-V3).

import Foundation

/// SQLite binds the values to a statement, PostgreSQL appends them to the arrays of its columns.
///
/// Code that is generic over sinks is specialised for SQLite's in this module (StoreInterface-1).
package protocol ColumnSink {
    func bindNull(at index: Int) throws
    func bind(_ value: Int64, at index: Int) throws
    func bind(_ value: Bool, at index: Int) throws
    func bind(_ value: Double, at index: Int) throws
    func bind(_ value: String, at index: Int) throws
    func bind(_ value: ColumnValue, at index: Int) throws
    /// - Parameter date: in seconds since the reference date.
    func bind(date: Double, at index: Int) throws
    /// - Parameter largeData: the data of an attribute that allows external storage.
    func bind(largeData: Data, at index: Int) throws
    func bind(entity: EntityMapping, at index: Int) throws
}

/// The files of large data that one save writes.
protocol LargeDataFiles: AnyObject {
    /// The column value: the data itself, or the name of a new file that contains it.
    ///
    /// - Parameter attribute: the name for error messages.
    func column(_ box: ValueBox, of attribute: @autoclosure () -> String) throws -> Data?
}
