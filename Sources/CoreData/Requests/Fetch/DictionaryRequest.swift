// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The columns, groups and conditions of a fetch for dictionaries, with every name looked up.

import CoreDataFoundation

package struct DictionaryRequest {
    package var columns: [Column]
    package var groupBy: [Group] = []
    package var having: PredicateSyntax?
    package var isDistinct = false
    /// The order of groups, if the program sorts and cuts them. A store that sorts groups exactly may cut them; all
    /// others return every group, in any order.
    package var window: GroupWindow?

    /// A value that the objects of a group share.
    package struct Group {
        package var path: [PathStep]
        /// nil for the whole value.
        package var part: DatePart?
    }

    package struct Column {
        /// The key in the dictionary.
        package var name: String
        package var value: Value
        /// nil keeps the type of the expression's value.
        package var resultType: NSAttributeType?

        package enum Value {
            case property([PathStep])
            /// The part of a date by which rows are grouped.
            case datePart([PathStep], DatePart)
            case expression(ExpressionSyntax)
            case objectID
        }
    }
}

/// The first groups, in an order by columns.
package struct GroupWindow {
    package struct Order {
        /// The name of a column.
        package var column: String
        package var isAscending: Bool
    }

    /// No two groups are equal in it.
    package var orders: [Order]
    /// nil for all groups.
    package var limit: Int?
}

/// An entry of `propertiesToFetch` and `propertiesToGroupBy`: a part of the date at a key path.
package struct DatePartProperty {
    package var name: String
    package var path: String
    package var part: DatePart
}

extension DictionaryRequest {
    /// Whether a column is a part of dates, which no custom store knows.
    var hasDateParts: Bool { groupBy.contains { $0.part != nil } }

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
