// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads and writes numbers, texts and data of a binary store, with bounds checks before each read and allocation.

import Foundation

struct ByteReader {
    private let bytes: ArraySlice<UInt8>
    private(set) var position: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    var remaining: Int { bytes.endIndex - position }

    static let cut = AtomicDamage(reason: "The file ends within a value.")

    mutating func byte() throws -> UInt8 {
        guard remaining > 0 else { throw Self.cut }
        position += 1
        return bytes[position - 1]
    }

    /// Eight bytes, little-endian.
    mutating func word() throws -> UInt64 {
        guard remaining >= 8 else { throw Self.cut }
        var result: UInt64 = 0
        for index in (0..<8).reversed() { result = result << 8 | UInt64(bytes[position + index]) }
        position += 8
        return result
    }

    /// A variable-length number: seven bits a byte, lowest first; the highest bit marks continuation.
    mutating func number() throws -> UInt64 {
        var result: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            let byte = try byte()
            guard shift < 63 || byte <= 1 else { break }
            result |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return result }
        }
        throw AtomicDamage(reason: "A number has more than 64 bits.")
    }

    /// Zigzag coding: 0, -1, 1, -2 are stored as 0, 1, 2, 3.
    mutating func signed() throws -> Int64 {
        let number = try number()
        return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
    }

    /// A count of items that take at least `size` bytes each, checked against the remaining bytes.
    mutating func count(ofSize size: Int = 1) throws -> Int {
        let number = try number()
        guard number <= UInt64(remaining / max(size, 1)) else {
            throw AtomicDamage(reason: "A count of \(number) is more than the rest of the file can hold.")
        }
        return Int(number)
    }

    mutating func slice() throws -> ArraySlice<UInt8> {
        let count = try count()
        position += count
        return bytes[position - count..<position]
    }

    /// All remaining bytes.
    mutating func rest() -> ArraySlice<UInt8> {
        defer { position = bytes.endIndex }
        return bytes[position...]
    }

    mutating func data() throws -> Data { Data(try slice()) }

    mutating func string() throws -> String {
        guard let text = String(validating: try slice(), as: UTF8.self) else {
            throw AtomicDamage(reason: "A text is not in UTF-8.")
        }
        return text
    }

    mutating func uuid() throws -> uuid_t {
        guard remaining >= 16 else { throw Self.cut }
        var result = UUID().uuid
        withUnsafeMutableBytes(of: &result) { target in
            for index in 0..<16 { target[index] = bytes[position + index] }
        }
        position += 16
        return result
    }
}

struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    mutating func add(byte: UInt8) { bytes.append(byte) }

    mutating func add(word: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: word >> shift)) }
    }

    mutating func add(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func add(signed number: Int64) { add(UInt64(bitPattern: number << 1 ^ number >> 63)) }

    mutating func add(count: Int) { add(UInt64(count)) }

    mutating func add(_ data: Data) {
        add(count: data.count)
        bytes.append(contentsOf: data)
    }

    mutating func add(_ text: String) {
        add(count: text.utf8.count)
        bytes.append(contentsOf: text.utf8)
    }

    mutating func add(_ uuid: UUID) { withUnsafeBytes(of: uuid.uuid) { bytes.append(contentsOf: $0) } }
}
