// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One value of a row, before its conversion to a type.

public import Foundation

/// A value in a row of a result. `SQLConvertible` types read it.
public struct SQLCell {
    enum Content {
        case null
        case integer(Int64)
        case real(Double)
        case text(String)
        case bytes(Data)
        case object(NSManagedObjectID)
    }

    let content: Content
    /// Makes the object of an id in the context of the query.
    private let object: (NSManagedObjectID) -> NSManagedObject

    init(_ content: Content, object: @escaping (NSManagedObjectID) -> NSManagedObject) {
        self.content = content
        self.object = object
    }

    /// Whether the value is NULL.
    public var isNull: Bool { if case .null = content { true } else { false } }

    /// A whole number, also one that SQLite computed as a real number; nil for other values.
    public var integer: Int64? {
        switch content {
        case .integer(let value): value
        case .real(let value): Int64(exactly: value)
        default: nil
        }
    }

    /// A number, if a `Double` holds it exactly; nil for other values.
    public var real: Double? {
        switch content {
        case .integer(let value): Double(exactly: value)
        case .real(let value): value
        default: nil
        }
    }

    /// A text; nil for other values.
    public var text: String? { if case .text(let value) = content { value } else { nil } }

    /// Bytes; nil for other values.
    public var bytes: Data? { if case .bytes(let value) = content { value } else { nil } }

    /// The id of an object; nil for other values.
    public var objectID: NSManagedObjectID? { if case .object(let id) = content { id } else { nil } }

    /// The object, as a fault in the context of the query; nil for other values.
    var managedObject: NSManagedObject? { objectID.map(object) }
}
