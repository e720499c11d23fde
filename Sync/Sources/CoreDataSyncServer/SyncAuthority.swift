// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The app's decisions about users and their rights, and the bounds of requests.
public import CoreDataSyncProtocol
public import Foundation

/// Decides which records a user's devices may read and write.
///
/// Called on the queue of the service's context, so it must not wait for the service.
public protocol SyncAuthority: Sendable {
    /// Whether records of an entity reach the user's devices.
    func mayRead(entity: String, user: SyncUser) -> Bool
    /// Whether the user's devices may insert, change and delete records of an entity.
    func mayWrite(entity: String, user: SyncUser) -> Bool
    /// The shapes of the records that reach the user's devices; nil for all records of the readable entities.
    ///
    /// A device may change only records of its user's shapes, and link only to them. The answer may change at any time:
    /// the device then pulls everything anew, and records of former shapes leave it.
    func shapes(of user: SyncUser) -> [SyncShape]?
    /// Whether the user's devices may insert a record of an entity outside of the user's shapes, or change one so that
    /// it leaves them. The record then leaves the device. Otherwise the change is refused with `notPermitted` and the
    /// property that the predicate has.
    func mayLeave(entity: String, user: SyncUser) -> Bool
}

extension SyncAuthority {
    /// nil: all records of the readable entities.
    public func shapes(of user: SyncUser) -> [SyncShape]? { nil }
    /// True: a record can be given away.
    public func mayLeave(entity: String, user: SyncUser) -> Bool { true }
}

/// Allows everything: for one user's devices with one database.
public struct OpenAuthority: SyncAuthority {
    /// Creates an authority.
    public init() {}
    /// True.
    public func mayRead(entity: String, user: SyncUser) -> Bool { true }
    /// True.
    public func mayWrite(entity: String, user: SyncUser) -> Bool { true }
}

/// The bounds of requests. A request beyond one is refused with `tooLarge`, and changes nothing.
public struct SyncLimits: Sendable {
    /// The greatest number of changes in a batch.
    public var changes = 200_000
    /// The greatest number of bytes or characters of one value that is in the batch itself.
    public var valueSize = 64 << 20
    /// The greatest number of bytes of one large value, and of those of a batch together. The server has them in memory
    /// while it applies the batch.
    public var largeValueSize: Int64 = 1 << 30
    /// The greatest number of bytes of large values that one user may send before batches name them.
    public var uploadSize: Int64 = 4 << 30
    /// The seconds after its last use after which a compaction removes a large value that was sent.
    public var uploadAge: TimeInterval = 24 * 3600
    /// The greatest number of records in a page.
    public var pageSize = 2_000
    /// About the greatest number of bytes of a page's records; a page has at least one.
    public var pageBytes = 4 << 20
    /// How far a stamp may be ahead of the server's clock, in seconds; a later stamp is replaced.
    public var clockLead: TimeInterval = 24 * 3600

    /// The sizes of the protocol; tests have others.
    package var large = LargeDataSizes()

    /// The usual bounds.
    public init() {}
}
