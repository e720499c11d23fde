// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Checks an object against the rules of its model, with Apple's codes.

import CoreDataFoundation
import Foundation

extension NSManagedObject {
    /// Everything that the model says of values; all failures, in one error.
    final func validateProperties() throws {
        if !table.validatesItself, isFineByRules { return }
        var errors: [NSError] = []
        for slot in 0..<table.layout.slotCount {
            let place = table.layout[slot]
            guard !place.isTransient, place.kind != .fetched, !place.isDerived else { continue }
            if place.kind == .toMany, !table.countedSlots.contains(slot) { continue }
            do {
                // Through the method that a class may override for rules of its own.
                var value = ValidationValue(self, slot)
                try validateValue(&value.current, forKey: table.layout.properties[slot].name)
                value.storeIfChanged()
            } catch {
                errors.append(error as NSError)
            }
        }
        if let error = CoreDataError.multipleValidation(errors) { throw error }
    }

    /// Whether the rules of the model find nothing, told from the block itself. `false` means: look closer.
    private var isFineByRules: Bool {
        let rules = table.rules
        let row = realized
        for slot in rules.mandatory where row.isNull(slot) { return false }
        for (slot, range) in rules.integers where !row.isNull(slot) && !range.contains(row.integer(slot)) {
            return false
        }
        for rule in rules.predicates where !row.isNull(rule.slot) {
            let value = self.value(at: rule.slot)
            for (predicate, _) in rule.rules where !predicate.evaluate(with: value) { return false }
        }
        return rules.counts.isEmpty
    }

    /// One value against the rules of its property.
    final func validate(_ value: inout Any?, _ key: String) throws {
        guard let slot = table.layout.slotNumbers[key] else {
            preconditionFailure("'\(table.layout.name)' has no property '\(key)' to validate")
        }
        let errors = RuleCheck(self, slot).failures(&value)
        if let error = CoreDataError.multipleValidation(errors) { throw error }
    }

    /// Relationships whose delete rule is Deny must be empty, or lead to objects that are deleted as well.
    final func validateDenyRules() throws {
        var errors: [NSError] = []
        for slot in table.rules.denying {
            let isInTheWay =
                table.layout[slot].kind == .toMany
                ? members(slot).contains { !$0.isDeleted } : destination(slot).map { !$0.isDeleted } ?? false
            guard isInTheWay else { continue }
            let key = table.layout.properties[slot].name
            errors.append(
                CoreDataError.validation(
                    .validationRelationshipDeniedDelete, object: self, entity: entity, key: key,
                    value: self.value(at: slot)))
        }
        if let error = CoreDataError.multipleValidation(errors) { throw error }
    }
}

/// A value on its way through a validation that may replace it.
private struct ValidationValue {
    private let object: NSManagedObject
    private let slot: Int
    private let original: Any?
    var current: Any?

    init(_ object: NSManagedObject, _ slot: Int) {
        self.object = object
        self.slot = slot
        original = object.value(at: slot)
        current = original
    }

    func storeIfChanged() {
        switch (original, current) {
        case (nil, nil): return
        case (let one?, let two?) where AttributeValues.isEqual(one, two): return
        default: object.setCodedValue(current, forKey: object.table.layout.properties[slot].name)
        }
    }
}

/// The rules of one property of one object.
private struct RuleCheck {
    private let object: NSManagedObject
    private let slot: Int
    private let property: NSPropertyDescription
    private let rules: ValidationRules

    init(_ object: NSManagedObject, _ slot: Int) {
        self.object = object
        self.slot = slot
        property = object.table.layout.properties[slot]
        rules = object.table.rules
    }

    func failures(_ value: inout Any?) -> [NSError] {
        let kind = object.table.layout[slot].kind
        if kind == .toMany { return countFailures(value) }
        guard let present = Snapshot.unwrapped(value) else {
            return rules.mandatory.contains(slot) ? [failure(.validationMissingMandatoryProperty, nil)] : []
        }
        if kind != .reference {
            guard let coerced = coerced(present) else { return [failure(.managedObjectValidation, present)] }
            value = coerced
            if let failure = rangeFailure(coerced) { return [failure] }
        }
        guard let own = rules.predicates.first(where: { $0.slot == slot }) else { return [] }
        let checked = value
        return own.rules.filter { !$0.predicate.evaluate(with: checked) }.map { rule in
            failure(.managedObjectValidation, present, rule.predicate, rule.warning)
        }
    }

    /// The value in the class of the attribute; nil when it has none.
    private func coerced(_ value: Any) -> Any? {
        guard object.table.layout.attribute(slot) != nil else { return value }
        if object.table.layout[slot].kind == .box { return value }
        let row = Snapshot.make(object.table.layout)
        return row.setValue(value, slot) ? row.value(slot) : nil
    }

    private func rangeFailure(_ value: Any) -> NSError? {
        guard let range = rules.integers.first(where: { $0.slot == slot })?.range,
            let number = (value as? NSNumber)?.int64Value
        else { return nil }
        if number > range.upperBound { return failure(.validationNumberTooLarge, value) }
        return number < range.lowerBound ? failure(.validationNumberTooSmall, value) : nil
    }

    private func countFailures(_ value: Any?) -> [NSError] {
        guard let rule = rules.counts.first(where: { $0.slot == slot }) else { return [] }
        let count = (value as? NSSet)?.count ?? (value as? NSOrderedSet)?.count ?? 0
        if count == 0 {
            // Optional means that none is fine, whatever the minimum.
            if rule.isOptional { return [] }
            return [
                failure(
                    rule.least > 0 ? .validationRelationshipLacksMinimumCount : .validationMissingMandatoryProperty,
                    value)
            ]
        }
        if count < rule.least { return [failure(.validationRelationshipLacksMinimumCount, value)] }
        if rule.most > 0, count > rule.most { return [failure(.validationRelationshipExceedsMaximumCount, value)] }
        return []
    }

    private func failure(
        _ code: CocoaError.Code, _ value: Any?, _ predicate: NSPredicate? = nil, _ warning: Any? = nil
    ) -> NSError {
        CoreDataError.validation(
            code, object: object, entity: object.entity, key: property.name, value: value, predicate: predicate,
            warning: warning)
    }
}
