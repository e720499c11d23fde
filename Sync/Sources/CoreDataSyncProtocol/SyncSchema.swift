// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Names the version of a model in requests.
public import Foundation

/// The version of the model of a device or a server.
public struct SyncSchema: Hashable, Sendable, Codable {
    /// The version hashes of the entities that travel, by entity name; base64 in JSON.
    public var entities: [String: Data]

    /// Creates a schema from version hashes.
    public init(entities: [String: Data]) { self.entities = entities }
}
