// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The column values of attributes that allow external storage.

import Foundation

/// The column value of an attribute that allows external storage.
enum ExternalColumn {
    /// The size limit for data in the row.
    static let largestInline = 100_000
    private static let inlineMark: UInt8 = 1
    private static let fileMark: UInt8 = 2

    static func box(_ column: Data, folder: URL?) -> ValueBox {
        switch column.first {
        case inlineMark: return ValueBox(Data(column.dropFirst()))
        case fileMark:
            guard let folder, let name = fileName(column) else { return ValueBox(column) }
            return ValueBox(file: ExternalData(name: name, folder: folder))
        default: return ValueBox(column)
        }
    }

    /// The file that a column refers to; nil if the data is in the row.
    static func fileName(_ column: Data) -> String? {
        guard column.first == fileMark else { return nil }
        let name = String(decoding: column.dropFirst().prefix { $0 != 0 }, as: UTF8.self)
        // The database may come from an untrusted source: only a UUID becomes part of a path.
        return UUID(uuidString: name) == nil ? nil : name
    }

    static func inline(_ data: Data) -> Data { Data([inlineMark]) + data }
    static func reference(_ name: String) -> Data { Data([fileMark]) + Data(name.utf8) + Data([0]) }
}
