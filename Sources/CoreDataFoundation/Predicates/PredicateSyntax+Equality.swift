// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compares syntax trees part by part, and closures by identity.

import Foundation

extension PredicateSyntax: Equatable {
    package static func == (left: PredicateSyntax, right: PredicateSyntax) -> Bool {
        switch (left, right) {
        case (.constant(let left), .constant(let right)): left == right
        case (.comparison(let left), .comparison(let right)): left == right
        case (.and(let left), .and(let right)): left == right
        case (.or(let left), .or(let right)): left == right
        case (.not(let left), .not(let right)): left == right
        case (.block(let left), .block(let right)): left === right || (left.owner != nil && left.owner === right.owner)
        default: false
        }
    }
}

extension ComparisonSyntax: Equatable {
    package static func == (left: ComparisonSyntax, right: ComparisonSyntax) -> Bool {
        left.operation == right.operation && left.modifier == right.modifier && left.options == right.options
            && left.match === right.match && left.left == right.left && left.right == right.right
    }
}

extension ExpressionSyntax: Equatable {
    package static func == (left: ExpressionSyntax, right: ExpressionSyntax) -> Bool {
        switch (left, right) {
        case (.constant(let left), .constant(let right)): PredicateConstants.areEqual(left, right)
        case (.evaluatedObject, .evaluatedObject), (.anyKey, .anyKey): true
        case (.variable(let left), .variable(let right)): left == right
        case (.keyPath(let left), .keyPath(let right)): left == right
        case (.keyPathOn(let left, let leftPath), .keyPathOn(let right, let rightPath)):
            leftPath == rightPath && left == right
        case (.function(let left, let leftArguments), .function(let right, let rightArguments)):
            left == right && leftArguments == rightArguments
        case (.aggregate(let left), .aggregate(let right)): left == right
        // An array is written as a list of its members, so it equals that list.
        case (.aggregate(let members), .constant(let list)), (.constant(let list), .aggregate(let members)):
            PredicateConstants.areEqual(list, members)
        case (.subquery(let left, let leftName, let leftPart), .subquery(let right, let rightName, let rightPart)):
            leftName == rightName && left == right && leftPart == rightPart
        case (.setOperation(let left, let left1, let left2), .setOperation(let right, let right1, let right2)):
            left == right && left1 == right1 && left2 == right2
        case (.conditional(let left, let left1, let left2), .conditional(let right, let right1, let right2)):
            left == right && left1 == right1 && left2 == right2
        case (.index(let left, let leftPosition), .index(let right, let rightPosition)):
            leftPosition == rightPosition && left == right
        case (.block(let left, let leftArguments), .block(let right, let rightArguments)):
            (left === right || (left.owner != nil && left.owner === right.owner)) && leftArguments == rightArguments
        default: false
        }
    }
}

extension ExpressionSyntax.IndexPosition: Equatable {
    package static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.first, .first), (.last, .last), (.size, .size): true
        case (.at(let left), .at(let right)): left == right
        default: false
        }
    }
}

/// Equality and text of constants.
package enum PredicateConstants {
    /// Numbers are equal by value across types; so are `true` and 1.
    package static func areEqual(_ left: Any?, _ right: Any?) -> Bool {
        guard let left = presentValue(left), let right = presentValue(right) else {
            return presentValue(left) == nil && presentValue(right) == nil
        }
        if let left = left as? any ValueCollection, let right = right as? any ValueCollection {
            return ValueComparison.areEqual(left, right)
        }
        if let left = left as? NSNumber, let right = right as? NSNumber {
            return left.isEqual(right) || text(of: left) == text(of: right)
        }
        guard let left = left as? NSObject, let right = right as? NSObject else {
            return ValueComparison.areEqual(left, right)
        }
        return left.isEqual(right)
    }

    /// Whether a collection has exactly these members, in this order if it is ordered.
    fileprivate static func areEqual(_ list: Any?, _ members: [ExpressionSyntax]) -> Bool {
        guard let list = list as? any ValueCollection, list.memberCount == members.count else { return false }
        guard list.isUnordered else {
            return zip(list.members, members).allSatisfy { .constant(presentValue($0)) == $1 }
        }
        return list.members.allSatisfy { member in members.contains { .constant(presentValue(member)) == $0 } }
    }
}
