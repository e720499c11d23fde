// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A value as a statement receives it.

public import Foundation

/// A value for a statement. `SQLConvertible` types make it.
public struct SQLArgument: Sendable {
    enum Content: Sendable {
        case null
        case integer(Int64)
        case real(Double)
        case text(String)
        case bytes(Data)
        case object(NSManagedObjectID)
        /// A value that no column can hold, with the reason.
        case unsupported(String)
    }

    let content: Content

    init(_ content: Content) { self.content = content }

    /// NULL.
    public static let null = SQLArgument(.null)
    /// A whole number.
    public static func integer(_ value: Int64) -> SQLArgument { SQLArgument(.integer(value)) }
    /// A text.
    public static func text(_ value: String) -> SQLArgument { SQLArgument(.text(value)) }
    /// Bytes.
    public static func bytes(_ value: Data) -> SQLArgument { SQLArgument(.bytes(value)) }
    /// A real number. SQLite has no value for NaN, so a query with it throws.
    public static func real(_ value: Double) -> SQLArgument {
        SQLArgument(value.isNaN ? .unsupported("SQLite has no value for NaN.") : .real(value))
    }
    /// A value that no column can hold. A query with it throws, with the reason.
    package static func unsupported(_ reason: String) -> SQLArgument { SQLArgument(.unsupported(reason)) }
    /// An object. A query with an unsaved one throws.
    public static func object(_ id: NSManagedObjectID) -> SQLArgument { SQLArgument(.object(id)) }
}
