// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Errors of the client that are no answers of the server.

/// Why a client cannot sync.
public enum SyncFailure: Error, Equatable, Sendable {
    /// The container's store cannot be synced; the text says why.
    case unsuitableStore(String)
    /// The address cannot be that of a server; the text says why.
    case unsuitableServer(String)
    /// The app's history does not have the place up to which it was captured, nor an earlier known one: the history was
    /// purged, or the store was replaced by one that this sidecar does not belong to.
    case unknownStore
    /// The app saves faster than a request takes, so that pulled pages could not be applied between two saves.
    case busy
}
