// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Checks that the validation rules of a property can be parsed and fulfilled.

import CoreDataFoundation
import CoreDataModelFiles
import Foundation

/// Describes faults in texts of the predicate language that a model contains.
enum ModelRules {
    /// The faults of a property's validation rules.
    static func sentences(_ property: NSPropertyDescription) -> [String] {
        var limits: [String: (least: Double?, most: Double?)] = [:]
        var sentences: [String] = []
        for rule in property.validationDocuments {
            if let sentence = sentence(ofPredicate: rule.format, "its rule") { sentences.append(sentence) }
        }
        for rule in property.validationPredicates { note(rule.syntax, in: &limits) }
        for (subject, bounds) in limits.sorted(by: { $0.key < $1.key }) {
            guard let least = bounds.least, let most = bounds.most, least > most else { continue }
            sentences.append("the minimum of \(subject) is above the maximum, so no value is valid")
        }
        return sentences
    }

    /// nil for a text that can be parsed.
    static func sentence(ofPredicate text: String, _ title: String) -> String? {
        do {
            _ = try PredicateSyntax.parsing(text)
            return nil
        } catch {
            return "\(title) '\(text)' cannot be read: \(error.message)"
        }
    }

    /// nil for a text that can be parsed.
    static func sentence(ofExpression text: String, _ title: String) -> String? {
        do {
            _ = try ExpressionSyntax.parsing(text)
            return nil
        } catch {
            return "\(title) '\(text)' cannot be read: \(error.message)"
        }
    }

    /// Reads the bounds from rules of the forms `SELF >= 1` and `length <= 20`.
    private static func note(_ rule: PredicateSyntax, in limits: inout [String: (least: Double?, most: Double?)]) {
        guard case .comparison(let comparison) = rule, case .constant(let value?) = comparison.right else { return }
        let subject: String
        switch comparison.left {
        case .evaluatedObject: subject = "the value"
        case .keyPath("length"), .keyPathOn(.evaluatedObject, "length"): subject = "the length"
        default: return
        }
        let date = (value as? Date)?.timeIntervalSinceReferenceDate
        guard let bound = date ?? (value as? NSNumber)?.doubleValue else { return }
        switch comparison.operation {
        case .greaterThanOrEqualTo, .greaterThan: limits[subject, default: (nil, nil)].least = bound
        case .lessThanOrEqualTo, .lessThan: limits[subject, default: (nil, nil)].most = bound
        default: break
        }
    }
}
