// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The columns, groups and conditions of a fetch for dictionaries, with every name looked up.

import CoreDataFoundation

struct DictionaryRequest {
    var columns: [Column]
    var groupBy: [[PathStep]] = []
    var having: PredicateSyntax?
    var isDistinct = false

    struct Column {
        /// The key in the dictionary.
        var name: String
        var value: Value
        /// nil: as the expression gives it.
        var resultType: NSAttributeType?

        enum Value {
            case property([PathStep])
            case expression(ExpressionSyntax)
            case objectID
        }
    }
}
