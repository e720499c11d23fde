// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Checks one value against the rules of its property, with Apple's codes.

import CoreDataFoundation
import Foundation

/// The rules of one property of one object.
struct RuleCheck {
    private let object: NSManagedObject
    private let slot: Int
    private let rules: ValidationRules

    init(_ object: NSManagedObject, _ slot: Int) {
        self.object = object
        self.slot = slot
        rules = object.table.rules
    }

    /// All failures of a value. A value of another class that the attribute can convert is replaced by one of its
    /// class.
    func failures(_ value: inout Any?) -> [NSError] {
        guard let present = Snapshot.unwrapped(value) else {
            value = nil
            return missingFailures()
        }
        let failures =
            switch object.table.layout[slot].kind {
            case .toMany: memberFailures(present)
            case .reference: destinationFailures(present)
            case .fetched: [] as [NSError]
            default: attributeFailures(present, &value)
            }
        return failures.isEmpty ? predicateFailures(value) : failures
    }

    /// The failure for a number that does not fit the attribute.
    func failure(outOfRange number: NSNumber) -> NSError {
        if number.doubleValue.isNaN { return failure(.managedObjectValidation, number, reason: "is no number") }
        return failure(number.doubleValue > 0 ? .validationNumberTooLarge : .validationNumberTooSmall, number)
    }

    /// The failure for a reference to a deleted object that no delete rule removes.
    func danglingFailure(_ destination: NSManagedObject) -> NSError {
        failure(.managedObjectValidation, destination, reason: "leads to an object that is deleted")
    }

    /// The failure for a derived attribute that has no value before the first save.
    func missingDerivedFailure() -> NSError { failure(.validationMissingMandatoryProperty, nil) }

    private func missingFailures() -> [NSError] {
        if object.table.layout[slot].kind == .toMany { return countFailures(0, nil) }
        return rules.mandatory.contains(slot) ? [failure(.validationMissingMandatoryProperty, nil)] : []
    }

    // MARK: Attributes

    private func attributeFailures(_ present: Any, _ value: inout Any?) -> [NSError] {
        guard let coerced = coerced(present) else {
            if object.table.layout[slot].kind == .integer, let number = AttributeValues.number(present) {
                return [failure(outOfRange: number)]
            }
            return [failure(.managedObjectValidation, present, reason: "cannot hold a \(type(of: present))")]
        }
        value = coerced
        return (rangeFailure(coerced) ?? nonFiniteFailure(coerced) ?? classFailure(coerced)).map { [$0] } ?? []
    }

    /// The value in the class of the attribute; nil if it cannot be converted.
    private func coerced(_ value: Any) -> Any? {
        guard let attribute = object.table.layout.attribute(slot) else { return nil }
        if attribute.attributeType == .transformableAttributeType || attribute.attributeType == .undefinedAttributeType
        {
            return value
        }
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

    private func nonFiniteFailure(_ value: Any) -> NSError? {
        switch value {
        case let date as Date:
            // As an object: describing a `Date` that is not a number traps, and so would describing the error.
            return date.timeIntervalSinceReferenceDate.isFinite ? nil : failure(.validationInvalidDate, date as NSDate)
        // Apple's framework stores such values: an object that was read with one can be saved with it.
        case let number as NSDecimalNumber where number.decimalValue.isNaN:
            if !object.isInserted, (object.committedValue(slot) as? NSDecimalNumber)?.decimalValue.isNaN == true {
                return nil
            }
            return failure(.managedObjectValidation, value, reason: "is no number")
        case let number as NSNumber where number.doubleValue.isNaN:
            return failure(.managedObjectValidation, value, reason: "is no number")
        default: return nil
        }
    }

    private func classFailure(_ value: Any) -> NSError? {
        guard let type = rules.classes.first(where: { $0.slot == slot })?.type,
            !Self.isInstance(value, of: type)
        else { return nil }
        return failure(
            .managedObjectValidation, value,
            reason: "holds objects of the class \(type), not a \(Swift.type(of: value))")
    }

    static func isInstance(_ value: Any, of type: AnyClass) -> Bool {
        let object = AttributeValues.foundationObject(value)
        return (object as? NSObject)?.isKind(of: type) ?? (Swift.type(of: object) == type)
    }

    // MARK: Relationships

    private func destinationFailures(_ value: Any) -> [NSError] {
        isDestination(value) ? [] : [wrongDestination(value)]
    }

    private func memberFailures(_ value: Any) -> [NSError] {
        let members: [Any]? =
            switch value {
            case let set as NSSet: set.allObjects
            case let set as NSOrderedSet: set.array
            case let set as Set<NSManagedObject>: Array(set)
            case let array as [Any]: array
            default: nil
            }
        guard let members, members.allSatisfy(isDestination) else { return [wrongDestination(value)] }
        return countFailures(members.count, value)
    }

    private func isDestination(_ value: Any) -> Bool {
        guard let other = value as? NSManagedObject else { return false }
        let place = object.table.layout[slot]
        let index = Int32(other.table.layout.index)
        return index >= place.destination && index < place.destinationEnd
    }

    private func wrongDestination(_ value: Any) -> NSError {
        let name = object.table.layout.relationship(slot)?.destinationEntity?.name ?? ""
        return failure(.managedObjectValidation, value, reason: "holds objects of '\(name)' alone")
    }

    private func countFailures(_ count: Int, _ value: Any?) -> [NSError] {
        guard let rule = rules.counts.first(where: { $0.slot == slot }), !rule.allows(count) else { return [] }
        if rule.most > 0, count > rule.most { return [failure(.validationRelationshipExceedsMaximumCount, value)] }
        return [failure(.validationRelationshipLacksMinimumCount, value)]
    }

    // MARK: Predicates

    private func predicateFailures(_ value: Any?) -> [NSError] {
        guard let own = rules.predicates.first(where: { $0.slot == slot }) else { return [] }
        return own.rules.filter { !$0.predicate.evaluate(with: value) }.map { rule in
            CoreDataError.validation(
                .managedObjectValidation, object: object, entity: object.entity, key: name, value: value,
                predicate: rule.predicate, warning: rule.warning)
        }
    }

    private var name: String { object.table.layout.properties[slot].name }

    private func failure(_ code: CocoaError.Code, _ value: Any?, reason: String? = nil) -> NSError {
        CoreDataError.validation(
            code, object: object, entity: object.entity, key: name, value: value, reason: reason)
    }
}
