// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The types that statements receive as values, and that results have.

import Foundation

/// A type of values and results of SQL queries.
///
/// Whole and real numbers, `String`, `Bool`, `Date`, `UUID`, `URL`, `Data`, `Decimal`, optionals of them,
/// `NSManagedObjectID` and classes of managed objects are such types. An enumeration with a raw value becomes one with
/// an empty extension:
///
/// ```swift
/// enum Ink: Int, SQLConvertible { case red, green, blue }
/// ```
public protocol SQLConvertible {
    /// The value for a statement.
    var sqlArgument: SQLArgument { get }

    /// The value of a cell; nil if the cell holds something that this type cannot represent exactly.
    static func fromSQL(_ cell: SQLCell) -> Self?

    /// The kind of column that the type is read from. The default is `.value`.
    static var sqlColumnKind: SQLColumnKind { get }
}

/// The kind of a result's column.
public struct SQLColumnKind: Sendable, Hashable {
    let isObject: Bool

    /// Any value.
    public static let value = SQLColumnKind(isObject: false)
    /// An object: the column is `objectID` or a to-one relationship.
    public static let object = SQLColumnKind(isObject: true)
}

extension SQLConvertible {
    /// `.value`.
    public static var sqlColumnKind: SQLColumnKind { .value }
}

extension SQLConvertible where Self: RawRepresentable, RawValue: SQLConvertible {
    /// The raw value.
    public var sqlArgument: SQLArgument { rawValue.sqlArgument }
    /// nil for a raw value without a case.
    public static func fromSQL(_ cell: SQLCell) -> Self? { RawValue.fromSQL(cell).flatMap { Self(rawValue: $0) } }
}

extension Optional: SQLConvertible where Wrapped: SQLConvertible {
    /// NULL for nil.
    public var sqlArgument: SQLArgument { self?.sqlArgument ?? .null }

    /// NULL is nil.
    public static func fromSQL(_ cell: SQLCell) -> Wrapped?? {
        if cell.isNull { return .some(nil) }
        return Wrapped.fromSQL(cell).map { .some($0) }
    }

    /// The kind of the wrapped type.
    public static var sqlColumnKind: SQLColumnKind { Wrapped.sqlColumnKind }
}

extension NSManagedObjectID: SQLConvertible {
    /// The key of the object, which is compared with `objectID` or a to-one relationship.
    public var sqlArgument: SQLArgument { .object(self) }
    /// The id of an object.
    public static func fromSQL(_ cell: SQLCell) -> Self? { cell.objectID as? Self }
    /// `.object`.
    public static var sqlColumnKind: SQLColumnKind { .object }
}

extension NSManagedObject: SQLConvertible {
    /// The key of the object, which is compared with `objectID` or a to-one relationship.
    public var sqlArgument: SQLArgument { .object(objectID) }
    /// The object, if it is of this class. It is a fault, unless it was registered before.
    public static func fromSQL(_ cell: SQLCell) -> Self? { cell.managedObject as? Self }
    /// `.object`.
    public static var sqlColumnKind: SQLColumnKind { .object }
}
