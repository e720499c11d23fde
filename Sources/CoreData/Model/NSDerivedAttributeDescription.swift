// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// An attribute whose value a store computes when it saves.

import Foundation

/// An attribute computed from other properties of the object at each save. It cannot be set, and a store that cannot
/// compute the expression refuses the model.
open class NSDerivedAttributeDescription: NSAttributeDescription, @unchecked Sendable {
    /// The text of the expression as it stands in a model file.
    final var derivationText: String? { willSet { assertMutable() } }

    override func makeEmptyCopy() -> NSPropertyDescription { NSDerivedAttributeDescription() }

    override func takeValues(of other: NSPropertyDescription) {
        super.takeValues(of: other)
        derivationText = (other as? NSDerivedAttributeDescription)?.derivationText
    }
}
