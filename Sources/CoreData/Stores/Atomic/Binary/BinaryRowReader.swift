// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Decodes the rows of a binary store.

import Foundation

/// Reads one file.
struct BinaryRowReader {
    /// A property of the file with its counterpart in the model.
    private struct Column {
        let field: StoredField
        let coding: BinaryCoding
    }

    private let model: ModelLayout
    private let names: Set<String>
    private var bytes: ByteReader
    private var builder: TableBuilder
    private var seen: Set<Int64> = []

    init(_ model: ModelLayout, _ entities: [NSEntityDescription], _ bytes: ByteReader, _ keys: KeyCounter) {
        self.model = model
        names = Set(entities.compactMap(\.name))
        self.bytes = bytes
        builder = TableBuilder(model, keys: keys)
    }

    /// - Throws: `AtomicDamage`, `AtomicForeignModel`.
    mutating func read() throws -> MemoryTables {
        for entity in try BinaryEntity.all(&bytes) {
            let count = try bytes.count(ofSize: 1)
            guard count > 0 else { continue }
            guard names.contains(entity.name), let layout = model.layout(named: entity.name) else {
                throw AtomicForeignModel(reason: "The model has no entity '\(entity.name)', which the file holds.")
            }
            guard !layout.isAbstract else {
                throw AtomicDamage(reason: "There is an object of '\(entity.name)', which is abstract.")
            }
            let columns = try columns(entity, layout)
            for _ in 0..<count { try readRow(layout, columns) }
        }
        guard bytes.remaining == 0 else { throw AtomicDamage(reason: "Something follows the last object.") }
        return try builder.finish()
    }

    private func columns(_ entity: BinaryEntity, _ layout: EntityLayout) throws -> [Column] {
        let fields = Dictionary(
            StoredField.fields(of: layout).map { ($0.path.joined(separator: "."), $0) },
            uniquingKeysWith: { first, _ in first })
        return try entity.properties.map { property in
            guard let field = fields[property.name] else {
                throw AtomicForeignModel(
                    reason: "'\(entity.name)' has no property '\(property.name)', which the file has.")
            }
            let coding: BinaryCoding? =
                switch field.kind {
                case .attribute(let attribute): BinaryCoding(attribute)
                case .relationship(let relationship): BinaryCoding(relationship)
                }
            // Without its transformer, a transformable attribute can be read as data.
            guard let coding, coding == property.coding || coding == .data && property.coding == .transformable else {
                throw AtomicForeignModel(
                    reason: "'\(entity.name).\(property.name)' is of another type than in the file.")
            }
            return Column(field: field, coding: coding)
        }
    }

    private mutating func readRow(_ layout: EntityLayout, _ columns: [Column]) throws {
        let key = try bytes.signed()
        guard key > 0, seen.insert(key).inserted else {
            throw AtomicDamage(reason: "The key \(key) is there twice, or is none.")
        }
        let present = try (0..<((columns.count + 7) / 8)).map { _ in try bytes.byte() }
        let row = Snapshot.make(layout)
        var composites: [Int: [String: Any]] = [:]
        for (index, column) in columns.enumerated() where present[index / 8] & 1 << (index % 8) != 0 {
            try read(column, row, key, &composites)
        }
        for (slot, value) in composites { row.setBox(ValueBox(value), slot) }
        builder.add(row, key: key)
    }

    private mutating func read(
        _ column: Column, _ row: Snapshot, _ key: Int64, _ composites: inout [Int: [String: Any]]
    )
        throws
    {
        let slot = column.field.slot
        switch column.field.kind {
        case .attribute(let attribute):
            if column.field.path.count == 1 {
                try column.coding.read(&bytes, into: row, slot, attribute)
            } else {
                let value = try column.coding.value(&bytes, attribute)
                composites[slot, default: [:]].set(value, at: column.field.path.dropFirst())
            }
        case .relationship:
            if column.coding == .toOne {
                let reference = Reference(entityIndex: Int(row.layout[slot].destination), key: try bytes.signed())
                row.setReference(reference, slot)
            } else {
                let members = try (0..<(try bytes.count())).map { _ in try bytes.signed() }
                builder.link(members, slot: slot, of: row.layout, owner: key)
            }
        }
    }
}
