// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Texts, dates, UUIDs, URLs and data as values and results of SQL queries, in the form of the file.

public import Foundation

extension String: SQLConvertible {
    /// A text.
    public var sqlArgument: SQLArgument { .text(self) }
    /// nil for anything but a text.
    public static func fromSQL(_ cell: SQLCell) -> String? { cell.text }
}

extension URL: SQLConvertible {
    /// Its text.
    public var sqlArgument: SQLArgument { .text(absoluteString) }
    /// nil for anything but the text of a URL.
    public static func fromSQL(_ cell: SQLCell) -> URL? { cell.text.flatMap { URL(string: $0) } }
}

extension Date: SQLConvertible {
    /// The seconds since the start of 2001.
    public var sqlArgument: SQLArgument { .real(timeIntervalSinceReferenceDate) }
    /// nil for anything but a number.
    public static func fromSQL(_ cell: SQLCell) -> Date? {
        cell.real.map { Date(timeIntervalSinceReferenceDate: $0) }
    }
}

extension UUID: SQLConvertible {
    /// 16 bytes.
    public var sqlArgument: SQLArgument { .bytes(withUnsafeBytes(of: uuid) { Data($0) }) }
    /// nil for anything but 16 bytes or the text of a UUID.
    public static func fromSQL(_ cell: SQLCell) -> UUID? {
        if let text = cell.text { return UUID(uuidString: text) }
        guard let bytes = cell.bytes, bytes.count == 16 else { return nil }
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}

extension Data: SQLConvertible {
    /// Bytes.
    public var sqlArgument: SQLArgument { .bytes(self) }
    /// nil for anything but bytes.
    public static func fromSQL(_ cell: SQLCell) -> Data? { cell.bytes }
}
