// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The request that brings a device's changes to the server, and its answer.
public import Foundation

/// The version of the protocol that this module speaks.
public let syncProtocolVersion = 1

/// A numbered batch of changes of one replica.
public struct SyncPush: Hashable, Sendable, Codable {
    /// The version of the protocol.
    public var version: Int
    /// The replica that made the changes.
    public var replica: UUID
    /// The number of the batch: 1, 2, 3 and so on for each replica. A batch keeps its number until it is answered.
    public var number: Int64
    /// A random id of the batch. A batch with a number that was taken and another id comes from a copy of the replica.
    public var id: UUID
    /// The version of the device's model.
    public var schema: SyncSchema
    /// The revision of the server whose state the device had when it captured the changes.
    public var observed: Int64
    /// The changes; each record has at most one.
    public var changes: [SyncChange]

    /// Creates a batch.
    public init(
        replica: UUID, number: Int64, id: UUID, schema: SyncSchema, observed: Int64, changes: [SyncChange]
    ) {
        version = syncProtocolVersion
        self.replica = replica
        self.number = number
        self.id = id
        self.schema = schema
        self.observed = observed
        self.changes = changes
    }
}

/// The server's answer to a batch. It is the same however often the batch is sent.
public struct SyncPushAnswer: Hashable, Sendable, Codable {
    /// The number of the batch.
    public var number: Int64
    /// The server's hybrid clock, at least as great as all stamps of the batch that were taken.
    public var clock: UInt64
    /// One outcome for each group, in the order of the groups.
    public var outcomes: [SyncOutcome]

    /// Creates an answer.
    public init(number: Int64, clock: UInt64, outcomes: [SyncOutcome]) {
        self.number = number
        self.clock = clock
        self.outcomes = outcomes
    }
}

/// The result of a group of changes.
public struct SyncOutcome: Hashable, Sendable, Codable {
    /// The ways in which a group can end.
    public enum Result: String, Hashable, Sendable, Codable {
        /// Applied, except for the properties that `superseded` lists.
        case taken
        /// Nothing of the group was applied; `refusals` says why.
        case refused
        /// Nothing was applied yet: the device shall send the group again, with the records in `whole` as insertions
        /// that have all their values.
        case whole
    }

    /// The group.
    public var group: Int
    /// The result.
    public var result: Result
    /// The reasons of a refusal.
    public var refusals: [SyncRefusal]
    /// Properties and records whose newer state on the server stayed.
    public var superseded: [SyncSuperseded]
    /// Inserted records that were merged into older ones because of equal unique values: older names by new name.
    public var merged: [String: UUID]
    /// Records that were deleted on the server before the change was made elsewhere, and that the server needs whole.
    public var whole: [UUID]

    /// Creates an outcome.
    public init(
        group: Int, result: Result, refusals: [SyncRefusal] = [], superseded: [SyncSuperseded] = [],
        merged: [String: UUID] = [:], whole: [UUID] = []
    ) {
        self.group = group
        self.result = result
        self.refusals = refusals
        self.superseded = superseded
        self.merged = merged
        self.whole = whole
    }
}

/// A change that lost to a newer one.
public struct SyncSuperseded: Hashable, Sendable, Codable {
    /// The record.
    public var name: UUID
    /// The property; nil if the whole record lost, to a deletion.
    public var property: String?
    /// The stamp of the change that won.
    public var by: SyncStamp

    /// Creates a description of a change that lost.
    public init(name: UUID, property: String?, by: SyncStamp) {
        self.name = name
        self.property = property
        self.by = by
    }
}

/// Why a record of a refused group could not be saved.
public struct SyncRefusal: Hashable, Sendable, Codable {
    /// The record; nil if the reason names none of the group's records.
    public var name: UUID?
    /// The error's domain: `NSCocoaErrorDomain` for validation, `CoreDataSync` for the codes of `SyncErrorCode`.
    public var domain: String
    /// The error's code, such as 1570 for a missing mandatory value.
    public var code: Int
    /// The property that the error names; nil for errors without.
    public var key: String?
    /// The error's text, for people.
    public var text: String

    /// Creates a reason.
    public init(name: UUID?, domain: String, code: Int, key: String?, text: String) {
        self.name = name
        self.domain = domain
        self.code = code
        self.key = key
        self.text = text
    }
}
