// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The border to the indexes of values inside of values: a condition on a path as a condition on keys.

/// The entries of an index that a condition may match.
package enum WantedEntries {
    case equal([ColumnValue])
    case ranges([IndexedValue.Range])
    /// All: the value is not nil.
    case present
    /// None: the value is nil.
    case absent
}

/// The indexes of values that one fetch may use. StructuredValues-9.
package protocol ValueConditions {
    /// A condition that holds for at least the objects with such a value at the end of a path.
    ///
    /// - Parameters:
    ///   - key: the key of the object's row.
    ///   - layout: the entity of the object, or a superentity.
    /// - Returns: nil without an index of the path.
    /// - Throws: the errors of the database.
    func candidates(_ path: InsidePath, _ wanted: WantedEntries, key: SQLText, of layout: EntityLayout) throws
        -> SQLText?
}
