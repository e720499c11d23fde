// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The frame of a binary store: magic number, version, size and checksum around metadata, entities and rows.

import CoreDataModelFiles
import Foundation

/// A binary store with a correct checksum. Documentation/Internals/Stores.md, "The binary file".
struct BinaryFile {
    static let magic = Array("OCDATOM\0".utf8)
    static let version: UInt64 = 1
    /// The size of magic number, version and file size.
    static let headSize = 24

    let uuid: UUID
    let metadata: [String: Any]
    /// The greatest key ever assigned.
    let lastKey: Int64
    /// Entities and rows.
    private(set) var contents: ByteReader

    /// - Throws: `AtomicDamage` when the file is not a binary store, is damaged, or has a later version; `FileFailure`.
    init(_ file: FileReading) throws {
        var bytes = [UInt8](try file.next() ?? Data())
        guard bytes.starts(with: Self.magic), bytes.count >= Self.headSize + 8 else {
            throw AtomicDamage(reason: "It is no binary store: it does not begin as one.")
        }
        var head = ByteReader(bytes[Self.magic.count..<Self.headSize])
        let version = try head.word()
        guard version == Self.version else {
            throw AtomicDamage(reason: "It is a binary store of version \(version); only \(Self.version) is known.")
        }
        let size = try head.word()
        guard size == UInt64(file.size) else {
            throw AtomicDamage(reason: "It should have \(size) bytes and has \(file.size).")
        }
        bytes += try file.rest()
        guard bytes.count == Int(file.size) else { throw AtomicDamage(reason: "It has changed while it was read.") }
        var tail = ByteReader(bytes[(bytes.count - 8)...])
        guard try tail.word() == Checksum.of(bytes[..<(bytes.count - 8)]) else {
            throw AtomicDamage(reason: "Its checksum is wrong.")
        }
        try self.init(ByteReader(bytes[Self.headSize..<(bytes.count - 8)]))
    }

    private init(_ reader: ByteReader) throws {
        var reader = reader
        uuid = UUID(uuid: try reader.uuid())
        lastKey = try reader.signed()
        guard lastKey >= 0 else { throw AtomicDamage(reason: "Its greatest key is below zero.") }
        let list = try reader.data()
        guard let values = try? PropertyListBounds.values(of: list) as? [String: Any] else {
            throw AtomicDamage(reason: "Its metadata are no property list with a dictionary.")
        }
        metadata = values
        contents = reader
    }

    /// Writes the whole file. Its header contains the size, so the contents must be complete.
    static func write(
        uuid: UUID, lastKey: Int64, metadata: [String: Any], contents: ArraySlice<UInt8>, to sink: (Data) throws -> Void
    ) throws {
        let list: Data
        do {
            list = try PropertyListSerialization.data(fromPropertyList: metadata, format: .binary, options: 0)
        } catch {
            throw AtomicRefusal(reason: "The metadata cannot be stored: they may hold property list values alone.")
        }
        var inner = ByteWriter()
        inner.add(uuid)
        inner.add(signed: lastKey)
        inner.add(list)
        var head = ByteWriter()
        for byte in magic { head.add(byte: byte) }
        head.add(word: version)
        head.add(word: UInt64(headSize + inner.bytes.count + contents.count + 8))
        var checksum = Checksum()
        for part in [head.bytes[...], inner.bytes[...], contents] {
            part.withUnsafeBytes { checksum.add($0) }
            try sink(Data(part))
        }
        var tail = ByteWriter()
        tail.add(word: checksum.value)
        try sink(Data(tail.bytes))
    }
}
