// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A compact form of values for the stores of sync, and for bodies where client and server both know it.
package import Foundation

/// A type with a compact form. A store keeps it in one attribute.
package protocol PackedCodable {
    /// - Throws: `PackedError` for bytes that are no such value.
    init(from reader: inout PackedReader) throws
    func write(to writer: inout PackedWriter)
}

extension PackedCodable {
    package init(packed data: Data) throws {
        var reader = try PackedReader(data)
        try self.init(from: &reader)
        guard reader.isAtEnd else { throw PackedError() }
    }

    package var packed: Data {
        var writer = PackedWriter()
        write(to: &writer)
        return writer.data
    }
}

/// Bytes that are not the form of the wanted type.
package struct PackedError: Error {}

/// Appends values. A text or UUID that occurs again is written as the number of its first occurrence.
package struct PackedWriter {
    /// The first byte of all forms; another one is a form that a later version wrote.
    fileprivate static let version: UInt8 = 1
    private var bytes: [UInt8] = [version]
    private var texts: [String: Int] = [:]
    private var ids: [UUID: Int] = [:]
    /// The last repeated id and its number: most stamps of a batch have one replica.
    private var last: (id: UUID, index: Int)?

    package init() {}

    package var data: Data { Data(bytes) }

    package mutating func write(_ byte: UInt8) { bytes.append(byte) }

    package mutating func write(_ bool: Bool) { bytes.append(bool ? 1 : 0) }

    /// Seven bits a byte, the lowest first.
    package mutating func write(count: Int) { write(variable: UInt64(max(0, count))) }

    package mutating func write(_ number: Int64) {
        write(variable: UInt64(bitPattern: number << 1) ^ UInt64(bitPattern: number >> 63))
    }

    package mutating func write(bits: UInt64) { withUnsafeBytes(of: bits.bigEndian) { bytes += $0 } }

    package mutating func write(_ text: String) {
        write(count: text.utf8.count)
        var text = text
        text.withUTF8 { bytes.append(contentsOf: $0) }
    }

    package mutating func write(_ data: Data) {
        write(count: data.count)
        bytes += data
    }

    package mutating func write(_ id: UUID) { withUnsafeBytes(of: id.uuid) { bytes += $0 } }

    /// For names of entities and properties, and for UUIDs as texts.
    package mutating func write(repeated text: String) {
        if let index = texts[text] { return write(count: index + 1) }
        texts[text] = texts.count
        write(count: 0)
        write(text)
    }

    /// For replicas.
    package mutating func write(repeated id: UUID) {
        if let last, last.id == id { return write(count: last.index + 1) }
        let index = ids[id] ?? ids.count
        last = (id, index)
        if index < ids.count { return write(count: index + 1) }
        ids[id] = index
        write(count: 0)
        write(id)
    }

    package mutating func write(_ stamp: SyncStamp) {
        write(bits: stamp.clock)
        write(repeated: stamp.replica)
    }

    package mutating func write<Value>(
        optional value: Value?, _ body: (inout PackedWriter, Value) -> Void
    ) {
        write(value != nil)
        if let value { body(&self, value) }
    }

    package mutating func write<Element>(
        _ elements: some Collection<Element>, _ body: (inout PackedWriter, Element) -> Void
    ) {
        write(count: elements.count)
        for element in elements { body(&self, element) }
    }

    package mutating func write<Value>(
        _ values: [String: Value], _ body: (inout PackedWriter, Value) -> Void
    ) {
        write(count: values.count)
        for (key, value) in values {
            write(repeated: key)
            body(&self, value)
        }
    }

    private mutating func write(variable number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}

/// Reads the bytes of a `PackedWriter`. Damaged bytes give `PackedError`, and no allocation beyond their own size.
package struct PackedReader {
    private let bytes: [UInt8]
    private var position = 1
    private var texts: [String] = []
    private var ids: [UUID] = []
    private var depth = 0
    /// Values in values: no batch has more, and no damaged one exhausts the stack.
    private static let mostDepth = 64
    /// Bytes for each value with values in it, on average: a hostile body takes no more than some 20 times its size.
    private static let leastNestedBytes = 12
    private var nestedCount = 0

    package init(_ data: Data) throws {
        bytes = [UInt8](data)
        guard bytes.first == PackedWriter.version else { throw PackedError() }
    }

    package var isAtEnd: Bool { position == bytes.count }

    package mutating func byte() throws -> UInt8 {
        guard position < bytes.count else { throw PackedError() }
        position += 1
        return bytes[position - 1]
    }

    package mutating func bool() throws -> Bool { try byte() != 0 }

    /// A number of elements or bytes that follow, each of at least one byte.
    package mutating func count() throws -> Int {
        guard let count = Int(exactly: try variable()), count <= bytes.count - position else { throw PackedError() }
        return count
    }

    package mutating func integer() throws -> Int64 {
        let number = try variable()
        return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
    }

    package mutating func bits() throws -> UInt64 {
        let start = try skip(8)
        return bytes.withUnsafeBytes { UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: start, as: UInt64.self)) }
    }

    package mutating func text() throws -> String { String(decoding: try take(count()), as: UTF8.self) }

    package mutating func data() throws -> Data { Data(try take(count())) }

    package mutating func id() throws -> UUID {
        let start = try skip(16)
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(fromByteOffset: start, as: uuid_t.self)) }
    }

    package mutating func repeatedText() throws -> String {
        let index = try variable()
        if index > 0 {
            guard index <= texts.count else { throw PackedError() }
            return texts[Int(index) - 1]
        }
        texts.append(try text())
        return texts[texts.count - 1]
    }

    package mutating func repeatedID() throws -> UUID {
        let index = try variable()
        if index > 0 {
            guard index <= ids.count else { throw PackedError() }
            return ids[Int(index) - 1]
        }
        ids.append(try id())
        return ids[ids.count - 1]
    }

    package mutating func stamp() throws -> SyncStamp { SyncStamp(clock: try bits(), replica: try repeatedID()) }

    package mutating func optional<Value>(_ body: (inout PackedReader) throws -> Value) throws -> Value? {
        try bool() ? try body(&self) : nil
    }

    package mutating func array<Element>(_ body: (inout PackedReader) throws -> Element) throws -> [Element] {
        var elements: [Element] = []
        for _ in 0..<(try count()) { elements.append(try body(&self)) }
        return elements
    }

    package mutating func dictionary<Value>(
        _ body: (inout PackedReader) throws -> Value
    ) throws -> [String: Value] {
        let count = try count()
        var values = [String: Value](minimumCapacity: min(count, 64))
        for _ in 0..<count {
            let key = try repeatedText()
            values[key] = try body(&self)
        }
        return values
    }

    /// Reads a value within a value.
    package mutating func nested<Value>(_ body: (inout PackedReader) throws -> Value) throws -> Value {
        nestedCount += 1
        guard depth < Self.mostDepth, nestedCount * Self.leastNestedBytes <= bytes.count + 1_000 else {
            throw PackedError()
        }
        depth += 1
        defer { depth -= 1 }
        return try body(&self)
    }

    private mutating func take(_ count: Int) throws -> ArraySlice<UInt8> {
        let start = try skip(count)
        return bytes[start..<position]
    }

    /// - Returns: the place of the first of some bytes that are there.
    private mutating func skip(_ count: Int) throws -> Int {
        guard count <= bytes.count - position else { throw PackedError() }
        position += count
        return position - count
    }

    private mutating func variable() throws -> UInt64 {
        var (number, shift) = (UInt64(0), UInt64(0))
        while shift < 64 {
            let byte = try byte()
            number |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return number }
            shift += 7
        }
        throw PackedError()
    }
}
