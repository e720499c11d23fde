// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Checks that every kind of store can compute a derivation. SQL sets the limit.

import CoreDataFoundation

package struct DerivationCheck {
    package let model: ModelLayout
    package let layout: EntityLayout

    private static let functions: Set<String> = [
        "add:to:", "from:subtract:", "multiply:by:", "divide:by:", "bitwiseAnd:with:", "bitwiseOr:with:",
        "leftshift:by:", "rightshift:by:", "count:", "sum:", "average:", "min:", "max:", "abs:", "uppercase:",
        "lowercase:", "canonical:", "now", "now:",
    ]

    /// The problem of an expression, as a sentence without its end; nil if it can be computed.
    ///
    /// - Parameter expression: with its aggregates in the form of key-value coding (`DerivedRule.plain`).
    package func reason(_ expression: ExpressionSyntax) -> String? {
        switch expression {
        case .constant: nil
        case .keyPath(let path): reason(path)
        case .keyPathOn(.subquery(.keyPath(let path), _, _), "@count"): reason(path + ".@count")
        case .function(let name, let arguments):
            Self.functions.contains(name)
                ? arguments.lazy.compactMap(reason).first : "the function '\(name)' is not known to stores"
        case .conditional(_, let one, let other): reason(one) ?? reason(other)
        default: "only an object could answer it"
        }
    }

    private func reason(_ path: String) -> String? {
        let resolved: ResolvedKeyPath
        do {
            resolved = try KeyPathResolver(model: model).resolve(path, from: layout)
        } catch {
            return "the key path '\(path)' leads nowhere"
        }
        switch resolved.tail {
        case .entity: return "'\(path)' is no value"
        case .count: return members(resolved.steps.dropLast(), resolved.steps.last, [], path)
        case .collection(_, let inner): return members(resolved.steps.dropLast(), resolved.steps.last, inner, path)
        case .value: return value(resolved.steps[...], path)
        }
    }

    private func members(_ way: ArraySlice<PathStep>, _ last: PathStep?, _ rest: [PathStep], _ path: String) -> String?
    {
        guard let last, kind(last) == .toMany else { return "'\(path)' aggregates what is no to-many" }
        if way.contains(where: { kind($0) != .reference }) { return "'\(path)' aggregates members of members" }
        return rest.isEmpty ? nil : value(rest[...], path)
    }

    private func value(_ steps: ArraySlice<PathStep>, _ path: String) -> String? {
        guard let last = steps.last, steps.dropLast().allSatisfy({ kind($0) == .reference }) else {
            return "'\(path)' is a to-many, not a value"
        }
        if [.reference, .toMany, .fetched].contains(kind(last)) { return "'\(path)' is no value" }
        let property = model.layouts[last.layoutIndex].properties[last.slot]
        if property.isTransient { return "\(property.qualifiedName) is not stored" }
        return last.element == nil && property is NSCompositeAttributeDescription ? "'\(path)' is a composite" : nil
    }

    private func kind(_ step: PathStep) -> SlotKind { model.layouts[step.layoutIndex][step.slot].kind }
}
