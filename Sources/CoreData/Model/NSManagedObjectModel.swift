// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A data model: its entities, configurations and named requests.

import CoreDataModelFiles
public import Foundation

/// A set of entities that refer to each other, usually read from a file.
///
/// A model is mutable until a coordinator uses it; a change after that traps. From then on it is immutable and may be
/// used from any thread.
open class NSManagedObjectModel: NSObject, NSCopying, @unchecked Sendable {  // written by one thread, then frozen
    /// The entities of the model, in no particular order. Setting it also adds the subentities of the entities.
    open var entities: [NSEntityDescription] {
        get { members }
        set {
            assertMutable()
            for entity in members where entity.model === self { entity.model = nil }
            members = Self.withSubentities(newValue)
            // An entity in use by a coordinator keeps its previous model.
            for entity in members where !entity.isFrozen || entity.model == nil { entity.model = self }
        }
    }

    /// The entities by name.
    open var entitiesByName: [String: NSEntityDescription] {
        frozenEntitiesByName ?? Dictionary(members.map { ($0.name ?? "", $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The names of the configurations, sorted. The default configuration, with all entities, has no name.
    open var configurations: [String] { configured.keys.sorted() }

    /// Identifiers of this version, set by the model's author and stored in the metadata of stores.
    open var versionIdentifiers: Set<AnyHashable> = [] { willSet { assertMutable() } }

    /// Translations of the model's names for user interfaces. nil unless set.
    open var localizationDictionary: [String: String]? { willSet { assertMutable() } }

    final private var members: [NSEntityDescription] = []
    final private(set) var configured: [String: [NSEntityDescription]] = [:]
    final private var frozenEntitiesByName: [String: NSEntityDescription]?
    final private let freezing = NSLock()
    /// The named requests in the form of model files.
    final var fetchRequestDocuments: [String: ModelDocument.FetchRequest] = [:]
    final var loadingFaults: [ModelFault] = []

    public override init() { super.init() }

    /// Compares by content, see `ModelEquality`.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSManagedObjectModel else { return false }
        return self === other || ModelEquality.areEqual(self, other)
    }

    /// Equal models have equal hashes.
    open override var hash: Int { Set(members.map(\.name)).hashValue }

    /// The entities of a configuration.
    ///
    /// - Parameter configuration: nil means all entities.
    /// - Returns: nil when there is no such configuration.
    open func entities(forConfigurationName configuration: String?) -> [NSEntityDescription]? {
        guard let configuration, configuration != Self.defaultConfiguration else { return entities }
        return configured[configuration]
    }

    /// Defines a configuration: the entities of one store.
    open func setEntities(_ entities: [NSEntityDescription], forConfigurationName configuration: String) {
        assertMutable()
        configured[configuration] = entities
    }

    /// Copies the model with all entities. The copy is mutable.
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
    /// The name of the configuration with all entities, in Apple's stores and files.
    static let defaultConfiguration = "PF_DEFAULT_CONFIGURATION_NAME"

    /// The name of the same configuration in Xcode.
    private static let shownDefaultConfiguration = "Default"

    /// The entities of a store that is opened with a configuration.
    ///
    /// - Parameter configuration: nil means all entities. So does a name that the model does not define, if it is
    ///   Xcode's name of the default configuration, or if the model defines no configurations at all.
    /// - Returns: nil for any other name that the model does not define.
    package func entitiesOfStore(configuration: String?) -> [NSEntityDescription]? {
        if let entities = entities(forConfigurationName: configuration) { return entities }
        return configured.isEmpty || configuration == Self.shownDefaultConfiguration ? entities : nil
    }

    var isFrozen: Bool { freezing.withLock { frozenEntitiesByName != nil } }

    /// Makes the model immutable. A coordinator calls it after `check()`.
    ///
    /// Sets inverses at both ends if only one end has one.
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

    /// The message of the trap for a change to a frozen model.
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
