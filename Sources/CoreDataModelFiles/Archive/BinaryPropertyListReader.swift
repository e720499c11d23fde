// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads binary property lists and checks every offset and count against the size of the data.

import Foundation

/// # Layout
/// (1) `bplist00`, (2) the objects, (3) a table with the offset of each object, (4) a trailer of 32 bytes: the sizes
/// of offsets and references, the number of objects, the index of the root object, and the position of the table.
/// Numbers are big-endian.
///
/// # Limits
/// A file of a few bytes can describe an endless tree, because objects may be referenced repeatedly. The depth is
/// limited, and so is the number of values in the expanded tree, to a multiple of the file's size. A text or data that
/// is referenced repeatedly is made once.
struct BinaryPropertyListReader {
    private static let maximumDepth = 64
    private static let maximumSize = 256 << 20

    let bytes: [UInt8]
    let offsets: [Int]
    private let referenceSize: Int
    private var strings: [Int: String] = [:]
    private var blobs: [Int: Data] = [:]
    private var remaining: Int

    static func isBinary(_ data: Data) -> Bool { data.starts(with: Data("bplist".utf8)) }

    /// - Throws: `malformedPropertyList`, or `unsupportedForm` for files above 256 MB.
    static func read(_ data: Data) throws -> PropertyListNode {
        guard data.count <= maximumSize else {
            throw ModelFileError(.unsupportedForm, "The property list has \(data.count) bytes, more than are read.")
        }
        var (reader, top) = try open(data)
        return try reader.node(top, depth: 0)
    }

    static func open(_ data: Data) throws -> (BinaryPropertyListReader, Int) {
        let bytes = [UInt8](data)
        guard bytes.count >= 40, bytes.starts(with: Array("bplist0".utf8)) else {
            throw damaged("it does not begin as one, or is cut off")
        }
        let trailer = bytes.count - 32
        func long(_ position: Int) -> UInt64 {
            bytes[position..<position + 8].reduce(0) { $0 << 8 | UInt64($1) }
        }
        let (offsetSize, referenceSize) = (Int(bytes[trailer + 6]), Int(bytes[trailer + 7]))
        guard [1, 2, 3, 4, 8].contains(offsetSize), [1, 2, 3, 4, 8].contains(referenceSize),
            let count = Int(exactly: long(trailer + 8)), let top = Int(exactly: long(trailer + 16)),
            let table = Int(exactly: long(trailer + 24)),
            count > 0, count <= trailer, top < count, table >= 8, table <= trailer,
            count * offsetSize <= trailer - table
        else { throw damaged("its trailer contradicts its size") }
        let offsets = try (0..<count).map { index -> Int in
            let start = table + index * offsetSize
            let value = bytes[start..<start + offsetSize].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            guard value >= 8, value < UInt64(table) else { throw damaged("object \(index) lies outside of it") }
            return Int(value)
        }
        // Each value takes some fifty bytes, and an honest list has at most one for each of its bytes.
        let limit = 10_000 + 2 * bytes.count
        return (
            BinaryPropertyListReader(bytes: bytes, offsets: offsets, referenceSize: referenceSize, limit: limit), top
        )
    }

    private init(bytes: [UInt8], offsets: [Int], referenceSize: Int, limit: Int) {
        self.bytes = bytes
        self.offsets = offsets
        self.referenceSize = referenceSize
        remaining = limit
    }

    private static func damaged(_ reason: String) -> ModelFileError {
        ModelFileError(.malformedPropertyList, "The binary property list is damaged: \(reason).")
    }

    private mutating func node(_ index: Int, depth: Int) throws -> PropertyListNode {
        remaining -= 1
        guard remaining >= 0, depth < Self.maximumDepth else {
            throw Self.damaged("its values are nested without end")
        }
        let offset = offsets[index]
        let marker = bytes[offset]
        let low = Int(marker & 0x0F)
        switch marker >> 4 {
        case 0x0:
            switch low {
            case 0x0: return .null
            case 0x8: return .boolean(false)
            case 0x9: return .boolean(true)
            default: throw Self.damaged("object \(index) has the unknown marker \(marker)")
            }
        case 0x1: return .integer(try integer(at: offset + 1, size: 1 << low))
        case 0x2: return .real(try real(at: offset + 1, size: 1 << low))
        case 0x3:
            guard low == 3 else { throw Self.damaged("object \(index) is a date of unknown size") }
            return .date(try real(at: offset + 1, size: 8))
        case 0x4:
            if let known = blobs[index] { return .data(known) }
            let (count, start) = try length(low, at: offset)
            let data = Data(try slice(start, count))
            blobs[index] = data
            return .data(data)
        case 0x5, 0x6: return .string(try string(index))
        case 0x8:
            let value = try slice(offset + 1, low + 1).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            guard low < 8, let reference = Int(exactly: value) else { throw Self.damaged("a reference is too long") }
            return .reference(reference)
        case 0xA, 0xC: return .array(try references(low, at: offset, perItem: 1).map { try node($0, depth: depth + 1) })
        case 0xD: return .dictionary(try dictionary(low, at: offset, depth: depth))
        default: throw Self.damaged("object \(index) has the unknown marker \(marker)")
        }
    }

    private mutating func dictionary(_ low: Int, at offset: Int, depth: Int) throws -> [String: PropertyListNode] {
        let all = try references(low, at: offset, perItem: 2)
        let count = all.count / 2
        var result: [String: PropertyListNode] = [:]
        result.reserveCapacity(count)
        for position in 0..<count {
            let key = try string(all[position])
            result[key] = try node(all[count + position], depth: depth + 1)
        }
        return result
    }

    func references(_ low: Int, at offset: Int, perItem: Int) throws -> [Int] {
        let (count, start) = try length(low, at: offset)
        guard count <= bytes.count else { throw Self.damaged("a collection is longer than the file") }
        let body = try slice(start, count * perItem * referenceSize)
        return try (0..<count * perItem).map { position in
            let first = body.startIndex + position * referenceSize
            let value = body[first..<first + referenceSize].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            guard value < UInt64(offsets.count) else { throw Self.damaged("it refers to object \(value)") }
            return Int(value)
        }
    }

    private mutating func string(_ index: Int) throws -> String {
        if let known = strings[index] { return known }
        let offset = offsets[index]
        let (count, start) = try length(Int(bytes[offset] & 0x0F), at: offset)
        let text: String?
        switch bytes[offset] >> 4 {
        case 0x5: text = String(validating: try slice(start, count), as: UTF8.self)
        case 0x6:
            guard count <= bytes.count else { throw Self.damaged("a string is longer than the file") }
            let body = try slice(start, count * 2)
            let units = stride(from: body.startIndex, to: body.endIndex, by: 2).map {
                UInt16(body[$0]) << 8 | UInt16(body[$0 + 1])
            }
            text = String(validating: units, as: UTF16.self)
        default: throw Self.damaged("object \(index) is no string, but used as one")
        }
        guard let text else { throw Self.damaged("object \(index) is no valid text") }
        strings[index] = text
        return text
    }

    /// The length of a text, data or a collection; nil for a damaged one.
    func length(of index: Int) -> Int? {
        try? length(Int(bytes[offsets[index]] & 0x0F), at: offsets[index]).count
    }

    /// The length from a marker, or from the integer after it, and the start of the content.
    private func length(_ low: Int, at offset: Int) throws -> (count: Int, start: Int) {
        guard low == 0x0F else { return (low, offset + 1) }
        let marker = try slice(offset + 1, 1)[offset + 1]
        guard marker >> 4 == 1, marker & 0x0F <= 3 else { throw Self.damaged("a length is no number") }
        let size = 1 << Int(marker & 0x0F)
        let count = try integer(at: offset + 2, size: size)
        guard count >= 0, count <= Int64(bytes.count) else { throw Self.damaged("a length is beyond its end") }
        return (Int(count), offset + 2 + size)
    }

    private func integer(at start: Int, size: Int) throws -> Int64 {
        guard size <= 16 else { throw Self.damaged("a number is too long") }
        let body = try slice(start, size)
        // Sixteen bytes hold numbers that exceed a signed 64-bit integer, which have no meaning in a model.
        let value = body.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int64(bitPattern: value)
    }

    private func real(at start: Int, size: Int) throws -> Double {
        let bits = try slice(start, size).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        switch size {
        case 4: return Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
        case 8: return Double(bitPattern: bits)
        default: throw Self.damaged("a number has \(size) bytes")
        }
    }

    private func slice(_ start: Int, _ count: Int) throws -> ArraySlice<UInt8> {
        guard count >= 0, start <= bytes.count, count <= bytes.count - start else {
            throw Self.damaged("a value reaches beyond its end")
        }
        return bytes[start..<start + count]
    }
}
