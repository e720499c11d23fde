// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The XML format of atomic stores, which keeps the order of a file so that unchanged parts are written as they were.

import CoreDataModelFiles
import Foundation

/// Documentation/Internals/Stores.md, "The XML file".
struct XMLFormat: AtomicFormat {
    /// The number of the first object of a new store, as in Apple's framework.
    private static let firstNumber: Int64 = 102

    /// An object's place in the file.
    struct Place {
        let root: Int32
        /// An index into `orders` for the order of its properties; -1 for the default order.
        let order: Int32
        let key: Int64
    }

    var standalone: String? = "yes"
    var places: [Place] = []
    /// The distinct orders of fields in the file.
    var orders: [[UInt16]] = []
    /// Members of relationships with a to-one inverse, if the file does not list them in the order of their numbers.
    var memberOrder: [MemoryTables.LinkKey: [Int64]] = [:]

    static let type = NSXMLStoreType

    static func metadata(of file: FileReading) throws -> [String: Any] {
        metadata(try XMLStoreReader { try file.next() }.header)
    }

    private static func metadata(_ header: XMLStoreHeader) -> [String: Any] {
        header.metadata.merging([NSStoreTypeKey: type, NSStoreUUIDKey: header.uuid]) { $1 }
    }

    static func rewrite(_ file: FileReading, metadata: [String: Any], to sink: @escaping (Data) throws -> Void) throws {
        var reader = try XMLStoreReader { try file.next() }
        var header = reader.header
        header.uuid = metadata[NSStoreUUIDKey] as? String ?? header.uuid
        header.metadata = metadata.filter { $0.key != NSStoreTypeKey && $0.key != NSStoreUUIDKey }
        var writer = XMLStoreWriter(write: sink)
        try writer.begin(header)
        var object = XMLStoreObject()
        while try reader.next(&object) { try writer.add(object) }
        try writer.end()
    }

    static func counter() -> KeyCounter { KeyCounter(isShared: true, last: firstNumber - 1) }

    func check(_ model: ModelLayout, _ entities: [NSEntityDescription]) throws { _ = try XMLSchema(model, entities) }

    mutating func read(_ file: FileReading, _ model: ModelLayout, _ entities: [NSEntityDescription]) throws
        -> MemoryTables
    {
        let schema = try XMLSchema(model, entities)
        let reader = try XMLStoreReader { try file.next() }
        standalone = reader.header.standalone
        let counter = KeyCounter(isShared: true, last: max(reader.header.nextObjectID, Self.firstNumber - 1))
        var rows = XMLRowReader(model, schema, counter)
        let (tables, format) = try rows.read(reader, self)
        self = format
        return tables
    }

    func written(_ tables: MemoryTables, _ content: AtomicContent, to sink: @escaping (Data) throws -> Void) throws
        -> XMLFormat
    {
        let schema = try XMLSchema(content.model, content.entities)
        var next = self
        next.places = arranged(tables)
        var metadata = content.metadata
        metadata[NSStoreTypeKey] = nil
        metadata[NSStoreUUIDKey] = nil
        var writer = XMLStoreWriter(write: sink)
        try writer.begin(
            XMLStoreHeader(
                standalone: standalone, uuid: content.identifier, nextObjectID: tables.keys.greatest, metadata: metadata
            ))
        try XMLRowWriter(tables, content.model, schema, next).write(to: &writer)
        try writer.end()
        return next
    }

    /// Existing objects keep their places; new ones follow in the order of their numbers.
    private func arranged(_ tables: MemoryTables) -> [Place] {
        var known: Set<Int64> = []
        var result = places.filter { place in
            guard tables.tables[Int(place.root)]?[place.key] != nil else { return false }
            known.insert(place.key)
            return true
        }
        var added: [Place] = []
        for (root, table) in tables.tables {
            for key in table.keys where !known.contains(key) {
                added.append(Place(root: Int32(root), order: -1, key: key))
            }
        }
        result += added.sorted { $0.key < $1.key }
        return result
    }
}
