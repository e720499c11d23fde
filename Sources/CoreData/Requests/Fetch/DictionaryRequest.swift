// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The columns, groups and conditions of a fetch for dictionaries, with every name looked up.

import CoreDataFoundation

package struct DictionaryRequest {
    package var columns: [Column]
    package var groupBy: [[PathStep]] = []
    package var having: PredicateSyntax?
    package var isDistinct = false

    package struct Column {
        /// The key in the dictionary.
        package var name: String
        package var value: Value
        /// nil: as the expression gives it.
        package var resultType: NSAttributeType?

        package enum Value {
            case property([PathStep])
            case expression(ExpressionSyntax)
            case objectID
        }
    }
}
