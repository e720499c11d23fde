// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The description of the records that reach a user's devices.
public import CoreDataSyncProtocol
import Foundation

/// Records that reach the devices of a user: those of an entity that match a predicate, and those that they lead to.
///
/// ```swift
/// SyncShape("notes", entity: "Note", predicate: "owner == $user", follows: ["steps", "folder"])
/// ```
///
/// The variables of the predicate are those of `SyncUser`: `$user` is its id, others are its `variables`. A user has
/// the records of all shapes. With a record the device also gets the destinations of its mandatory relationships,
/// because the model's rules hold on every device. `Documentation/Shapes.md` has the rules.
public struct SyncShape: Hashable, Sendable, Codable {
    /// Identifies the shape among those of its user; devices may ask for some of them by name.
    public var name: String
    /// The entity of the records; records of its subentities belong to the shape, too.
    public var entity: String
    /// A condition in the predicate format language; nil for all records of the entity.
    public var predicate: String?
    /// Key paths of relationships, from a matching record. Their destinations belong to the shape, too.
    public var follows: [String]

    /// Creates a shape.
    public init(_ name: String, entity: String, predicate: String? = nil, follows: [String] = []) {
        self.name = name
        self.entity = entity
        self.predicate = predicate
        self.follows = follows
    }

    private enum CodingKeys: String, CodingKey {
        case name, entity, predicate, follows
    }

    /// An absent `follows` is empty.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        entity = try container.decode(String.self, forKey: .entity)
        predicate = try container.decodeIfPresent(String.self, forKey: .predicate)
        follows = try container.decodeIfPresent([String].self, forKey: .follows) ?? []
    }
}

/// Gives all users the same shapes, with variables that make them different.
///
/// ```swift
/// let notes = SyncShape("notes", entity: "Note", predicate: "owner == $user", follows: ["steps"])
/// let service = try SyncService(container: container, authority: ShapedAuthority([notes]))
/// ```
public struct ShapedAuthority: SyncAuthority {
    private let shapes: [SyncShape]
    private let mayLeave: Bool

    /// Creates an authority.
    ///
    /// - Parameters:
    ///   - shapes: those of all users.
    ///   - mayLeave: whether devices may insert records outside of their user's shapes, and change records so that they
    ///     leave them. Otherwise such changes are refused.
    public init(_ shapes: [SyncShape], mayLeave: Bool = true) {
        self.shapes = shapes
        self.mayLeave = mayLeave
    }
    /// True: the shapes decide.
    public func mayRead(entity: String, user: SyncUser) -> Bool { true }
    /// True: the shapes decide.
    public func mayWrite(entity: String, user: SyncUser) -> Bool { true }
    /// The shapes.
    public func shapes(of user: SyncUser) -> [SyncShape]? { shapes }
    /// What the authority was created with.
    public func mayLeave(entity: String, user: SyncUser) -> Bool { mayLeave }
}
