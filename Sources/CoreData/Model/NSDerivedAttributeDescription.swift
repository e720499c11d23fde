// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// An attribute that a store computes when it saves.

public import CoreDataFoundation
import Foundation

/// An attribute computed from other properties of the object at each save. It cannot be set. A store that cannot
/// compute the expression rejects the model.
open class NSDerivedAttributeDescription: NSAttributeDescription, @unchecked Sendable {
    /// The derivation: a key path, or a function of one ("canonical:(name)", "items.@sum.price", "now()").
    ///
    /// nil for a new description, and for a malformed text in a model file.
    open var derivationExpression: CoreDataFoundation.NSExpression? {
        get { expression ?? derivationText.flatMap(Self.parse) }
        set {
            derivationText = newValue?.syntax.description
            expression = newValue
        }
    }

    /// The expression as text.
    final var derivationText: String? {
        willSet { assertMutable() }
        didSet { expression = nil }
    }
    private var expression: CoreDataFoundation.NSExpression?

    private static func parse(_ text: String) -> CoreDataFoundation.NSExpression? {
        (try? ExpressionSyntax.parsing(text)).map { CoreDataFoundation.NSExpression($0) }
    }

    override func makeEmptyCopy() -> NSPropertyDescription { NSDerivedAttributeDescription() }

    override func takeValues(of other: NSPropertyDescription) {
        super.takeValues(of: other)
        derivationText = (other as? NSDerivedAttributeDescription)?.derivationText
    }
}
