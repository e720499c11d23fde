// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Encodes rows for a binary store.

import Foundation

/// Writes one file.
struct BinaryRowWriter {
    private let tables: MemoryTables
    private let content: AtomicContent

    init(_ tables: MemoryTables, _ content: AtomicContent) {
        self.tables = tables
        self.content = content
    }

    /// - Throws: `AtomicRefusal` for a value that cannot be stored.
    func bytes() throws -> [UInt8] {
        let layouts = content.entities.compactMap { content.model.layout(of: $0) }.sorted { $0.index < $1.index }
        var writer = ByteWriter()
        writer.add(count: layouts.count)
        for layout in layouts { BinaryEntity(layout).write(to: &writer) }
        for layout in layouts {
            let table = tables.tables[layout.rootIndex]
            let keys = (table?.keys ?? []).filter { table?[$0]?.layout === layout }
            writer.add(count: keys.count)
            let fields = StoredField.fields(of: layout).compactMap(Self.column)
            for key in keys { if let row = table?[key] { try write(row, key, fields, to: &writer) } }
        }
        return writer.bytes
    }

    private static func column(_ field: StoredField) -> (StoredField, BinaryCoding)? {
        switch field.kind {
        case .attribute(let attribute): BinaryCoding(attribute).map { (field, $0) }
        case .relationship(let relationship): (field, BinaryCoding(relationship))
        }
    }

    private func write(
        _ row: Snapshot, _ key: Int64, _ fields: [(StoredField, BinaryCoding)], to writer: inout ByteWriter
    ) throws {
        writer.add(signed: key)
        var present = [UInt8](repeating: 0, count: (fields.count + 7) / 8)
        for (index, (field, coding)) in fields.enumerated() where isPresent(field, coding, row, key) {
            present[index / 8] |= 1 << (index % 8)
        }
        for byte in present { writer.add(byte: byte) }
        for (index, (field, coding)) in fields.enumerated() where present[index / 8] & 1 << (index % 8) != 0 {
            try write(field, coding, row, key, to: &writer)
        }
    }

    private func isPresent(_ field: StoredField, _ coding: BinaryCoding, _ row: Snapshot, _ key: Int64) -> Bool {
        switch field.kind {
        case .relationship: coding == .toOne ? !row.isNull(field.slot) : links(field, row, key) != nil
        case .attribute:
            field.path.count == 1 ? coding.isPresent(row, field.slot) : element(field, row) != nil
        }
    }

    private func element(_ field: StoredField, _ row: Snapshot) -> Any? {
        (row.box(field.slot)?.value as? [String: Any])?.value(at: field.path.dropFirst())
    }

    /// The members to store. Those with a to-one inverse are stored only if they are ordered.
    private func links(_ field: StoredField, _ row: Snapshot, _ key: Int64) -> [Reference]? {
        guard case .relationship(let relationship) = field.kind else { return nil }
        return tables.links[.init(relationship: ObjectIdentifier(relationship), owner: key)]
    }

    private func write(
        _ field: StoredField, _ coding: BinaryCoding, _ row: Snapshot, _ key: Int64, to writer: inout ByteWriter
    ) throws {
        switch field.kind {
        case .relationship:
            if coding == .toOne {
                writer.add(signed: row.reference(field.slot)?.key ?? 0)
            } else {
                let members = links(field, row, key) ?? []
                writer.add(count: members.count)
                for member in members { writer.add(signed: member.key) }
            }
        case .attribute(let attribute):
            do {
                if field.path.count == 1 {
                    try coding.write(row, field.slot, attribute, to: &writer)
                } else if let value = element(field, row) {
                    try coding.write(value, attribute, to: &writer)
                }
            } catch let failure as TransformFailure {
                throw AtomicRefusal(reason: "\(attribute.qualifiedName) cannot be stored: \(failure.reason).")
            }
        }
    }
}
