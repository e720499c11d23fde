// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Decodes one page of a table's tree, and the records in its cells.

import Foundation
import SQLiteDriver

/// A page of a table's tree: rows, or the numbers of pages below it.
enum TablePage {
    struct Row {
        let key: Int64
        /// nil for a value with unreadable bytes.
        let values: [SQLiteValue?]
    }

    case rows([Row], damaged: Int)
    case children([Int])

    /// nil for a page of another kind, and for a malformed one.
    init?(_ number: Int, in pages: DatabasePages) {
        guard let bytes = pages.page(number) else { return nil }
        let start = number == 1 ? 100 : 0
        let kind = bytes[start]
        let cells = Int(bytes[start + 3]) << 8 | Int(bytes[start + 4])
        let head = kind == 5 ? 12 : 8
        // Each cell takes at least six bytes with its pointer.
        guard kind == 5 || kind == 13, cells <= pages.pageSize / 4, start + head + 2 * cells <= bytes.count else {
            return nil
        }
        let places = (0..<cells).map { cell in
            let at = start + head + 2 * cell
            return Int(bytes[at]) << 8 | Int(bytes[at + 1])
        }
        if kind == 5 {
            let last = Int(DatabasePages.big(bytes, start + 8))
            let below =
                places.filter { $0 >= start + head && $0 + 4 <= bytes.count }
                .map { Int(DatabasePages.big(bytes, $0)) } + [last]
            self = .children(below.filter { $0 > 0 && $0 != number })
            return
        }
        var (rows, damaged): ([Row], Int) = ([], 0)
        for place in places {
            if place >= start + head + 2 * cells, let row = Self.row(bytes, place, pages) {
                rows.append(row)
            } else {
                damaged += 1
            }
        }
        self = .rows(rows, damaged: damaged)
    }

    // MARK: Records

    private static func row(_ bytes: [UInt8], _ place: Int, _ pages: DatabasePages) -> Row? {
        var at = place
        guard let size = varint(bytes, &at), let key = varint(bytes, &at), size >= 1, size < 1 << 31 else { return nil }
        let length = Int(size)
        let greatest = pages.usableSize - 35
        var local = length
        if length > greatest {
            let least = (pages.usableSize - 12) * 32 / 255 - 23
            let some = least + (length - least) % (pages.usableSize - 4)
            local = some <= greatest ? some : least
        }
        guard at + local <= bytes.count else { return nil }
        var payload = Array(bytes[at..<at + local])
        if local < length {
            guard at + local + 4 <= bytes.count else { return nil }
            var next = Int(DatabasePages.big(bytes, at + local))
            var seen: Set<Int> = []
            while payload.count < length, next > 0, seen.insert(next).inserted, let page = pages.page(next) {
                payload += page[4..<min(4 + length - payload.count, pages.usableSize)]
                next = Int(DatabasePages.big(page, 0))
            }
        }
        return record(payload, length).map { Row(key: Int64(bitPattern: key), values: $0) }
    }

    /// nil for a malformed header: its types must add up to the length of the record.
    private static func record(_ payload: [UInt8], _ length: Int) -> [SQLiteValue?]? {
        var at = 0
        guard let head = varint(payload, &at), head >= 1, head <= payload.count, head <= length else { return nil }
        var types: [UInt64] = []
        while at < Int(head) {
            guard let type = varint(payload, &at), type != 10, type != 11, types.count < 2000 else { return nil }
            types.append(type)
        }
        guard at == Int(head) else { return nil }
        var total = Int(head)
        for type in types {
            let size = size(of: type)
            guard size <= length - total else { return nil }
            total += size
        }
        guard total == length else { return nil }
        return types.map { type in
            let size = size(of: type)
            defer { at += size }
            return at + size <= payload.count ? value(type, payload[at..<at + size]) : nil
        }
    }

    private static func size(of type: UInt64) -> Int {
        switch type {
        case 0, 8, 9: 0
        case 1...4: Int(type)
        case 5: 6
        case 6, 7: 8
        default: Int(clamping: (type - 12) / 2)
        }
    }

    private static func value(_ type: UInt64, _ bytes: ArraySlice<UInt8>) -> SQLiteValue {
        switch type {
        case 0: return .null
        case 8: return .integer(0)
        case 9: return .integer(1)
        case 1...7:
            var number: UInt64 = bytes.first.map { $0 > 127 && type != 7 } == true ? .max : 0
            for byte in bytes { number = number << 8 | UInt64(byte) }
            return type == 7 ? .real(Double(bitPattern: number)) : .integer(Int64(bitPattern: number))
        default:
            return type.isMultiple(of: 2) ? .blob(Data(bytes)) : .text(String(decoding: bytes, as: UTF8.self))
        }
    }

    private static func varint(_ bytes: [UInt8], _ at: inout Int) -> UInt64? {
        var number: UInt64 = 0
        for position in 0..<9 {
            guard at < bytes.count else { return nil }
            let byte = bytes[at]
            at += 1
            if position == 8 { return number << 8 | UInt64(byte) }
            number = number << 7 | UInt64(byte & 0x7F)
            if byte < 0x80 { return number }
        }
        return nil
    }
}
