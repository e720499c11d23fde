// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A property that leads to other objects.

import Foundation

/// What happens to the other end when an object is deleted. The raw values stand in model files.
public enum NSDeleteRule: UInt, Sendable, CaseIterable {
    /// Nothing: the other end keeps a reference that leads nowhere.
    case noActionDeleteRule = 0
    /// The inverse is cleared.
    case nullifyDeleteRule = 1
    /// The destination is deleted too.
    case cascadeDeleteRule = 2
    /// The deletion is refused while there is a destination.
    case denyDeleteRule = 3
}

/// A relationship of an entity.
open class NSRelationshipDescription: NSPropertyDescription, @unchecked Sendable {
    /// The entity of the objects at the other end. Not kept alive: the model does that.
    open weak var destinationEntity: NSEntityDescription? {
        get { destinationLink?.entity }
        set {
            assertMutable()
            destinationLink = newValue?.link
        }
    }
    final private var destinationLink: EntityLink?

    /// The relationship that leads back, nil if there is none. A relationship may be its own inverse.
    ///
    /// It is enough to set one end: the other one takes it over when the model is first used.
    open weak var inverseRelationship: NSRelationshipDescription? { willSet { assertMutable() } }

    /// The inverse, if it names this relationship as its own inverse.
    ///
    /// A model may name an inverse on one side only: `Artist.thumbnail` has the inverse `Image.artist`, which has the inverse
    /// `Artist.images`. Nothing keeps the ends of `thumbnail` in step then, as with a relationship without an inverse.
    var mutualInverse: NSRelationshipDescription? {
        guard let inverse = inverseRelationship, inverse.inverseRelationship === self else { return nil }
        return inverse
    }

    /// The most destinations an object may have: 1 makes a to-one relationship, 0 means no limit.
    open var maxCount: Int = 0 { willSet { assertMutable() } }

    /// The fewest destinations an object may have if it has any; 0 means no limit.
    open var minCount: Int = 0 { willSet { assertMutable() } }

    /// `nullifyDeleteRule` unless set.
    open var deleteRule: NSDeleteRule = .nullifyDeleteRule { willSet { assertMutable() } }

    /// Whether the destinations of a to-many relationship have an order of their own.
    open var isOrdered: Bool = false { willSet { assertMutable() } }

    /// True unless `maxCount` is 1.
    open var isToMany: Bool { maxCount != 1 }

    override func makeEmptyCopy() -> NSPropertyDescription { NSRelationshipDescription() }

    override func takeValues(of other: NSPropertyDescription) {
        super.takeValues(of: other)
        guard let other = other as? NSRelationshipDescription else { return }
        destinationEntity = other.destinationEntity
        inverseRelationship = other.inverseRelationship
        maxCount = other.maxCount
        minCount = other.minCount
        deleteRule = other.deleteRule
        isOrdered = other.isOrdered
    }
}
