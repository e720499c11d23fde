// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A computed column in the dictionaries that a fetch returns.

public import CoreDataFoundation
import Foundation

/// A named expression for `propertiesToFetch`; not a property of an entity.
open class NSExpressionDescription: NSPropertyDescription, @unchecked Sendable {
    /// The expression to evaluate; nil for a new description.
    open var expression: CoreDataFoundation.NSExpression? { willSet { assertMutable() } }

    /// The type of the result.
    open var expressionResultType: NSAttributeType = .undefinedAttributeType { willSet { assertMutable() } }

    /// The same as `expressionResultType`, in Apple's newer API.
    open var resultType: NSAttributeDescription.AttributeType {
        get { NSAttributeDescription.AttributeType(rawValue: expressionResultType.rawValue) }
        set {
            guard let type = NSAttributeType(rawValue: newValue.rawValue) else {
                preconditionFailure(
                    "There is no attribute type \(newValue.rawValue): use one of the constants of AttributeType.")
            }
            expressionResultType = type
        }
    }

    override func makeEmptyCopy() -> NSPropertyDescription { NSExpressionDescription() }

    override func takeValues(of other: NSPropertyDescription) {
        super.takeValues(of: other)
        guard let other = other as? NSExpressionDescription else { return }
        expression = other.expression
        expressionResultType = other.expressionResultType
    }
}
