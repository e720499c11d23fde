// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// An attribute that consists of named attributes.

import Foundation

/// An attribute whose value is a dictionary with one entry per element. Each element can be used in key paths
/// ("address.city") and has its own column in a database. If it has no default value, a new object has the default
/// values of the elements.
open class NSCompositeAttributeDescription: NSAttributeDescription, @unchecked Sendable {
    /// The elements, in declared order; an element may itself be composite.
    open var elements: [NSAttributeDescription] = [] { willSet { assertMutable() } }

    override var initialValue: Any? {
        if let defaultValue { return defaultValue }
        var values: [String: Any] = [:]
        for element in elements { if let value = element.initialValue { values[element.name] = value } }
        return values.isEmpty ? nil : values
    }

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
