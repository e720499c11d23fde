// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// An attribute that consists of named attributes.

import Foundation

/// An attribute whose value is a dictionary with one entry per element. Each element can be used in key paths
/// ("address.city") and has its own column in a database.
open class NSCompositeAttributeDescription: NSAttributeDescription, @unchecked Sendable {
    /// The elements, in declared order; an element may itself be composite.
    open var elements: [NSAttributeDescription] = [] { willSet { assertMutable() } }

    public override init() {
        super.init()
        attributeType = .compositeAttributeType
    }

    override func makeEmptyCopy() -> NSPropertyDescription { NSCompositeAttributeDescription() }

    override func takeValues(of other: NSPropertyDescription) {
        super.takeValues(of: other)
        guard let other = other as? NSCompositeAttributeDescription else { return }
        elements = other.elements.compactMap { $0.copy() as? NSAttributeDescription }
    }

    override func freeze() {
        super.freeze()
        elements.forEach { $0.freeze() }
    }
}
