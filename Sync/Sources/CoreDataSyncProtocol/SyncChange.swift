// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A change of one record by a device, folded over the transactions of a batch.
public import Foundation

/// A property's new value and the time at which it was set.
public struct SyncField: Hashable, Sendable, Codable {
    /// The value at the moment of the capture.
    public var value: SyncValue
    /// The stamp of the last transaction that changed the property.
    public var stamp: SyncStamp

    /// Creates a field.
    public init(_ value: SyncValue, _ stamp: SyncStamp) {
        self.value = value
        self.stamp = stamp
    }
}

/// Changes to the members of a to-many relationship: an observed-remove set.
///
/// A removal removes the additions that the device had seen when it captured: those of revisions up to the batch's
/// `observed`, and its own. An addition by another replica that it had not seen stays.
public struct SyncMembers: Hashable, Sendable, Codable {
    /// The names of added members.
    public var added: [UUID]
    /// The names of removed members.
    public var removed: [UUID]

    /// Creates changes of members.
    public init(added: [UUID] = [], removed: [UUID] = []) {
        self.added = added
        self.removed = removed
    }
}

/// The place of a member in an ordered relationship.
public struct SyncPlace: Hashable, Sendable, Codable {
    /// A fractional key: lower-case base-36 digits without a trailing zero. Members are in the order of their keys,
    /// then of their names.
    public var key: String
    /// When the member was put there.
    public var stamp: SyncStamp

    /// Creates a place.
    public init(_ key: String, _ stamp: SyncStamp) {
        self.key = key
        self.stamp = stamp
    }
}

/// The transactions of a device's store that a change comes from.
///
/// A device with restored stores may send a transaction again under another replica id. A counter takes the
/// differences of one transaction once.
public struct SyncOrigin: Hashable, Sendable, Codable {
    /// Identifies the store; a restored store has the same one.
    public var store: UUID
    /// Identify the transactions: 16 hexadecimal digits each in JSON. At most 32 of them count.
    public var transactions: [UInt64]

    /// Creates an origin.
    public init(store: UUID, transactions: [UInt64]) {
        self.store = store
        self.transactions = transactions
    }

    private enum CodingKeys: String, CodingKey {
        case store, transactions
    }

    /// - Throws: `DecodingError.dataCorrupted` for a transaction of another form.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        store = try container.decode(UUID.self, forKey: .store)
        transactions = try container.decode([String].self, forKey: .transactions).map { text in
            guard let transaction = SyncClockText.clock(text) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .transactions, in: container, debugDescription: "A transaction is 16 hexadecimal digits.")
            }
            return transaction
        }
    }

    /// Encodes transactions as text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(store, forKey: .store)
        try container.encode(transactions.map(SyncClockText.text), forKey: .transactions)
    }
}

/// The changes of a batch to one record.
public struct SyncChange: Hashable, Sendable, Codable {
    /// The kind of a change.
    public enum Kind: String, Hashable, Sendable, Codable {
        /// The record is new. `fields` has all properties that travel.
        case insert
        /// `fields`, `members`, `counters` and `places` have the changed properties.
        case update
        /// The record was deleted.
        case delete
    }

    /// The kind of the change.
    public var kind: Kind
    /// The name of the record.
    public var name: UUID
    /// The name of the record's entity.
    public var entity: String
    /// The group of transactions. Changes of one group are applied together or refused together.
    public var group: Int
    /// The stamp of the last transaction that changed the record.
    public var stamp: SyncStamp
    /// Attributes and to-one relationships by name.
    public var fields: [String: SyncField]
    /// What few changes have, in one place: a change is copied often, and each copy counts the references of each part.
    /// One element, or none if all of it is empty, so that equal changes are equal here.
    private var rare: [Rare] = []

    private struct Rare: Hashable, Sendable {
        var members: [String: SyncMembers] = [:]
        var counters: [String: Int64] = [:]
        var origin: SyncOrigin?
        var places: [String: [String: SyncPlace]] = [:]

        var isEmpty: Bool { members.isEmpty && counters.isEmpty && origin == nil && places.isEmpty }
    }

    /// To-many relationships by name.
    public var members: [String: SyncMembers] {
        get { rare.first?.members ?? [:] }
        _modify {
            beginRare()
            defer { endRare() }
            yield &rare[0].members
        }
    }
    /// Differences of the attributes that are counters, by name.
    public var counters: [String: Int64] {
        get { rare.first?.counters ?? [:] }
        _modify {
            beginRare()
            defer { endRare() }
            yield &rare[0].counters
        }
    }
    /// The transactions of `counters`; nil means the one of `stamp`.
    public var origin: SyncOrigin? {
        get { rare.first?.origin }
        _modify {
            beginRare()
            defer { endRare() }
            yield &rare[0].origin
        }
    }
    /// Places of members of ordered relationships: by relationship, then by the member's name as text.
    public var places: [String: [String: SyncPlace]] {
        get { rare.first?.places ?? [:] }
        _modify {
            beginRare()
            defer { endRare() }
            yield &rare[0].places
        }
    }

    private mutating func beginRare() { if rare.isEmpty { rare = [Rare()] } }

    private mutating func endRare() { if rare[0].isEmpty { rare = [] } }

    /// Creates a change.
    public init(
        _ kind: Kind, name: UUID, entity: String, group: Int, stamp: SyncStamp, fields: [String: SyncField] = [:],
        members: [String: SyncMembers] = [:], counters: [String: Int64] = [:],
        places: [String: [String: SyncPlace]] = [:]
    ) {
        self.kind = kind
        self.name = name
        self.entity = entity
        self.group = group
        self.stamp = stamp
        self.fields = fields
        setRare(Rare(members: members, counters: counters, places: places))
    }

    private mutating func setRare(_ parts: Rare) { rare = parts.isEmpty ? [] : [parts] }

    private enum CodingKeys: String, CodingKey {
        case kind, name, entity, group, stamp, fields, members, counters, places, origin
    }

    /// Absent dictionaries are empty.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        kind = try container.decode(Kind.self, forKey: .kind)
        name = try container.decode(UUID.self, forKey: .name)
        entity = try container.decode(String.self, forKey: .entity)
        group = try container.decode(Int.self, forKey: .group)
        stamp = try container.decode(SyncStamp.self, forKey: .stamp)
        fields = try container.decodeIfPresent([String: SyncField].self, forKey: .fields) ?? [:]
        setRare(
            Rare(
                members: try container.decodeIfPresent([String: SyncMembers].self, forKey: .members) ?? [:],
                counters: try container.decodeIfPresent([String: Int64].self, forKey: .counters) ?? [:],
                origin: try container.decodeIfPresent(SyncOrigin.self, forKey: .origin),
                places: try container.decodeIfPresent([String: [String: SyncPlace]].self, forKey: .places) ?? [:]))
    }

    /// Leaves out empty dictionaries.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(kind, forKey: .kind)
        try container.encode(name, forKey: .name)
        try container.encode(entity, forKey: .entity)
        try container.encode(group, forKey: .group)
        try container.encode(stamp, forKey: .stamp)
        if !fields.isEmpty { try container.encode(fields, forKey: .fields) }
        if !members.isEmpty { try container.encode(members, forKey: .members) }
        if !counters.isEmpty { try container.encode(counters, forKey: .counters) }
        if !places.isEmpty { try container.encode(places, forKey: .places) }
        try container.encodeIfPresent(origin, forKey: .origin)
    }
}
