// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The identifier of a record. SwiftData-I1 to I3.

public import CoreData
import Foundation

/// Identifies a record: in every context of its container, and in other processes.
///
/// Use it to hand a model to another actor, or to remember it in a file.
///
/// ```swift
/// let data = try JSONEncoder().encode(album.persistentModelID)
/// let id = try JSONDecoder().decode(PersistentIdentifier.self, from: data)
/// let same: Album = try context.existingModel(for: id)
/// ```
///
/// An identifier that was taken before the first save stays equal to that of the record. Its encoded form has Apple's
/// keys.
///
/// - Important: may be used on any thread. `ModelContext.existingModel(for:)` throws for a record that is gone;
///   `ModelContext.model(for:)` reads nothing, and gives a model that reads as deleted then.
/// - Complexity: an identifier holds no values and keeps no model alive.
/// - SeeAlso: `PersistentModel.persistentModelID`, `ModelContext.registeredModel(for:)`, `managedObjectID`.
public struct PersistentIdentifier: Hashable, Identifiable, Equatable, Comparable, Codable, Sendable {
    /// The name itself.
    public let id: ID

    init(_ row: ModelRow) {
        let object = row.objectID
        if object.isTemporaryID { RenamedIdentifiers.noteTaken(object.recordKey) }
        id = ID(.object(object))
    }

    init(_ object: NSManagedObjectID) { id = ID(.object(object)) }

    /// The store that has the record; nil before the first save.
    public var storeIdentifier: String? { id.parts.store }
    /// The name of the entity.
    public var entityName: String { id.parts.entity }

    /// The id of `import CoreData`; nil for an identifier that was decoded, unless its record was saved by this process
    /// after the identifier was encoded.
    public var managedObjectID: NSManagedObjectID? {
        switch id.content {
        case .object(let object): RenamedIdentifiers.permanent(object.recordKey) ?? object
        case .record(let record): RenamedIdentifiers.permanent(record)
        }
    }

    /// Makes an identifier for a record of a custom store.
    ///
    /// - Throws: the error of encoding the key.
    public static func identifier<T>(
        for storeIdentifier: String, entityName: String, primaryKey: T
    ) throws -> PersistentIdentifier where T: Hashable, T: Codable, T: Sendable {
        let text: String
        if let string = primaryKey as? String {
            text = string
        } else {
            text = String(decoding: try JSONEncoder().encode(primaryKey), as: UTF8.self)
        }
        return PersistentIdentifier(
            id: ID(.record(.init(store: storeIdentifier, entity: entityName, key: text, isTemporary: false))))
    }

    private init(id: ID) { self.id = id }

    /// The record of a decoded identifier that has not been saved since the identifier was encoded; nil for others.
    var unsavedRecord: ID.Record? {
        guard case .record(let record) = id.content, record.isTemporary else { return nil }
        return record
    }

    init(record: ID.Record) { id = ID(.record(record)) }

    init(name: ID) { id = name }

    /// By store and key, which is the order of creation in fetches; those of unsaved records come last.
    public static func < (lhs: PersistentIdentifier, rhs: PersistentIdentifier) -> Bool { lhs.id < rhs.id }

    /// Reads an identifier; no container is needed.
    public init(from decoder: any Decoder) throws { id = try ID(from: decoder) }

    /// Writes store, entity and key.
    public func encode(to encoder: any Encoder) throws { try id.encode(to: encoder) }

    /// The name of a record, as a value.
    public struct ID: Hashable, Comparable, Codable, Sendable {
        enum Content: Sendable {
            case object(NSManagedObjectID)
            case record(Record)
        }

        struct Record: Hashable, Sendable {
            var store: String?
            var entity: String
            /// "p12", "t3-" and the name of the process, or the key that a custom store gave.
            var key: String
            var isTemporary: Bool
        }

        let content: Content

        init(_ content: Content) { self.content = content }

        /// The parts, permanent where the record has been saved since.
        var parts: Record {
            switch content {
            case .record(let record): RenamedIdentifiers.permanent(record).map(Record.init) ?? record
            case .object(let object):
                Record(RenamedIdentifiers.permanent(object.recordKey) ?? object)
            }
        }

        /// The same before and after the save.
        private var stableRecord: Record {
            switch content {
            case .record(let record): RenamedIdentifiers.first(of: record) ?? record
            case .object(let object):
                object.isTemporaryID ? Record(object) : RenamedIdentifiers.first(of: Record(object)) ?? Record(object)
            }
        }

        /// Whether both name one record.
        public static func == (lhs: ID, rhs: ID) -> Bool {
            if case .object(let one) = lhs.content, case .object(let other) = rhs.content {
                if one.isEqual(other) { return true }
                if one.isTemporaryID == other.isTemporaryID {
                    // The same record in another container.
                    return !one.isTemporaryID && one.persistentStore !== other.persistentStore
                        && Record(one) == Record(other)
                }
            }
            return lhs.stableRecord == rhs.stableRecord
        }

        /// The same before and after the save.
        public func hash(into hasher: inout Hasher) { hasher.combine(stableRecord.key) }

        /// By store and key, which is the order of creation in fetches; those of unsaved records come last.
        public static func < (lhs: ID, rhs: ID) -> Bool {
            let (one, other) = (lhs.parts, rhs.parts)
            if one.isTemporary != other.isTemporary { return other.isTemporary }
            return (one.store ?? "", one.number, one.entity, one.key)
                < (other.store ?? "", other.number, other.entity, other.key)
        }

        private enum CodingKeys: String, CodingKey { case implementation }

        private struct Implementation: Codable {
            let primaryKey: String
            let uriRepresentation: URL
            let isTemporary: Bool
            let storeIdentifier: String?
            let entityName: String
        }

        /// Reads an identifier; no container is needed.
        public init(from decoder: any Decoder) throws {
            let found = try decoder.container(keyedBy: CodingKeys.self)
                .decode(Implementation.self, forKey: .implementation)
            content = .record(
                Record(
                    store: found.storeIdentifier, entity: found.entityName, key: found.primaryKey,
                    isTemporary: found.isTemporary))
        }

        /// Writes store, entity and key.
        public func encode(to encoder: any Encoder) throws {
            let parts = parts
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(
                Implementation(
                    primaryKey: parts.key, uriRepresentation: parts.uri, isTemporary: parts.isTemporary,
                    storeIdentifier: parts.store, entityName: parts.entity), forKey: .implementation)
        }
    }
}

extension PersistentIdentifier.ID.Record {
    init(_ object: NSManagedObjectID) {
        let entity = object.entity.name ?? ""
        switch object.customReference {
        // A custom store has not given the record an identifier yet.
        case let provisional as UUID: self.init(store: nil, entity: entity, key: "\(provisional)", isTemporary: true)
        case let key as String: self.init(store: object.storeIdentifier, entity: entity, key: key, isTemporary: false)
        default:
            self.init(
                store: object.storeIdentifier, entity: entity,
                key: object.isTemporaryID ? "\(object.keyText)-\(Self.process)" : object.keyText,
                isTemporary: object.isTemporaryID)
        }
    }

    /// Temporary keys count from one in each process, and a name that was encoded may be decoded by another one.
    private static let process = UUID().uuidString.prefix(8)

    var uri: URL {
        let entity = entity.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? ""
        let key = key.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? ""
        return URL(string: "x-coredata://\(store ?? "")/\(entity)/\(key)") ?? URL(filePath: "/")
    }

    /// The key as a number, for the order.
    var number: Int64 { Int64(key.dropFirst().prefix { $0 != "-" }) ?? 0 }
}
