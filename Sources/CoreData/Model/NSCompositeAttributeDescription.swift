// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// An attribute made of named attributes.

import Foundation

/// An attribute whose value is a dictionary with one entry per element. Each element may be used in key paths
/// ("address.city") and has a column of its own in a database.
open class NSCompositeAttributeDescription: NSAttributeDescription, @unchecked Sendable {
    /// The parts, in declared order; a part may itself be composite.
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
