// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The stamps of a record's properties and members, as the server keeps them.
import CoreDataSyncProtocol
import Foundation

/// The stamps of the changes that made a record's present values.
struct RecordMetadata: Codable, Equatable {
    /// An addition of a member.
    struct Edge: Codable, Equatable {
        /// The revision of the save that added it: a device that has applied this revision has seen it.
        var revision: Int64
        var stamp: SyncStamp
    }

    /// Attributes and to-one relationships by name.
    var stamps: [String: SyncStamp] = [:]
    /// Properties whose last change followed from a change of another record, by an inverse or a delete rule.
    var derived: Set<String> = []
    /// By relationship, then by the member's name as text.
    var edges: [String: [String: Edge]] = [:]
    /// By ordered relationship, then by the member's name as text.
    var places: [String: [String: SyncPlace]] = [:]
    /// The last transactions of each store whose differences a counter has: by attribute, then by the store as text.
    /// For a device that names no transactions, the clocks of each replica.
    var counted: [String: [String: [UInt64]]] = [:]
    /// The number of transactions that are kept: a repeated batch is older than few others of its store.
    static let mostCounted = 128

    init() {}

    init?(data: Data) {
        guard let decoded = try? JSONDecoder().decode(Self.self, from: data) else { return nil }
        self = decoded
    }

    var data: Data { (try? JSONEncoder().encode(self)) ?? Data() }

    /// The newest change that somebody made of a property: only such a change protects a record from a deletion.
    var newest: SyncStamp? { stamps.filter { !derived.contains($0.key) }.values.max() }
}
