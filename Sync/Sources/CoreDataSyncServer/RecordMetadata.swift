// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The stamps of a record's properties and members, as the server keeps them.
import CoreDataSyncProtocol
import Foundation

/// The stamps of the changes that made a record's present values.
struct RecordMetadata: Equatable {
    /// An addition of a member.
    struct Edge: Equatable {
        /// The revision of the save that added it: a device that has applied this revision has seen it.
        var revision: Int64
        var stamp: SyncStamp
    }

    /// Attributes and to-one relationships by name.
    var stamps: [String: SyncStamp] = [:]
    /// Properties whose last change followed from a change of another record, by an inverse or a delete rule.
    var derived: Set<String> = []
    /// The newest change of a property of `derived` by a device or the server, before it followed from another one.
    var overridden: SyncStamp?
    /// By relationship, then by the member's name as text.
    var edges: [String: [String: Edge]] = [:]
    /// The members with collected tags, by relationship: all replicas have seen their additions.
    var settled: [String: Set<UUID>] = [:]
    /// By ordered relationship, then by the member's name as text.
    var places: [String: [String: SyncPlace]] = [:]
    /// The last transactions of each store whose differences a counter has: by attribute, then by the store as text.
    /// For a device that names no transactions, the clocks of each replica.
    var counted: [String: [String: [UInt64]]] = [:]
    /// The number of transactions that are kept: a repeated batch is older than few others of its store.
    static let mostCounted = 128

    init() {}

    /// The tag of a member; nil if it has none, or if it was collected.
    func edge(_ key: String, _ member: UUID) -> Edge? { edges[key]?[member.text] }

    func isSettled(_ key: String, _ member: UUID) -> Bool { settled[key]?.contains(member) ?? false }

    /// Keeps the names of members in place of their tags up to a revision.
    mutating func settle(upTo revision: Int64) {
        for (key, tags) in edges {
            let old = tags.filter { $0.value.revision <= revision }.keys
            guard !old.isEmpty else { continue }
            settled[key, default: []].formUnion(old.compactMap(UUID.init(text:)))
            for member in old { edges[key]?[member] = nil }
        }
    }

    /// The stored form of a record without stamps.
    static let emptyForm = RecordMetadata().packed

    /// The newest change of a property by a device or the server: only such a change protects a record from a deletion.
    var newest: SyncStamp? {
        let made = stamps.lazy.filter { !derived.contains($0.key) }.map(\.value).max()
        return [made, overridden].compactMap { $0 }.max()
    }

    /// Notes a difference of a counter, which protects the record from an older deletion as a value does. Differences
    /// are added whatever their stamps are.
    mutating func noteCount(_ key: String, _ stamp: SyncStamp) {
        // The stamp of a derived change is that of its cause, and protects nothing.
        let isDerived = !derived.isEmpty && derived.remove(key) != nil
        stamps[key] = isDerived ? stamp : stamps[key].map { max($0, stamp) } ?? stamp
    }

    /// Notes that a property follows from a change of another record.
    mutating func derive(_ key: String, _ cause: SyncStamp) {
        let present = stamps[key]
        stamps[key] = present.map { max($0, cause) } ?? cause
        guard derived.insert(key).inserted, let present else { return }
        overridden = max(overridden ?? present, present)
    }
}

extension RecordMetadata: PackedCodable {
    init(from reader: inout PackedReader) throws {
        stamps = try reader.dictionary { try $0.stamp() }
        derived = Set(try reader.array { try $0.repeatedText() })
        edges = try reader.dictionary { reader in
            try reader.dictionary { Edge(revision: try $0.integer(), stamp: try $0.stamp()) }
        }
        places = try reader.dictionary { reader in try reader.dictionary { try SyncPlace(from: &$0) } }
        counted = try reader.dictionary { reader in
            try reader.dictionary { reader in try reader.array { try $0.bits() } }
        }
        // Rows of earlier versions end here.
        if !reader.isAtEnd { settled = try reader.dictionary { reader in Set(try reader.array { try $0.id() }) } }
        if !reader.isAtEnd { overridden = try reader.stamp() }
    }

    func write(to writer: inout PackedWriter) {
        writer.write(stamps) { $0.write($1) }
        writer.write(derived.sorted()) { $0.write(repeated: $1) }
        writer.write(edges) { writer, edges in
            writer.write(edges) { writer, edge in
                writer.write(edge.revision)
                writer.write(edge.stamp)
            }
        }
        writer.write(places) { writer, places in writer.write(places) { $1.write(to: &$0) } }
        writer.write(counted) { writer, counted in
            writer.write(counted) { writer, clocks in writer.write(clocks) { $0.write(bits: $1) } }
        }
        if settled.isEmpty, overridden == nil { return }
        writer.write(settled) { writer, members in
            writer.write(members.sorted { $0.precedes($1) }) { $0.write($1) }
        }
        if let overridden { writer.write(overridden) }
    }
}
