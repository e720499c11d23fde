// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Checks an object against the rules of its model, with Apple's codes.

import CoreDataFoundation
import Foundation

extension NSManagedObject {
    /// Checks all rules of the model for the object's values; combines all failures into one error.
    final func validateProperties(forInsertion: Bool) throws {
        if heldTable.look({ !$0.validatesItself }), satisfiesRules(forInsertion) { return }
        var errors: [any Error] = forInsertion ? derivedFailures() : []
        for slot in 0..<table.layout.slotCount {
            let place = table.layout[slot]
            guard !place.isTransient, place.kind != .fetched, !place.isDerived else { continue }
            if place.kind == .toMany, !table.checkedMembers.contains(slot), deletedMember(slot) == nil { continue }
            do {
                try validateProperty(slot)
            } catch {
                errors.append(error)
            }
        }
        if let error = CoreDataError.multipleValidation(errors) { throw error }
    }

    private func validateProperty(_ slot: Int) throws {
        if let number = outOfRangeNumber(slot) { throw RuleCheck(self, slot).failure(outOfRange: number) }
        if let gone = deletedDestination(slot) ?? deletedMember(slot) {
            throw RuleCheck(self, slot).danglingFailure(gone)
        }
        // Through `validateValue`, which a class may override.
        var value = ValidationValue(self, slot)
        try validateValue(&value.current, forKey: table.layout.properties[slot].name)
        try value.storeIfChanged()
    }

    /// Whether the block violates no rule of the model. `false` means that the rules must be checked one by one.
    private func satisfiesRules(_ forInsertion: Bool) -> Bool {
        fireFault(nil)
        let rules = heldTable.look { $0.heldRules }
        guard let heldRow, heldRow.look({ row in rules.look { $0.findsNothingPlain(in: row) } }) else { return false }
        if flags.contains(.referencesDeleted) || withExistingExtension({ $0.hasOutOfRange }) == true { return false }
        return rules.look { $0.hasOnlyPlainRules } || satisfiesRules(forInsertion, rules.object)
    }

    /// The rules that examine more than a number.
    private func satisfiesRules(_ forInsertion: Bool, _ rules: ValidationRules) -> Bool {
        let row = realized
        if forInsertion { for slot in rules.mandatoryDerived where row.isNull(slot) { return false } }
        for slot in rules.decimals where (row.box(slot)?.value as? NSDecimalNumber)?.decimalValue.isNaN == true {
            return false
        }
        for rule in rules.classes {
            if let value = row.value(rule.slot), !RuleCheck.isInstance(value, of: rule.type) { return false }
        }
        for slot in rules.unguarded where deletedDestination(slot) != nil { return false }
        for rule in rules.counts where !rule.allows(members(rule.slot).count) { return false }
        for rule in rules.predicates where table.layout[rule.slot].kind == .toMany || !row.isNull(rule.slot) {
            let value = self.value(at: rule.slot)
            for (predicate, _) in rule.rules where !predicate.evaluate(with: value) { return false }
        }
        return true
    }

    /// A value that was set but does not fit the attribute; nil if the attribute has another value since.
    private func outOfRangeNumber(_ slot: Int) -> NSNumber? {
        guard let number = objectExtension?.uncommon?.outOfRange[slot], let row = snapshot, !row.isNull(slot) else {
            return nil
        }
        return row.integer(slot) == Snapshot.nearestInteger(number) ? number : nil
    }

    /// The destination of a to-one relationship if this save would write a dangling reference: the destination is
    /// deleted by the same save, or was deleted before the reference was set. References that were already dangling at
    /// the last save are not reported. If a Deny rule blocks the deletion, only that error is.
    private func deletedDestination(_ slot: Int) -> NSManagedObject? {
        guard table.layout[slot].kind == .reference, let reference = snapshot?.reference(slot),
            let other = objectExtension?.destinations[Int(table.layout[slot].ordinal)]
                ?? table.owner?.registeredObject(at: reference, from: self)
        else { return nil }
        if other.isMarkedDeleted {
            if other.isMissing(below: self, slot) { return nil }
            return table.layout.relationship(slot)?.mutualInverse?.deleteRule == .denyDeleteRule ? nil : other
        }
        return other.table.owner == nil && slotDiffers(slot, objectExtension?.committed, nil) ? other : nil
    }

    /// A deleted member that this save would add: it was deleted before it became a member.
    private func deletedMember(_ slot: Int) -> NSManagedObject? {
        guard flags.contains(.referencesDeleted), table.layout[slot].kind == .toMany,
            table.layout.relationship(slot)?.inverseRelationship?.deleteRule != .denyDeleteRule
        else { return nil }
        return objectExtension?.members[Int(table.layout[slot].ordinal)]?.added.objects.first(where: \.isMarkedDeleted)
    }

    private func derivedFailures() -> [NSError] {
        table.rules.mandatoryDerived.filter(realized.isNull).map { RuleCheck(self, $0).missingDerivedFailure() }
    }

    /// Checks one value against the rules of its property. Unknown keys are left to the class.
    final func validate(_ value: inout Any?, _ key: String) throws {
        guard let slot = table.layout.slotNumbers[key] else { return }
        let errors = RuleCheck(self, slot).failures(&value)
        if let error = CoreDataError.multipleValidation(errors) { throw error }
    }

    /// Relationships with the delete rule Deny must be empty, or have only destinations that are deleted as well.
    final func validateDenyRules() throws {
        if heldTable.look({ $0.rules.denying.isEmpty }) { return }
        var errors: [NSError] = []
        for slot in table.rules.denying {
            let isViolated =
                table.layout[slot].kind == .toMany
                ? members(slot).contains { !$0.isMarkedDeleted }
                : destination(slot).map { !$0.isMarkedDeleted } ?? false
            guard isViolated else { continue }
            let key = table.layout.properties[slot].name
            errors.append(
                CoreDataError.validation(
                    .validationRelationshipDeniedDelete, object: self, entity: entity, key: key,
                    value: self.value(at: slot)))
        }
        if let error = CoreDataError.multipleValidation(errors) { throw error }
    }
}

/// A value in a validation that may replace it.
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

    /// - Throws: an error if the property cannot hold a value of this class.
    func storeIfChanged() throws {
        switch (original, current) {
        case (nil, nil): return
        case (let one?, let two?) where AttributeValues.isEqual(one, two): return
        default: break
        }
        let key = object.table.layout.properties[slot].name
        var checked = current
        if Snapshot.unwrapped(current) != nil { try object.validate(&checked, key) }
        object.setCodedValue(checked, forKey: key)
    }
}
