// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Text that is compared with attributes of numbers becomes the number that it spells.

import CoreDataFoundation
import Foundation

/// `number == '1'` means the number 1, in every store and for unsaved objects. A database would read the text by rules
/// of its own, and compare text that spells no number as greater than all numbers.
struct NumericText {
    let paths: KeyPathResolver

    /// - Parameter predicate: its key paths have been checked.
    func read(_ predicate: PredicateSyntax, from layout: EntityLayout) -> PredicateSyntax {
        switch predicate {
        case .constant, .block: return predicate
        case .and(let parts): return .and(parts.map { read($0, from: layout) })
        case .or(let parts): return .or(parts.map { read($0, from: layout) })
        case .not(let part): return .not(read(part, from: layout))
        case .comparison(var comparison):
            switch comparison.operation {
            case .beginsWith, .endsWith, .contains, .like, .matches, .custom: return predicate
            default: break
            }
            let isEquality = [.equalTo, .notEqualTo, .in].contains(comparison.operation)
            if leadsToNumber(comparison.left, from: layout) {
                comparison.right = number(comparison.right, isEquality)
            } else if leadsToNumber(comparison.right, from: layout) {
                comparison.left = number(comparison.left, isEquality)
            }
            return .comparison(comparison)
        }
    }

    private func leadsToNumber(_ expression: ExpressionSyntax, from layout: EntityLayout) -> Bool {
        let text: String
        switch expression {
        case .keyPath(let path), .keyPathOn(.evaluatedObject, let path): text = path
        default: return false
        }
        guard let path = try? paths.resolve(text, from: layout), path.tail == .value, let last = path.steps.last,
            last.element == nil,
            let attribute = paths.model.layouts[last.layoutIndex].properties[last.slot] as? NSAttributeDescription
        else { return false }
        return ValueFamily(attribute) == .number
    }

    private func number(_ expression: ExpressionSyntax, _ isEquality: Bool) -> ExpressionSyntax {
        switch expression {
        case .constant(let value):
            if let members = value as? [Any] {
                guard members.contains(where: { $0 is String }) else { return expression }
                return .constant(members.map { number($0, isEquality) })
            }
            return .constant(value.map { number($0, isEquality) })
        case .aggregate(let members): return .aggregate(members.map { number($0, isEquality) })
        default: return expression
        }
    }

    /// Text that spells no number equals none, and NaN is neither less nor greater than any.
    private func number(_ value: Any, _ isEquality: Bool) -> Any {
        guard let text = value as? String else { return value }
        let trimmed = text.trimmingCharacters(in: .whitespaces)
        if let integer = Int64(trimmed) { return NSNumber(value: integer) }
        // Swift reads hexadecimal numbers, too.
        let real = trimmed.lowercased().contains("x") ? nil : Double(trimmed)
        if let real, real.isFinite { return NSNumber(value: real) }
        return isEquality ? value : NSNumber(value: Double.nan)
    }
}
