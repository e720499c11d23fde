// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The values in a cursor, and their coding. Cursors-7.

import CoreDataFoundation
import Foundation

/// The content of a cursor as property-list-like JSON.
struct CursorContent: Codable {
    var version = 1
    let entity: String
    /// Digests of the entity's version and of the request.
    let model: String
    let request: String
    let values: [Value]
    let id: ID

    enum ID: Codable, Equatable {
        /// The URI of a permanent id.
        case saved(String)
        /// A temporary key, and the context that knows it.
        case unsaved(key: Int64, context: UUID)
    }

    /// Real numbers by their bits: decimal text could change them.
    enum Value: Codable, Equatable {
        case null
        case integer(Int64)
        case unsigned(UInt64)
        case real(UInt64)
        case decimal(String)
        case text(String)
        case date(UInt64)
        case uuid(UUID)
        case url(String)
        case data(Data)
    }

    func encoded() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try encoder.encode(self)
    }
}

extension CursorContent.Value {
    /// nil for a value without an order that every store has.
    init?(_ value: ComparableValue) {
        switch value {
        case .null: self = .null
        case .integer(let number): self = .integer(number)
        case .unsigned(let number): self = .unsigned(number)
        // A database stores null instead of NaN.
        case .double(let number): self = number.isNaN ? .null : .real(number.bitPattern)
        case .decimal(let number): self = number.isNaN ? .null : .decimal(NSDecimalNumber(decimal: number).stringValue)
        case .string(let text): self = .text(text)
        case .date(let date):
            let interval = date.timeIntervalSinceReferenceDate
            self = interval.isNaN ? .null : .date(interval.bitPattern)
        case .uuid(let uuid): self = .uuid(uuid)
        case .url(let url): self = .url(url.absoluteString)
        case .data(let data): self = .data(data)
        case .object, .other: return nil
        }
    }

    /// nil for a decimal or an address that cannot be read.
    var comparable: ComparableValue? {
        switch self {
        case .null: .null
        case .integer(let number): .integer(number)
        case .unsigned(let number): .unsigned(number)
        case .real(let bits): .double(Double(bitPattern: bits))
        case .decimal(let text): Decimal(string: text).map { .decimal($0) }
        case .text(let text): .string(text)
        case .date(let bits): .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: bits)))
        case .uuid(let uuid): .uuid(uuid)
        case .url(let text): URL(string: text).map { .url($0) }
        case .data(let data): .data(data)
        }
    }
}
