// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Rejects functions of properties with a type that the function does not support.

import CoreDataFoundation
import Foundation

/// Checks arguments that are key paths, and aggregates in key paths.
struct FunctionCheck {
    let model: ModelLayout

    private static let ofNumbers: Set<String> = [
        "sum:", "average:", "median:", "stddev:", "sqrt:", "log:", "ln:", "exp:", "floor:", "ceiling:", "abs:",
        "trunc:", "multiply:by:", "divide:by:", "modulus:by:", "raise:toPower:", "bitwiseAnd:with:",
        "bitwiseOr:with:", "bitwiseXor:with:", "leftshift:by:", "rightshift:by:", "onesComplement:",
    ]
    private static let ofText: Set<String> = ["uppercase:", "lowercase:", "canonical:"]

    /// - Throws: 134060 for a sum of strings, an uppercase number, and the like.
    func check(_ function: String, of argument: CheckedPath) throws {
        guard argument.path.tail == .value, let last = argument.path.steps.last, last.element == nil else { return }
        try check(function, last, argument)
    }

    /// `members.@sum.name`.
    func check(_ path: CheckedPath) throws {
        guard case .collection(let operation, let steps) = path.path.tail, let last = steps.last else { return }
        switch operation {
        case "sum", "avg": try check(operation == "sum" ? "sum:" : "average:", last, path)
        default: break
        }
    }

    private func check(_ function: String, _ last: PathStep, _ path: CheckedPath) throws {
        let wanted: ValueFamily
        if Self.ofNumbers.contains(function) {
            wanted = .number
        } else if Self.ofText.contains(function) {
            wanted = .text
        } else {
            return
        }
        let layout = model.layouts[last.layoutIndex]
        let held: String
        switch layout.properties[last.slot] {
        case let attribute as NSAttributeDescription:
            guard let own = ValueFamily(attribute), own != wanted else { return }
            held = own.rawValue
        case is NSRelationshipDescription: held = "objects"
        default: return
        }
        throw CoreDataError.general(
            "'\(function)' works on \(wanted.rawValue), and '\(path.layout.name).\(path.text)' holds \(held). "
                + layout.attributes(holding: wanted))
    }
}
