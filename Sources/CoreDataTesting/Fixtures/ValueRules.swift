// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the rules of an attribute: limits, lengths, patterns and lists of values.

import CoreData
import Foundation

// Foundation has unusable classes of these names.
private typealias NSExpression = CoreData.NSExpression
private typealias NSPredicate = CoreData.NSPredicate
private typealias NSComparisonPredicate = CoreData.NSComparisonPredicate
private typealias NSCompoundPredicate = CoreData.NSCompoundPredicate

/// The rules of one attribute. A predicate of another form stays in `all`, against which every value is tried.
struct ValueRules {
    private(set) var least: Double?
    private(set) var most: Double?
    private(set) var leastLength: Int?
    private(set) var mostLength: Int?
    private(set) var pattern: String?
    private(set) var choices: [Any]?
    let all: [CoreData.NSPredicate]
    /// Whether the values of the attribute are whole numbers.
    private let isWhole: Bool

    init(_ attribute: NSAttributeDescription) {
        all = attribute.validationPredicates
        isWhole = [.integer16AttributeType, .integer32AttributeType, .integer64AttributeType]
            .contains(attribute.attributeType)
        for predicate in all { read(predicate) }
    }

    /// The first rule that a value breaks.
    func broken(by value: Any) -> CoreData.NSPredicate? { all.first { !$0.evaluate(with: value) } }

    private mutating func read(_ predicate: NSPredicate) {
        if let compound = predicate as? NSCompoundPredicate, compound.compoundPredicateType == .and {
            for part in compound.subpredicates { read(part) }
            return
        }
        guard let comparison = predicate as? NSComparisonPredicate else { return }
        let (left, right) = (comparison.leftExpression, comparison.rightExpression)
        guard let constant = Self.constant(right) else { return }
        let isLength =
            left.expressionType == .keyPath && ["length", "SELF.length", "self.length"].contains(left.keyPath)
        guard isLength || left.expressionType == .evaluatedObject else { return }
        switch comparison.predicateOperatorType {
        case .greaterThanOrEqualTo: limit(constant, isLength, isLeast: true, step: 0)
        case .greaterThan: limit(constant, isLength, isLeast: true, step: 1)
        case .lessThanOrEqualTo: limit(constant, isLength, isLeast: false, step: 0)
        case .lessThan: limit(constant, isLength, isLeast: false, step: -1)
        case .equalTo where isLength:
            leastLength = Self.number(constant).map { Int($0) }
            mostLength = leastLength
        case .equalTo: choices = [constant]
        case .between:
            guard let bounds = constant as? [Any], bounds.count == 2 else { return }
            limit(bounds[0], isLength, isLeast: true, step: 0)
            limit(bounds[1], isLength, isLeast: false, step: 0)
        case .matches: if !isLength { pattern = constant as? String }
        case .in: if !isLength { choices = (constant as? [Any]) ?? (constant as? NSSet)?.allObjects ?? choices }
        default: break
        }
    }

    private static func constant(_ expression: NSExpression) -> Any? {
        switch expression.expressionType {
        case .constantValue: return expression.constantValue
        case .aggregate:
            let parts = expression.collection as? [NSExpression]
            return parts.map { $0.compactMap(constant) }
        default: return nil
        }
    }

    private mutating func limit(_ constant: Any, _ isLength: Bool, isLeast: Bool, step: Double) {
        guard let number = Self.number(constant) else { return }
        // The next whole number or length. A fraction or date that equals the limit is found when it is tried.
        let value = isLength || isWhole ? number + step : number
        switch (isLength, isLeast) {
        case (true, true): leastLength = max(leastLength ?? 0, Int(value.rounded(.up)))
        case (true, false): mostLength = min(mostLength ?? .max, Int(value.rounded(.down)))
        case (false, true): least = max(least ?? -.infinity, value)
        case (false, false): most = min(most ?? .infinity, value)
        }
    }

    /// Dates are numbers of seconds since 2001.
    private static func number(_ constant: Any) -> Double? {
        switch constant {
        case let date as Date: date.timeIntervalSinceReferenceDate
        case let number as NSNumber: number.doubleValue
        default: nil
        }
    }
}
