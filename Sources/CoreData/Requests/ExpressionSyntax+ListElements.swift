// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The members of a list that stands in a predicate.

import CoreDataFoundation
import Foundation

extension ExpressionSyntax {
    /// The members when this is a list, written out or given as a constant; nil when it is something else.
    var listElements: [ExpressionSyntax]? {
        switch self {
        case .aggregate(let elements): elements
        case .constant(let value?): members(of: value)?.map { ExpressionSyntax.constant($0) }
        default: nil
        }
    }
}
