// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// FETCH: an expression whose value is the result of a fetch request.

public import CoreDataFoundation
import Foundation

/// The type of fetch request expressions.
public let NSFetchRequestExpressionType = NSExpression.ExpressionType.fetchRequest

/// An expression whose value is the result of a fetch request, as `FETCH(request, context, NO)` in a format.
///
/// ```swift
/// let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
/// let books = NSFetchRequestExpression.expression(
///     forFetch: NSExpression(forConstantValue: request), context: NSExpression(forConstantValue: context),
///     countOnly: false)
/// let found = books.expressionValue(with: nil, context: nil) as? [NSManagedObject]
/// ```
///
/// Evaluate it on the context's queue. Stores do not translate it: a fetch request whose predicate contains it throws.
open class NSFetchRequestExpression: NSExpression, @unchecked Sendable {  // immutable, as its superclass
    /// Makes an expression from the arguments of FETCH.
    ///
    /// - Parameters:
    ///   - fetch: an expression whose value is an `NSFetchRequest`.
    ///   - context: an expression whose value is an `NSManagedObjectContext`.
    ///   - countFlag: `true` for the number of results instead of an array.
    open class func expression(
        forFetch fetch: NSExpression, context: NSExpression, countOnly countFlag: Bool
    ) -> NSExpression {
        NSFetchRequestExpression(
            .function(
                name: PredicateFunctions.fetch, arguments: [fetch.syntax, context.syntax, .constant(countFlag)]))
    }

    /// The expression for the fetch request.
    open var requestExpression: NSExpression { NSExpression(parts[0]) }

    /// The expression for the context.
    open var contextExpression: NSExpression { NSExpression(parts[1]) }

    /// Whether the value is the number of results.
    open var isCountOnlyRequest: Bool {
        guard case .constant(let value) = parts[2] else { return false }
        return value as? Bool ?? false
    }

    /// The three arguments of FETCH.
    private var parts: [ExpressionSyntax] {
        guard case .function(PredicateFunctions.fetch, let arguments) = syntax, arguments.count == 3 else {
            preconditionFailure(
                "'\(self)' is no FETCH: make it with NSFetchRequestExpression.expression(forFetch:context:countOnly:).")
        }
        return arguments
    }
}
