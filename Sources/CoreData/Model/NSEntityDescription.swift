// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// An entity: its properties, its place in the inheritance tree, its constraints and indexes.

public import Foundation

/// An entity of a model.
///
/// An entity retains its own properties and subentities; the model retains the entities. Inherited properties are
/// looked up through `superentity`, so a change to an ancestor affects its descendants. A description is mutable
/// until a coordinator uses its model; a change after that traps. From then on it is immutable, apart from its user
/// info, and may be used from any thread.
open class NSEntityDescription: NSObject, NSCopying, @unchecked Sendable {  // written by one thread, then frozen
    /// Compares by content, see `ModelEquality`: name, class, place and properties. Entities of two models
    /// may be equal.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSEntityDescription else { return false }
        return self === other || ModelEquality.areEqual(self, other)
    }

    /// Equal entities have equal hashes. The hash depends on the name.
    open override var hash: Int { name.hashValue }

    /// The model the entity belongs to.
    ///
    /// - Important: traps for an entity without a model, or with a deallocated one.
    open var managedObjectModel: NSManagedObjectModel {
        guard let model else {
            preconditionFailure(
                "The entity '\(name ?? "")' belongs to no model: add it to the 'entities' of one and keep that model.")
        }
        return model
    }

    /// Letters, digits and underscores; unique within the model. nil for a new description.
    open var name: String? { willSet { assertMutable() } }

    // Implicitly unwrapped as in Apple's interface.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The class of the entity's objects, optionally with its module. "NSManagedObject" unless set.
    open var managedObjectClassName: String! {
        get { explicitClassName ?? "NSManagedObject" }
        set {
            assertMutable()
            explicitClassName = newValue
        }
    }

    /// Whether only subentities have objects.
    open var isAbstract: Bool = false { willSet { assertMutable() } }

    /// The entity this one inherits from. Set by adding this entity to the `subentities` of the other.
    open internal(set) weak var superentity: NSEntityDescription? {
        get { superLink?.entity }
        set { superLink = newValue?.link }
    }

    /// The entities that inherit from this one directly.
    open var subentities: [NSEntityDescription] {
        get { children }
        set {
            assertMutable()
            for child in children where child.superentity === self { child.superentity = nil }
            children = newValue
            for child in newValue {
                child.assertMutable()
                if let other = child.superentity, other !== self { other.children.removeAll { $0 === child } }
                child.superentity = self
            }
        }
    }

    /// The direct subentities by name.
    open var subentitiesByName: [String: NSEntityDescription] {
        Dictionary(children.map { ($0.name ?? "", $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// All properties: own ones, then inherited ones. Setting it sets the own ones and ignores inherited ones
    /// in the list.
    ///
    /// A property belongs to one entity. Adding it to a second entity removes it from the first.
    open var properties: [NSPropertyDescription] {
        get { frozenIndex?.properties ?? allProperties }
        set {
            assertMutable()
            let inherited = superentity?.allProperties ?? []
            for property in ownProperties where property.owner === self { property.owner = nil }
            ownProperties = newValue.filter { property in !inherited.contains { $0 === property } }
            for property in ownProperties {
                property.assertMutable()
                if let other = property.owner, other !== self { other.ownProperties.removeAll { $0 === property } }
                property.owner = self
            }
        }
    }

    /// All properties by name, inherited ones included.
    open var propertiesByName: [String: NSPropertyDescription] { index.propertiesByName }

    /// All attributes by name, inherited ones included.
    open var attributesByName: [String: NSAttributeDescription] { index.attributesByName }

    /// All relationships by name, inherited ones included.
    open var relationshipsByName: [String: NSRelationshipDescription] { index.relationshipsByName }

    /// Custom entries of the model's author, without effect. Empty unless set. May be set at any time on any thread,
    /// also while a coordinator uses the model.
    open var userInfo: [AnyHashable: Any]? {
        get { authorInfo.value }
        set { authorInfo.value = newValue }
    }

    /// Changes the version hash even if nothing else changes.
    open var versionHashModifier: String? { willSet { assertMutable() } }

    /// The name of the entity in the previous version of the model; its own name unless set, or if set to nil.
    open var renamingIdentifier: String? {
        get { explicitRenamingIdentifier ?? name }
        set {
            assertMutable()
            explicitRenamingIdentifier = newValue
        }
    }

    /// The entity's own indexes.
    open var indexes: [NSFetchIndexDescription] = [] {
        willSet { assertMutable() }
        didSet {
            for index in oldValue where index.owner === self { index.owner = nil }
            for index in indexes { index.owner = self }
        }
    }

    /// Combinations of attributes that must be unique. An object with nil in one of them is exempt from the constraint.
    ///
    /// Each is an array of attribute names or `NSAttributeDescription`s. Those of the superentity come first. Setting
    /// it sets the own ones and ignores inherited ones in the list.
    open var uniquenessConstraints: [[Any]] {
        get { (superentity?.uniquenessConstraints ?? []) + ownUniquenessConstraints }
        set {
            assertMutable()
            let inherited = superentity?.uniquenessConstraintNames ?? []
            ownUniquenessConstraints = newValue.filter { !inherited.contains(Self.names(of: $0)) }
        }
    }

    /// Combinations of properties to index, by name or description.
    @available(*, deprecated, message: "Use indexes instead")
    open var compoundIndexes: [[Any]] {
        get { legacyIndexes }
        set {
            assertMutable()
            legacyIndexes = newValue
        }
    }

    final weak var model: NSManagedObjectModel?
    /// For code that refers to the entity without retaining it.
    final let link = EntityLink()
    final private var superLink: EntityLink?
    final private let authorInfo = AuthorInfo()
    final var explicitClassName: String?
    final var explicitRenamingIdentifier: String?
    /// The properties without the inherited ones.
    final private(set) var ownProperties: [NSPropertyDescription] = []
    final private(set) var ownUniquenessConstraints: [[Any]] = []
    final private var legacyIndexes: [[Any]] = []
    final private var children: [NSEntityDescription] = []
    /// Data that a higher folder attaches to the entity (`EntityCompanion`); set before the entity is used.
    @exclusivity(unchecked) package final var companion: AnyObject?
    /// The synchronisation setting of a model file; has no effect.
    final var isSyncable = true { willSet { assertMutable() } }
    final private(set) var frozenIndex: PropertyIndex?
    final private(set) var frozenVersionHash: Data?

    public override init() {
        super.init()
        link.begin(self)
    }

    deinit {
        link.end()
        // A file may have a chain of any length, which `ModelCheck` refuses after the entities are made.
        if !children.isEmpty { NestedReleases.empty(&children) }
    }

    /// All relationships, including inherited ones, to the entity or one of its ancestors.
    open func relationships(forDestination entity: NSEntityDescription) -> [NSRelationshipDescription] {
        index.properties.compactMap { $0 as? NSRelationshipDescription }
            .filter { $0.destinationEntity.map(entity.isKindOf(entity:)) ?? false }
    }

    /// Whether this is the given entity or inherits from it.
    open func isKindOf(entity: NSEntityDescription) -> Bool {
        var ancestor: NSEntityDescription? = self
        var steps = 0
        while let current = ancestor, steps < Self.deepestInheritance {
            if current === entity { return true }
            ancestor = current.superentity
            steps += 1
        }
        return false
    }

    /// Copies the entity with its own properties, indexes and subentities. The copy belongs to no model, has no
    /// superentity, and is mutable. Relationships keep their destinations.
    open func copy(with zone: NSZone? = nil) -> Any { EntityCopy.copy(self) }
}

extension NSEntityDescription {
    /// Ends loops over a cycle of superentities, which `check()` reports.
    static let deepestInheritance = 1_000

    /// The properties by name, built for each access to a mutable model and once for a frozen one.
    final class PropertyIndex {
        let properties: [NSPropertyDescription]
        let propertiesByName: [String: NSPropertyDescription]
        let attributesByName: [String: NSAttributeDescription]
        let relationshipsByName: [String: NSRelationshipDescription]

        init(_ properties: [NSPropertyDescription]) {
            self.properties = properties
            // Own properties precede inherited ones, so the nearest of a name is used.
            propertiesByName = Dictionary(properties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
            attributesByName = propertiesByName.compactMapValues { $0 as? NSAttributeDescription }
            relationshipsByName = propertiesByName.compactMapValues { $0 as? NSRelationshipDescription }
        }
    }

    var isFrozen: Bool { frozenIndex != nil }

    /// From this entity up to the root.
    var lineage: [NSEntityDescription] {
        var result = [self]
        while let next = result.last?.superentity, result.count < Self.deepestInheritance { result.append(next) }
        return result
    }

    /// The names in each constraint, the superentity's constraints first.
    package var uniquenessConstraintNames: [[String]] { uniquenessConstraints.map(Self.names(of:)) }

    /// The names in each constraint that the superentity does not have.
    var ownUniquenessConstraintNames: [[String]] { ownUniquenessConstraints.map(Self.names(of:)) }

    func freeze(versionHash: Data) {
        guard frozenIndex == nil else { return }
        frozenVersionHash = versionHash
        for property in ownProperties { property.freeze() }
        for index in indexes { index.freeze() }
        frozenIndex = PropertyIndex(allProperties)
    }

    func assertMutable() {
        precondition(
            frozenIndex == nil,
            NSManagedObjectModel.frozenSentence("The entity '\(name ?? "")'")
        )
    }

    private var index: PropertyIndex { frozenIndex ?? PropertyIndex(allProperties) }

    private var allProperties: [NSPropertyDescription] { lineage.flatMap(\.ownProperties) }

    private static func names(of constraint: [Any]) -> [String] {
        constraint.map { ($0 as? NSPropertyDescription)?.name ?? ($0 as? String) ?? "\($0)" }
    }
}
