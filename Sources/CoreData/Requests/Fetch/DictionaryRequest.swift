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
        /// nil keeps the type of the expression's value.
        package var resultType: NSAttributeType?

        package enum Value {
            case property([PathStep])
            case expression(ExpressionSyntax)
            case objectID
        }
    }
}

extension DictionaryRequest {
    /// Whether a column or the condition on groups has an object as a constant.
    var namesObjects: Bool {
        var found = false
        func look(_ part: ExpressionSyntax) -> ExpressionSyntax? {
            guard case .constant(let value?) = part else { return nil }
            found = found || value is ObjectArgument || (value as? [Any])?.contains { $0 is ObjectArgument } == true
            return nil
        }
        _ = having?.mapping(look)
        for column in columns {
            if case .expression(let expression) = column.value { _ = expression.mapping(look) }
        }
        return found
    }
}
