// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The binary format of atomic stores.

import Foundation

/// Documentation/Internals/Stores.md, "The binary file". The format is OpenCoreData's own, because Apple's is
/// undocumented.
struct BinaryFormat: AtomicFormat {
    static let type = NSBinaryStoreType

    static func counter() -> KeyCounter { KeyCounter(isShared: true) }

    static func metadata(of file: FileReading) throws -> [String: Any] { metadata(try BinaryFile(file)) }

    private static func metadata(_ file: BinaryFile) -> [String: Any] {
        file.metadata.merging([NSStoreTypeKey: type, NSStoreUUIDKey: file.uuid.uuidString]) { $1 }
    }

    static func rewrite(_ file: FileReading, metadata: [String: Any], to sink: @escaping (Data) throws -> Void) throws {
        let old = try BinaryFile(file)
        var contents = old.contents
        try BinaryFile.write(
            uuid: (metadata[NSStoreUUIDKey] as? String).flatMap(UUID.init) ?? old.uuid, lastKey: old.lastKey,
            metadata: inner(metadata), contents: contents.rest(), to: sink)
    }

    private static func inner(_ metadata: [String: Any]) -> [String: Any] {
        metadata.filter { $0.key != NSStoreTypeKey && $0.key != NSStoreUUIDKey }
    }

    func check(_ model: ModelLayout, _ entities: [NSEntityDescription]) throws {}

    mutating func read(_ file: FileReading, _ model: ModelLayout, _ entities: [NSEntityDescription]) throws
        -> MemoryTables
    {
        let binary = try BinaryFile(file)
        let keys = KeyCounter(isShared: true, last: binary.lastKey)
        var reader = BinaryRowReader(model, entities, binary.contents, keys)
        return try reader.read()
    }

    func written(_ tables: MemoryTables, _ content: AtomicContent, to sink: @escaping (Data) throws -> Void) throws
        -> BinaryFormat
    {
        let rows = try BinaryRowWriter(tables, content).bytes()
        try BinaryFile.write(
            uuid: UUID(uuidString: content.identifier) ?? UUID(), lastKey: tables.keys.greatest,
            metadata: Self.inner(content.metadata), contents: rows[...], to: sink)
        return self
    }
}
