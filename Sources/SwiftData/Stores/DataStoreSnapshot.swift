// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The form of a record between a context and a custom store.

/// A value that a snapshot can have.
public typealias DataStoreSnapshotValue = Codable & Sendable

/// All values of one record. A custom snapshot encodes the values under the names of the class's properties, those of
/// relationships as identifiers; contexts read snapshots in this way.
public protocol DataStoreSnapshot: Codable, Sendable {
    /// Takes the values of a model that is being saved.
    ///
    /// - Parameters:
    ///   - backingData: the values, by key path.
    ///   - relatedBackingDatas: takes the values of unsaved models that this one refers to, from `DefaultSnapshot`.
    ///     Contexts do not read it.
    init(
        from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData])

    /// The record.
    var persistentIdentifier: PersistentIdentifier { get }

    /// The same values under another identifier.
    ///
    /// - Parameters:
    ///   - persistentIdentifier: the record.
    ///   - remappedIdentifiers: the permanent identifiers of related records, by their temporary ones.
    func copy(
        persistentIdentifier: PersistentIdentifier,
        remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
    ) -> Self
}

extension DataStoreSnapshot {
    /// The same values under another identifier. Identifiers of related records stay as they are.
    public func copy(persistentIdentifier: PersistentIdentifier) -> Self {
        copy(persistentIdentifier: persistentIdentifier, remappedIdentifiers: nil)
    }
}

/// The keys of encoded snapshots.
public enum DataStoreSnapshotCodingKey: CodingKey, Sendable {
    /// The record.
    case persistentIdentifier
    /// A property, by its name.
    case modeledProperty(String)

    private static let identifierName = "persistentIdentifier"
    /// Before the name of a property that reads like the identifier.
    private static let mark = "modeledProperty."

    /// The key of a name.
    public init?(stringValue: String) {
        switch stringValue {
        case Self.identifierName: self = .persistentIdentifier
        case Self.mark + Self.identifierName: self = .modeledProperty(Self.identifierName)
        default: self = .modeledProperty(stringValue)
        }
    }

    /// nil: keys are names.
    public init?(intValue: Int) { return nil }

    /// The name.
    public var stringValue: String {
        switch self {
        case .persistentIdentifier: Self.identifierName
        case .modeledProperty(Self.identifierName): Self.mark + Self.identifierName
        case .modeledProperty(let name): name
        }
    }

    /// nil: keys are names.
    public var intValue: Int? { nil }
}
