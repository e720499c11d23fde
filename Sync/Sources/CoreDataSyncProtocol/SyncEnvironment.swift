// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The sources of times and random ids, so that a simulation can replace them.
public import Foundation

/// Where a service or a client gets times and random ids from; tests replace it.
public struct SyncEnvironment: Sendable {
    /// The wall-clock time.
    public var now: @Sendable () -> Date
    /// A new random id.
    public var makeID: @Sendable () -> UUID

    /// - Parameters:
    ///   - now: the wall-clock time; the system's unless given.
    ///   - makeID: a new random id; the system's unless given.
    public init(now: @escaping @Sendable () -> Date = { Date() }, makeID: @escaping @Sendable () -> UUID = { UUID() }) {
        self.now = now
        self.makeID = makeID
    }
}
