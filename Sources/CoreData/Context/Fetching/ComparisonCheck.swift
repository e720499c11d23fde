// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Rejects comparisons of operands that can never be equal because of their types.

import CoreDataFoundation
import Foundation

/// A key path in a predicate, and the property at its end.
struct CheckedPath {
    let path: ResolvedKeyPath
    /// As written, without the variable at its beginning.
    let text: String
    /// The entity at its beginning.
    let layout: EntityLayout
}

/// Checks comparisons of a key path with values. Computed operands are checked when they are computed.
struct ComparisonCheck {
    let model: ModelLayout

    /// - Throws: 134060 for a value of another class, an object in place of a value, a value in place of an object, and
    ///   several values in place of one; also for members of lists and for bounds.
    func check(_ left: CheckedPath, with right: ExpressionSyntax, _ comparison: ComparisonSyntax) throws {
        switch comparison.operation {
        case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo, .equalTo, .notEqualTo:
            try check(left, value: right, comparison)
        case .in: try checkMembers(left, right)
        case .between: try checkBounds(left, right, comparison)
        case .contains where isMany(left.path) && comparison.modifier == .direct: try checkValue(left, right)
        case .contains, .beginsWith, .endsWith, .like, .matches: try checkText(left, right, comparison)
        case .custom, .matching: break
        }
    }

    /// `value == path`, `value IN path` and similar comparisons.
    func check(_ value: ExpressionSyntax, before right: CheckedPath, _ comparison: ComparisonSyntax) throws {
        switch comparison.operation {
        case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo, .equalTo, .notEqualTo:
            try check(right, value: value, comparison)
        case .in where isMany(right.path): try checkValue(right, value)
        case .contains where value.listElements != nil:
            for member in value.listElements ?? [] { try checkValue(right, member) }
        default: break
        }
    }

    // MARK: Kinds of comparisons

    private func check(_ path: CheckedPath, value: ExpressionSyntax, _ comparison: ComparisonSyntax) throws {
        try checkNumber(path, value, comparison)
        try checkValue(path, value, mayBeList: false)
    }

    private func checkMembers(_ path: CheckedPath, _ list: ExpressionSyntax) throws {
        if let members = list.listElements {
            for member in members { try checkValue(path, member) }
        } else if case .constant(let value?) = list, isForeign(value) {
            throw CoreDataError.general(
                "'\(name(path))' is looked for in a \(type(of: value)), which is no list: IN takes an array or a set.")
        }
    }

    private func checkBounds(_ path: CheckedPath, _ bounds: ExpressionSyntax, _ comparison: ComparisonSyntax) throws {
        guard let list = bounds.listElements else { return }
        guard list.count == 2 else {
            throw CoreDataError.general(
                "'\(name(path))' is compared with \(list.count == 1 ? "one bound" : "\(list.count) bounds"): BETWEEN takes two."
            )
        }
        for bound in list {
            try checkNumber(path, bound, comparison)
            try checkValue(path, bound)
        }
    }

    private func checkText(_ path: CheckedPath, _ other: ExpressionSyntax, _ comparison: ComparisonSyntax) throws {
        guard path.path.tail == .value, let last = path.path.steps.last, last.element == nil else { return }
        try checkNumber(path, other, comparison)
        if let destination = destination(last) {
            throw CoreDataError.general(
                "'\(name(path))' holds objects of '\(destination.name)', which have no text to look into: name a property. "
                    + destination.attributes(holding: .text))
        }
        guard let own = family(last) else { return }
        guard own.hasText else {
            throw CoreDataError.general(
                "'\(name(path))' holds \(own.rawValue), which have no text to look into. "
                    + model.layouts[last.layoutIndex].attributes(holding: .text))
        }
        guard own == .text, case .constant(let value?) = other, let family = ValueFamily(value: value),
            !own.accepts(value, of: family)
        else { return }
        throw mismatch(path, last, own, value, family)
    }

    // MARK: Values

    private func checkNumber(_ path: CheckedPath, _ other: ExpressionSyntax, _ comparison: ComparisonSyntax) throws {
        guard path.path.tail == .value, comparison.modifier == .direct, isMany(path.path),
            case .constant(let value?) = other, ValueFamily(value: value) != nil
        else { return }
        throw CoreDataError.general(
            "'\(name(path))' leads through a to-many relationship to many values, which are compared with one: write ANY, ALL or "
                + "NONE before it, or compare '\(path.text).@count'.")
    }

    private func checkValue(_ path: CheckedPath, _ other: ExpressionSyntax, mayBeList: Bool = true) throws {
        guard path.path.tail == .value, let last = path.path.steps.last, last.element == nil,
            case .constant(let value?) = other
        else { return }
        guard let family = ValueFamily(value: value) else {
            return try checkForeign(path, last, value, mayBeList: mayBeList)
        }
        if let destination = destination(last) {
            throw CoreDataError.general(
                "'\(name(path))' holds objects of '\(destination.name)', which are compared with a value (\(type(of: value))): compare "
                    + "with an object, an id or nil, or name a property: \(destination.propertyList).")
        }
        guard let own = self.family(last), !own.accepts(value, of: family) else { return }
        throw mismatch(path, last, own, value, family)
    }

    /// A value of a class that no attribute can have would equal nothing.
    private func checkForeign(_ path: CheckedPath, _ last: PathStep, _ value: Any, mayBeList: Bool) throws {
        if !mayBeList, let own = family(last), ExpressionSyntax.constant(value).listElements != nil {
            throw CoreDataError.general(
                "'\(name(path))' holds \(own.rawValue), of which one is compared with a list (\(type(of: value))): write IN, "
                    + "or compare with a member of the list.")
        }
        guard isForeign(value) else { return }
        let isObject = value is NSManagedObject || value is NSManagedObjectID
        if let destination = destination(last) {
            if isObject { return }
            throw CoreDataError.general(
                "'\(name(path))' holds objects of '\(destination.name)', which are compared with a \(type(of: value)): compare "
                    + "with an object, an id or nil, or name a property: \(destination.propertyList).")
        }
        guard let own = family(last) else { return }
        throw CoreDataError.general(
            "'\(name(path))' holds \(own.rawValue): they cannot be compared with "
                + (isObject
                    ? "an object: name a relationship, or 'objectID'."
                    : "a \(type(of: value)), which no attribute holds: compare with its raw value, or with a member of it.")
        )
    }

    /// Whether a value is of a class that is compared by identity or cannot be compared.
    private func isForeign(_ value: Any) -> Bool {
        switch ComparableValue(value) {
        case .object(let object): ExpressionSyntax.constant(object).listElements == nil
        case .other(let other): ExpressionSyntax.constant(other).listElements == nil
        default: false
        }
    }

    private func mismatch(
        _ path: CheckedPath, _ last: PathStep, _ own: ValueFamily, _ value: Any, _ family: ValueFamily
    ) -> NSError {
        CoreDataError.general(
            "'\(name(path))' holds \(own.rawValue): they cannot be compared with \(family.rawValue) (\(type(of: value))). "
                + model.layouts[last.layoutIndex].attributes(holding: family))
    }

    // MARK: The model

    private func name(_ path: CheckedPath) -> String { "\(path.layout.name).\(path.text)" }

    private func isMany(_ path: ResolvedKeyPath) -> Bool {
        path.steps.contains { model.layouts[$0.layoutIndex][$0.slot].kind == .toMany }
    }

    private func destination(_ step: PathStep) -> EntityLayout? {
        let place = model.layouts[step.layoutIndex][step.slot]
        return place.kind == .reference || place.kind == .toMany ? model.layouts[Int(place.destination)] : nil
    }

    private func family(_ step: PathStep) -> ValueFamily? {
        (model.layouts[step.layoutIndex].properties[step.slot] as? NSAttributeDescription).flatMap { ValueFamily($0) }
    }
}
