// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes binary property lists, including the references of keyed archives.

import Foundation

/// The reader describes the layout. Equal texts and numbers are written once; dictionaries are sorted by key, so that
/// equal values have equal bytes.
struct BinaryPropertyListWriter {
    private enum Leaf: Hashable {
        case null
        case boolean(Bool)
        case integer(Int64)
        case real(UInt64)
        case string(ExactText)
    }

    /// The objects so far. The references to their parts are resolved at the end.
    private enum Entry {
        case leaf([UInt8])
        case array([Int])
        case dictionary(keys: [Int], values: [Int])
    }

    private var entries: [Entry] = []
    private var known: [Leaf: Int] = [:]

    static func data(of node: PropertyListNode) -> Data {
        var writer = BinaryPropertyListWriter()
        let top = writer.add(node)
        return writer.assemble(top: top)
    }

    private mutating func add(_ node: PropertyListNode) -> Int {
        switch node {
        case .null: return leaf(.null) { [0x00] }
        case .boolean(let flag): return leaf(.boolean(flag)) { [flag ? 0x09 : 0x08] }
        case .integer(let number): return leaf(.integer(number)) { Self.integer(number) }
        case .real(let number):
            return leaf(.real(number.bitPattern)) { Self.bytes(0x23, number.bitPattern, 8) }
        case .string(let text): return leaf(.string(ExactText(text))) { Self.string(text) }
        case .date(let seconds): return append(.leaf(Self.bytes(0x33, seconds.bitPattern, 8)))
        case .data(let data): return append(.leaf(Self.marker(0x4, data.count) + [UInt8](data)))
        case .reference(let index):
            let size = Self.size(of: UInt64(index))
            return append(.leaf(Self.bytes(0x80 | UInt8(size - 1), UInt64(index), size)))
        case .array(let members):
            let position = append(.array([]))
            entries[position] = .array(members.map { add($0) })
            return position
        case .dictionary(let fields):
            let position = append(.array([]))
            let sorted = fields.sorted { $0.key < $1.key }
            let keys = sorted.map { add(.string($0.key)) }
            entries[position] = .dictionary(keys: keys, values: sorted.map { add($0.value) })
            return position
        }
    }

    private mutating func leaf(_ leaf: Leaf, _ encoded: () -> [UInt8]) -> Int {
        if let position = known[leaf] { return position }
        let position = append(.leaf(encoded()))
        known[leaf] = position
        return position
    }

    private mutating func append(_ entry: Entry) -> Int {
        entries.append(entry)
        return entries.count - 1
    }

    private func assemble(top: Int) -> Data {
        let referenceSize = Self.size(of: UInt64(entries.count))
        var output = Array("bplist00".utf8)
        var offsets: [Int] = []
        for entry in entries {
            offsets.append(output.count)
            switch entry {
            case .leaf(let data): output += data
            case .array(let members):
                output += Self.marker(0xA, members.count)
                for member in members { Self.append(UInt64(member), referenceSize, to: &output) }
            case .dictionary(let keys, let values):
                output += Self.marker(0xD, keys.count)
                for member in keys { Self.append(UInt64(member), referenceSize, to: &output) }
                for member in values { Self.append(UInt64(member), referenceSize, to: &output) }
            }
        }
        let table = output.count
        let offsetSize = Self.size(of: UInt64(table))
        for offset in offsets { Self.append(UInt64(offset), offsetSize, to: &output) }
        output += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
        for number in [entries.count, top, table] { Self.append(UInt64(number), 8, to: &output) }
        return Data(output)
    }

    private static func integer(_ number: Int64) -> [UInt8] {
        // Negative numbers always take eight bytes: shorter ones are unsigned.
        let size = number < 0 ? 8 : size(of: UInt64(number))
        return bytes(0x10 | UInt8(size.trailingZeroBitCount), UInt64(bitPattern: number), size)
    }

    private static func string(_ text: String) -> [UInt8] {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return marker(0x5, text.utf8.count) + Array(text.utf8) }
        let units = Array(text.utf16)
        return marker(0x6, units.count) + units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    }

    private static func marker(_ kind: UInt8, _ count: Int) -> [UInt8] {
        count < 15 ? [kind << 4 | UInt8(count)] : [kind << 4 | 0x0F] + integer(Int64(count))
    }

    /// The lowest bytes of a number, big-endian. No temporary collections: a model has a hundred thousand references.
    private static func append(_ number: UInt64, _ size: Int, to bytes: inout [UInt8]) {
        var shift = UInt64(8 * size)
        while shift > 0 {
            shift -= 8
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    private static func bytes(_ marker: UInt8, _ number: UInt64, _ size: Int) -> [UInt8] {
        var bytes = [marker]
        append(number, size, to: &bytes)
        return bytes
    }

    /// 1, 2, 4 or 8 bytes.
    private static func size(of number: UInt64) -> Int {
        number < 1 << 8 ? 1 : number < 1 << 16 ? 2 : number < 1 << 32 ? 4 : 8
    }
}
