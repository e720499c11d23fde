// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A property that refers to other objects.

import Foundation

/// The effect of deleting an object on its relationship's destinations. The raw values are part of model files.
public enum NSDeleteRule: UInt, Sendable, CaseIterable {
    /// The destination keeps a dangling reference.
    case noActionDeleteRule = 0
    /// The inverse is set to nil.
    case nullifyDeleteRule = 1
    /// The destination is deleted too.
    case cascadeDeleteRule = 2
    /// The object cannot be deleted while there is a destination.
    case denyDeleteRule = 3
}

/// A relationship of an entity.
open class NSRelationshipDescription: NSPropertyDescription, @unchecked Sendable {
    /// The entity of the destination objects. The model retains it, not this relationship.
    open weak var destinationEntity: NSEntityDescription? {
        get { destinationLink?.entity }
        set {
            assertMutable()
            destinationLink = newValue?.link
        }
    }
    final private var destinationLink: EntityLink?

    /// The inverse relationship, or nil. A relationship may be its own inverse.
    ///
    /// Setting one end is sufficient: the other one is set when the model is first used.
    open weak var inverseRelationship: NSRelationshipDescription? { willSet { assertMutable() } }

    /// The inverse, if it names this relationship as its own inverse.
    ///
    /// A model may define an inverse at one end only: `Artist.thumbnail` has the inverse `Image.artist`, which has the
    /// inverse `Artist.images`. `thumbnail` is then not maintained, like a relationship without an inverse.
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

    /// Whether the destinations of a to-many relationship are ordered.
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
