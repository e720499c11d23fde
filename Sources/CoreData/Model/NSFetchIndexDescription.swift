// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// An index that a store keeps over properties of an entity.

import CoreDataFoundation
public import Foundation

/// The structure of an index. The raw values are part of model files.
public enum NSFetchIndexElementType: UInt, Sendable, CaseIterable {
    /// A sorted index by value, for equality, ranges and sorting.
    case binary = 0
    /// A spatial index by intervals in several dimensions, for numbers.
    case rTree = 1
}

/// An index over one or more properties of an entity. It has no effect on results.
open class NSFetchIndexDescription: NSObject, NSCopying, @unchecked Sendable {  // written by one thread, then frozen
    /// Unique within the entity; part of the index's name in a database.
    open var name: String { willSet { assertMutable() } }

    /// The indexed elements, most significant first.
    open var elements: [NSFetchIndexElementDescription] {
        willSet { assertMutable() }
        didSet { adoptElements(replacing: oldValue) }
    }

    /// The entity the index belongs to; nil before it is added to one.
    open var entity: NSEntityDescription? { owner }

    /// Restricts the index to objects that match; nil means all.
    open var partialIndexPredicate: NSPredicate? {
        willSet { assertMutable() }
        didSet { partialPredicateText = partialIndexPredicate?.syntax.description }
    }

    /// The condition as text.
    final var partialPredicateText: String?
    final var owner: NSEntityDescription? {
        get { ownerLink?.entity }
        set { ownerLink = newValue?.link }
    }
    final private var ownerLink: EntityLink?
    final var loadingFaults: [ModelFault.Cause] = []
    final var isFrozen = false

    /// Creates an index.
    ///
    /// - Parameters:
    ///   - name: unique among the indexes of its entity.
    ///   - elements: nil means none yet.
    public init(name: String, elements: [NSFetchIndexElementDescription]?) {
        self.name = name
        self.elements = elements ?? []
        super.init()
        adoptElements(replacing: [])
    }

    /// By content: name, elements and condition.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSFetchIndexDescription else { return false }
        return self === other || document() == other.document()
    }

    /// Equal indexes have equal hashes. The hash depends on the name.
    open override var hash: Int { name.hashValue }

    /// An index without name and elements.
    public convenience override init() { self.init(name: "", elements: nil) }

    /// Copies the index with its elements. The copy belongs to no entity and is mutable.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSFetchIndexDescription(
            name: name, elements: elements.compactMap { $0.copy() as? NSFetchIndexElementDescription })
        copy.partialIndexPredicate = partialIndexPredicate
        copy.partialPredicateText = partialPredicateText
        copy.loadingFaults = loadingFaults
        return copy
    }

    final func freeze() {
        isFrozen = true
        for element in elements { element.isFrozen = true }
    }

    private func adoptElements(replacing old: [NSFetchIndexElementDescription]) {
        for element in old where element.indexDescription === self { element.indexDescription = nil }
        for element in elements { element.indexDescription = self }
    }

    private func assertMutable() {
        precondition(
            !isFrozen,
            NSManagedObjectModel.frozenSentence("The index '\(name)'")
        )
    }
}

/// One column of an index.
open class NSFetchIndexElementDescription: NSObject, NSCopying, @unchecked Sendable {  // as the index
    /// The indexed attribute, relationship, or expression.
    public final let property: NSPropertyDescription?

    /// The name of the property; "entity" refers to the entity of an object, "self" to the object.
    public final let propertyName: String?

    /// The kind of the column: `.binary` for an ordered one, `.rTree` for a range of numbers in a spatial index.
    open var collationType: NSFetchIndexElementType { willSet { assertMutable() } }

    /// True unless set.
    open var isAscending: Bool = true { willSet { assertMutable() } }

    /// The index that contains the element, or nil.
    open internal(set) weak var indexDescription: NSFetchIndexDescription?

    final var isFrozen = false

    /// Creates an ascending element.
    ///
    /// - Parameters:
    ///   - property: an attribute, a to-one relationship, or an `NSExpressionDescription`.
    ///   - collationType: `.binary` for an ordered column, `.rTree` for a range of numbers in a spatial index.
    public init(property: NSPropertyDescription, collationType: NSFetchIndexElementType) {
        self.property = property
        propertyName = property.name
        self.collationType = collationType
        super.init()
    }

    /// Copies the element. The copy has the same property, belongs to no index and is mutable.
    open func copy(with zone: NSZone? = nil) -> Any { copy(property: property) }

    /// Elements with the same name of a property, type and direction are equal, whatever index they belong to.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSFetchIndexElementDescription else { return false }
        return other === self
            || propertyName == other.propertyName && collationType == other.collationType
                && isAscending == other.isAscending
    }

    open override var hash: Int { propertyName.hashValue }

    /// An element from a file. Its property may not exist.
    init(property: NSPropertyDescription?, name: String?, collationType: NSFetchIndexElementType, isAscending: Bool) {
        self.property = property
        propertyName = name
        self.collationType = collationType
        self.isAscending = isAscending
        super.init()
    }

    /// The same column over the property of a copied entity.
    final func copy(property: NSPropertyDescription?) -> NSFetchIndexElementDescription {
        NSFetchIndexElementDescription(
            property: property, name: propertyName, collationType: collationType, isAscending: isAscending)
    }

    /// The key path that the column holds: that of the expression, or else the name of the property.
    final var indexedPath: String? {
        switch (property as? NSExpressionDescription)?.expression?.syntax {
        case .evaluatedObject?: "self"
        case .keyPath(let path)?: path
        default: propertyName
        }
    }

    private func assertMutable() {
        precondition(
            !isFrozen,
            NSManagedObjectModel.frozenSentence("The index '\(indexDescription?.name ?? "")'")
        )
    }
}
