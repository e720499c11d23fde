// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The compact forms of records in a sidecar.
import CoreDataSyncProtocol
import Foundation

extension KnownState: PackedCodable {
    /// Nothing is stored for a record without to-many relationships and counters.
    var isEmpty: Bool { self == KnownState() }

    init(from reader: inout PackedReader) throws {
        self.init(
            members: try reader.dictionary { reader in try reader.array { try $0.id() } },
            orders: try reader.dictionary { reader in try reader.dictionary { try $0.text() } },
            counters: try reader.dictionary { try $0.integer() },
            outside: try reader.optional { reader in try reader.array { try $0.text() } },
            unknown: try reader.optional { reader in try reader.dictionary { try SyncValue(from: &$0) } })
    }

    func write(to writer: inout PackedWriter) {
        writer.write(members) { writer, names in writer.write(names) { $0.write($1) } }
        writer.write(orders) { writer, keys in writer.write(keys) { $0.write($1) } }
        writer.write(counters) { $0.write($1) }
        writer.write(optional: outside) { writer, keys in writer.write(keys) { $0.write($1) } }
        writer.write(optional: unknown) { writer, values in writer.write(values) { $1.write(to: &$0) } }
    }
}

extension Journal: PackedCodable {
    init(from reader: inout PackedReader) throws {
        self.init(
            id: try reader.id(), after: try reader.text(), revision: try reader.integer(), clock: try reader.bits(),
            named: try reader.array { reader in
                Named(
                    name: try reader.id(), object: try reader.text(), known: try KnownState(from: &reader))
            },
            forgotten: try reader.array { try $0.id() })
    }

    func write(to writer: inout PackedWriter) {
        writer.write(id)
        writer.write(after)
        writer.write(revision)
        writer.write(bits: clock)
        writer.write(named) { writer, named in
            writer.write(named.name)
            writer.write(named.object)
            named.known.write(to: &writer)
        }
        writer.write(forgotten) { $0.write($1) }
    }
}

/// The places of a `StateRow`, which each capture reads and writes.
struct CapturedPlaces: PackedCodable {
    var list: [CapturedPlace]

    init(list: [CapturedPlace]) { self.list = list }

    init(from reader: inout PackedReader) throws {
        list = try reader.array { reader in
            let place = CapturedPlace(number: try reader.integer(), time: try reader.bits())
            _ = try reader.optional { try $0.data() }
            return place
        }
    }

    func write(to writer: inout PackedWriter) {
        writer.write(list) { writer, place in
            writer.write(place.number)
            writer.write(bits: place.time)
            // Earlier versions kept the archive of the place's token here.
            writer.write(false)
        }
    }
}
