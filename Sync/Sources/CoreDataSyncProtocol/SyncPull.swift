// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The request for the server's changes, and the pages that answer it.
public import Foundation

/// Asks for the records that changed after a place.
public struct SyncPull: Hashable, Sendable, Codable {
    /// The version of the protocol.
    public var version: Int
    /// The replica that asks.
    public var replica: UUID
    /// The version of the device's model.
    public var schema: SyncSchema
    /// The `next` of the last page that the device has; nil for everything.
    public var after: String?
    /// The revision whose state the device has applied; 0 for none.
    public var applied: Int64
    /// The number of the replica's last batch, which is answered: the page then need not repeat what the server took
    /// from it unchanged. nil for all changes.
    public var number: Int64?
    /// The greatest number of records in the page. The server may send fewer.
    public var limit: Int
    /// The names of the shapes that the device wants; empty for all that its user may have.
    public var shapes: [String]

    /// Creates a request.
    public init(
        replica: UUID, schema: SyncSchema, after: String?, applied: Int64, number: Int64? = nil, limit: Int,
        shapes: [String] = []
    ) {
        version = syncProtocolVersion
        self.replica = replica
        self.schema = schema
        self.after = after
        self.applied = applied
        self.number = number
        self.limit = limit
        self.shapes = shapes
    }
}

/// Records that changed, each in its state at the moment of the page.
///
/// A device asks with each page's `next` until `isLast`, keeps the latest state of each record, and applies all of them
/// in one save. Together they are the server's state at the moment of the last page, because a record that changes
/// between two pages comes again in a later one.
public struct SyncPage: Hashable, Sendable, Codable {
    /// The records, in the order of their last change.
    public var records: [SyncRecordState]
    /// The place after the page, for `SyncPull.after`. Opaque.
    public var next: String
    /// Whether nothing had changed after this page at its moment.
    public var isLast: Bool
    /// Whether the pages list all records of the shapes, deleted ones excluded: a record that the device has and that
    /// no page names is gone.
    public var isWhole: Bool
    /// The server's revision at the moment of the page.
    public var revision: Int64
    /// The server's hybrid clock, at least as great as the stamps of all records of the page.
    public var clock: UInt64

    /// Creates a page.
    public init(
        records: [SyncRecordState], next: String, isLast: Bool, isWhole: Bool, revision: Int64, clock: UInt64
    ) {
        self.records = records
        self.next = next
        self.isLast = isLast
        self.isWhole = isWhole
        self.revision = revision
        self.clock = clock
    }
}

/// The state of one record on the server.
public struct SyncRecordState: Hashable, Sendable, Codable {
    /// The state of the record with the name.
    public enum State: String, Hashable, Sendable, Codable {
        /// A record. `values`, `members` and `orders` are complete.
        case present
        /// The record was deleted.
        case deleted
        /// The record was merged into `into`, whose state is in the same pages or older than them.
        case merged
        /// The record exists, but no longer belongs to the device's shapes.
        case left
    }

    /// The name of the record.
    public var name: UUID
    /// The name of its entity.
    public var entity: String
    /// Its state.
    public var state: State
    /// Attributes and to-one relationships by name.
    public var values: [String: SyncValue]
    /// The names of the members of to-many relationships that this record keeps, by relationship.
    public var members: [String: [UUID]]
    /// The fractional keys of ordered relationships: by relationship, then by the member's name as text.
    public var orders: [String: [String: String]]
    /// The older name of a merged record.
    public var into: UUID?
    /// The names of the to-one relationships that lead to records outside of the device's shapes. They are nil on the
    /// device, which does not send them unless its user sets another destination. nil without such links.
    public var outside: [String]?

    /// Creates a state.
    public init(
        name: UUID, entity: String, state: State, values: [String: SyncValue] = [:], members: [String: [UUID]] = [:],
        orders: [String: [String: String]] = [:], into: UUID? = nil, outside: [String]? = nil
    ) {
        self.name = name
        self.entity = entity
        self.state = state
        self.values = values
        self.members = members
        self.orders = orders
        self.into = into
        self.outside = outside
    }
}

/// A note of the server that there is something to pull.
public struct SyncNews: Hashable, Sendable, Codable {
    /// The server's revision.
    public var revision: Int64

    /// Creates a note.
    public init(revision: Int64) { self.revision = revision }
}
