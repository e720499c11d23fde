// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The members of a list in a predicate.

import CoreDataFoundation
import Foundation

extension ExpressionSyntax {
    /// The members of a list, literal or constant; nil for any other expression.
    var listElements: [ExpressionSyntax]? {
        switch self {
        case .aggregate(let elements): elements
        case .constant(let value?): members(of: value)?.map { ExpressionSyntax.constant($0) }
        default: nil
        }
    }
}
