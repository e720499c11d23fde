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
}

extension SyncAuthority {
    /// nil: all records of the readable entities.
    public func shapes(of user: SyncUser) -> [SyncShape]? { nil }
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
    /// The greatest number of bytes or characters of one value.
    public var valueSize = 64 << 20
    /// The greatest number of records in a page.
    public var pageSize = 2_000
    /// About the greatest number of bytes of a page's records; a page has at least one.
    public var pageBytes = 4 << 20
    /// How far a stamp may be ahead of the server's clock, in seconds; a later stamp is replaced.
    public var clockLead: TimeInterval = 24 * 3600

    /// The usual bounds.
    public init() {}
}
