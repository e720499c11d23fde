// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The compact forms of batches, as a device keeps them until they are answered, and sends them.
import Foundation

extension SyncPush: PackedCodable {
    package init(from reader: inout PackedReader) throws { try self.init(from: &reader, mostChanges: .max) }

    /// - Throws: `SyncError.tooLarge` for a batch with more changes.
    init(from reader: inout PackedReader, mostChanges: Int) throws {
        let version = Int(truncatingIfNeeded: try reader.integer())
        self.init(
            replica: try reader.id(), number: try reader.integer(), id: try reader.id(),
            schema: SyncSchema(entities: try reader.dictionary { try $0.data() }), observed: try reader.integer(),
            changes: [])
        self.version = version
        let count = try reader.count()
        guard count <= mostChanges else { throw SyncError(.tooLarge, "A batch has at most \(mostChanges) changes.") }
        changes.reserveCapacity(min(count, 20_000))
        for _ in 0..<count { changes.append(try SyncChange(from: &reader)) }
    }

    package func write(to writer: inout PackedWriter) {
        writer.write(Int64(version))
        writer.write(replica)
        writer.write(number)
        writer.write(id)
        writer.write(schema.entities) { $0.write($1) }
        writer.write(observed)
        writer.write(changes) { $1.write(to: &$0) }
    }
}

extension SyncChange: PackedCodable {
    package init(from reader: inout PackedReader) throws {
        guard let kind = Kind(rawValue: try reader.repeatedText()) else { throw PackedError() }
        self.init(
            kind, name: try reader.id(), entity: try reader.repeatedText(),
            group: Int(truncatingIfNeeded: try reader.integer()), stamp: try reader.stamp(),
            fields: try reader.dictionary { SyncField(try SyncValue(from: &$0), try $0.stamp()) },
            members: try reader.dictionary { reader in
                SyncMembers(added: try reader.array { try $0.id() }, removed: try reader.array { try $0.id() })
            },
            counters: try reader.dictionary { try $0.integer() },
            places: try reader.dictionary { reader in try reader.dictionary { try SyncPlace(from: &$0) } })
        origin = try reader.optional { reader in
            SyncOrigin(store: try reader.id(), transactions: try reader.array { try $0.bits() })
        }
    }

    package func write(to writer: inout PackedWriter) {
        writer.write(repeated: kind.rawValue)
        writer.write(name)
        writer.write(repeated: entity)
        writer.write(Int64(group))
        writer.write(stamp)
        writer.write(fields) { writer, field in
            field.value.write(to: &writer)
            writer.write(field.stamp)
        }
        writer.write(members) { writer, members in
            writer.write(members.added) { $0.write($1) }
            writer.write(members.removed) { $0.write($1) }
        }
        writer.write(counters) { $0.write($1) }
        writer.write(places) { writer, places in writer.write(places) { $1.write(to: &$0) } }
        writer.write(optional: origin) { writer, origin in
            writer.write(origin.store)
            writer.write(origin.transactions) { $0.write(bits: $1) }
        }
    }
}

extension SyncPlace: PackedCodable {
    package init(from reader: inout PackedReader) throws {
        self.init(try reader.text(), try reader.stamp())
    }

    package func write(to writer: inout PackedWriter) {
        writer.write(key)
        writer.write(stamp)
    }
}

extension SyncValue: PackedCodable {
    package init(from reader: inout PackedReader) throws {
        switch try reader.byte() {
        case 0: self = .null
        case 1: self = .integer(try reader.integer())
        case 2: self = .bool(try reader.bool())
        case 3: self = .double(try reader.bits())
        case 4: self = .float(UInt32(truncatingIfNeeded: try reader.bits()))
        case 5: self = .decimal(try reader.text())
        case 6: self = .string(try reader.text())
        case 7: self = .date(try reader.bits())
        case 8: self = .data(try reader.data())
        case 9: self = .uuid(try reader.id())
        case 10: self = .uri(try reader.text())
        case 11: self = .composite(try reader.nested { reader in try reader.dictionary { try SyncValue(from: &$0) } })
        case 12: self = .transformed(try reader.data())
        case 13: self = .link(try reader.id())
        case 14:
            guard let kind = SyncLargeValue.Kind(rawValue: try reader.repeatedText()) else { throw PackedError() }
            self = .large(SyncLargeValue(kind, size: try reader.integer(), hash: try reader.text()))
        default: throw PackedError()
        }
    }

    package func write(to writer: inout PackedWriter) {
        func tag(_ byte: UInt8) { writer.write(byte) }
        switch self {
        case .null: tag(0)
        case .integer(let number):
            tag(1)
            writer.write(number)
        case .bool(let bool):
            tag(2)
            writer.write(bool)
        case .double(let bits):
            tag(3)
            writer.write(bits: bits)
        case .float(let bits):
            tag(4)
            writer.write(bits: UInt64(bits))
        case .decimal(let text):
            tag(5)
            writer.write(text)
        case .string(let text):
            tag(6)
            writer.write(text)
        case .date(let bits):
            tag(7)
            writer.write(bits: bits)
        case .data(let data):
            tag(8)
            writer.write(data)
        case .uuid(let id):
            tag(9)
            writer.write(id)
        case .uri(let text):
            tag(10)
            writer.write(text)
        case .composite(let values):
            tag(11)
            writer.write(values) { $1.write(to: &$0) }
        case .transformed(let data):
            tag(12)
            writer.write(data)
        case .link(let name):
            tag(13)
            writer.write(name)
        case .large(let large):
            tag(14)
            writer.write(repeated: large.kind.rawValue)
            writer.write(large.size)
            writer.write(large.hash)
        }
    }
}
