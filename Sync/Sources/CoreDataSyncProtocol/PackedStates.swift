// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The compact form of a record's state, as a device keeps it until the records that it leads to are there.
package import Foundation

extension SyncRecordState: PackedCodable {
    package init(from reader: inout PackedReader) throws {
        let (name, entity) = (try reader.id(), try reader.repeatedText())
        guard let state = State(rawValue: try reader.repeatedText()) else { throw PackedError() }
        try self.init(contentOf: &reader, name: name, entity: entity)
        self.state = state
        into = try reader.optional { try $0.id() }
        outside = try reader.optional { reader in try reader.array { try $0.text() } }
    }

    /// Reads the values, members and orders of a present record.
    package init(contentOf reader: inout PackedReader, name: UUID, entity: String) throws {
        self.init(
            name: name, entity: entity, state: .present, values: try reader.dictionary { try SyncValue(from: &$0) },
            members: try reader.dictionary { reader in try reader.array { try $0.id() } },
            orders: try reader.dictionary { reader in try reader.dictionary { try $0.text() } })
    }

    package func write(to writer: inout PackedWriter) {
        writer.write(name)
        writer.write(repeated: entity)
        writer.write(repeated: state.rawValue)
        writeContent(to: &writer)
        writer.write(optional: into) { $0.write($1) }
        writer.write(optional: outside) { writer, keys in writer.write(keys) { $0.write($1) } }
    }

    package func writeContent(to writer: inout PackedWriter) {
        writer.write(values) { $1.write(to: &$0) }
        writer.write(members) { writer, names in writer.write(names) { $0.write($1) } }
        writer.write(orders) { writer, keys in writer.write(keys) { $0.write($1) } }
    }
}
