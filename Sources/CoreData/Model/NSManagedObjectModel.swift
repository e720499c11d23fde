// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A data model: its entities, its configurations, its named requests.

import CoreDataModelFiles
public import Foundation

/// A set of entities that refer to each other, usually read from a file.
///
/// A model can be changed until a coordinator uses it; a change after that traps. From then on it is immutable and may
/// be used from any thread.
open class NSManagedObjectModel: NSObject, NSCopying, @unchecked Sendable {  // written by one thread, then frozen
    /// The entities of the model, in no order that means anything. Subentities of the entities given come along.
    open var entities: [NSEntityDescription] {
        get { members }
        set {
            assertMutable()
            for entity in members where entity.model === self { entity.model = nil }
            members = Self.withSubentities(newValue)
            // An entity that a coordinator uses in another model goes on belonging to that one.
            for entity in members where !entity.isFrozen || entity.model == nil { entity.model = self }
        }
    }

    /// The entities by name.
    open var entitiesByName: [String: NSEntityDescription] {
        frozenEntitiesByName ?? Dictionary(members.map { ($0.name ?? "", $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The names of the configurations, sorted. The default one, which holds all entities, has no name.
    open var configurations: [String] { configured.keys.sorted() }

    /// Names given to this version by the author of the model; they are kept in the metadata of stores.
    open var versionIdentifiers: Set<AnyHashable> = [] { willSet { assertMutable() } }

    /// Translations of the names in the model, for user interfaces. nil unless set.
    open var localizationDictionary: [String: String]? { willSet { assertMutable() } }

    final private var members: [NSEntityDescription] = []
    final private(set) var configured: [String: [NSEntityDescription]] = [:]
    final private var frozenEntitiesByName: [String: NSEntityDescription]?
    final private let freezing = NSLock()
    /// The named requests of a model file.
    /// The named requests, as model files have them.
    final var fetchRequestDocuments: [String: ModelDocument.FetchRequest] = [:]
    final var loadingFaults: [ModelFault] = []

    public override init() { super.init() }

    /// By content, see `ModelEquality`.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSManagedObjectModel else { return false }
        return self === other || ModelEquality.areEqual(self, other)
    }

    /// The same for equal models.
    open override var hash: Int { Set(members.map(\.name)).hashValue }

    /// The entities of a configuration.
    ///
    /// - Parameter configuration: nil means all entities.
    /// - Returns: nil when there is no such configuration.
    open func entities(forConfigurationName configuration: String?) -> [NSEntityDescription]? {
        guard let configuration, configuration != Self.defaultConfiguration else { return entities }
        return configured[configuration]
    }

    /// Declares or changes a configuration: the entities that one store holds.
    open func setEntities(_ entities: [NSEntityDescription], forConfigurationName configuration: String) {
        assertMutable()
        configured[configuration] = entities
    }

    /// A model with copies of all entities that can be changed.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSManagedObjectModel()
        let copies = EntityCopy.copy(members)
        let counterparts = Dictionary(
            zip(members.map(ObjectIdentifier.init), copies), uniquingKeysWith: { first, _ in first })
        copy.entities = copies
        for (name, entities) in configured {
            copy.setEntities(entities.compactMap { counterparts[ObjectIdentifier($0)] }, forConfigurationName: name)
        }
        copy.versionIdentifiers = versionIdentifiers
        copy.localizationDictionary = localizationDictionary
        copy.fetchRequestDocuments = fetchRequestDocuments
        copy.loadingFaults = loadingFaults
        return copy
    }
}

extension NSManagedObjectModel {
    /// How stores and files of Apple's name the configuration that holds everything.
    static let defaultConfiguration = "PF_DEFAULT_CONFIGURATION_NAME"

    var isFrozen: Bool { freezing.withLock { frozenEntitiesByName != nil } }

    /// Makes the model immutable. Called by a coordinator, after `check()`.
    ///
    /// Inverses that were set on one end alone are set on the other.
    func freeze() {
        freezing.withLock {
            guard frozenEntitiesByName == nil else { return }
            for entity in members where !entity.isFrozen {
                for case let relationship as NSRelationshipDescription in entity.ownProperties {
                    if let inverse = relationship.inverseRelationship, inverse.inverseRelationship == nil {
                        inverse.inverseRelationship = relationship
                    }
                }
            }
            var hasher = VersionHasher()
            for entity in members { entity.freeze(versionHash: hasher.hash(entity)) }
            frozenEntitiesByName = Dictionary(
                members.map { ($0.name ?? "", $0) }, uniquingKeysWith: { first, _ in first })
        }
    }

    func assertMutable() {
        precondition(
            !isFrozen, Self.frozenSentence("The model")
        )
    }

    /// What a change to a frozen model traps with.
    static func frozenSentence(_ subject: String) -> String {
        "\(subject) cannot be changed: a coordinator uses the model. Copy the model and change the copy."
    }

    private static func withSubentities(_ entities: [NSEntityDescription]) -> [NSEntityDescription] {
        var seen: Set<ObjectIdentifier> = []
        var result: [NSEntityDescription] = []
        for entity in entities where seen.insert(ObjectIdentifier(entity)).inserted { result.append(entity) }
        var next = 0
        while next < result.count {
            for child in result[next].subentities where seen.insert(ObjectIdentifier(child)).inserted {
                result.append(child)
            }
            next += 1
        }
        return result
    }
}
