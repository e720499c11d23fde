// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A kind of object: its properties, its place in the inheritance tree, its constraints and indexes.

public import Foundation

/// An entity of a model.
///
/// An entity keeps its own properties and subentities alive; the model keeps the entities. Inherited properties are
/// looked up through `superentity`, so a change to an ancestor shows in its heirs. A description can be changed until a
/// coordinator uses its model; a change after that traps. From then on it is immutable and may be used from any thread.
open class NSEntityDescription: NSObject, NSCopying, @unchecked Sendable {  // written by one thread, then frozen
    /// By content, see `ModelEquality`: the same name, class, place and properties. Entities of two models may be equal.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSEntityDescription else { return false }
        return self === other || ModelEquality.areEqual(self, other)
    }

    /// The same for equal entities. It changes with the name.
    open override var hash: Int { name.hashValue }

    /// The model the entity belongs to.
    ///
    /// - Important: traps for an entity that belongs to no model, or whose model is gone.
    open var managedObjectModel: NSManagedObjectModel {
        guard let model else {
            preconditionFailure(
                "The entity '\(name ?? "")' belongs to no model: add it to the 'entities' of one and keep that model.")
        }
        return model
    }

    /// Letters, digits and underscores; unique within the model. nil for a new description.
    open var name: String? { willSet { assertMutable() } }

    /// The class of the entity's objects, with or without the name of its module in front. "NSManagedObject" unless
    /// set.
    open var managedObjectClassName: String! {
        get { explicitClassName ?? "NSManagedObject" }
        set {
            assertMutable()
            explicitClassName = newValue
        }
    }

    /// Whether only subentities have objects.
    open var isAbstract: Bool = false { willSet { assertMutable() } }

    /// The entity this one inherits from; set by adding this one to the `subentities` of the other.
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

    /// All properties: own ones, then inherited ones. Setting it sets the own ones; inherited ones among them are
    /// passed over.
    ///
    /// A property belongs to one entity: one that belonged to another is taken from there.
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

    /// Anything the author of the model noted here; has no effect. Empty unless set.
    open var userInfo: [AnyHashable: Any]? = [:] { willSet { assertMutable() } }

    /// Makes the version hash differ where nothing else does.
    open var versionHashModifier: String? { willSet { assertMutable() } }

    /// The name the entity had in the previous version of the model; its own name unless set, or when set to nil.
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

    /// Combinations of attributes no two objects may share; nil in one of them frees the object from the constraint.
    ///
    /// Each is an array of attribute names or `NSAttributeDescription`s. Those of the superentity come first; setting
    /// it sets the own ones, and inherited ones among them are passed over.
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
    /// For whoever leads to the entity without holding it.
    final let link = EntityLink()
    final private var superLink: EntityLink?
    final var explicitClassName: String?
    final var explicitRenamingIdentifier: String?
    /// Without the inherited ones.
    final private(set) var ownProperties: [NSPropertyDescription] = []
    final private(set) var ownUniquenessConstraints: [[Any]] = []
    final private var legacyIndexes: [[Any]] = []
    final private var children: [NSEntityDescription] = []
    /// What a model file says of synchronisation; has no effect.
    final var isSyncable = true { willSet { assertMutable() } }
    final private(set) var frozenIndex: PropertyIndex?
    final private(set) var frozenVersionHash: Data?

    public override init() {
        super.init()
        link.begin(self)
    }

    deinit { link.end() }

    /// All relationships, inherited ones included, that lead to an entity or to one it inherits from.
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

    /// An entity with copies of the own properties, indexes and subentities. It belongs to no model, has no
    /// superentity, and can be changed. Relationships keep their destinations.
    open func copy(with zone: NSZone? = nil) -> Any { EntityCopy.copy(self) }
}

extension NSEntityDescription {
    /// Stops walks along a cycle of superentities, which `check()` reports.
    static let deepestInheritance = 1_000

    /// The properties by name, built at each question of a model under construction and once of a frozen one.
    struct PropertyIndex {
        let properties: [NSPropertyDescription]
        let propertiesByName: [String: NSPropertyDescription]
        let attributesByName: [String: NSAttributeDescription]
        let relationshipsByName: [String: NSRelationshipDescription]

        init(_ properties: [NSPropertyDescription]) {
            self.properties = properties
            // Own properties come before inherited ones, so the nearest of a name wins.
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
    var uniquenessConstraintNames: [[String]] { uniquenessConstraints.map(Self.names(of:)) }

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
