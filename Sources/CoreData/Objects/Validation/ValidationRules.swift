// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The rules of one entity, compiled once, so that they are checked without reading values by name.

import Foundation

/// The checks before an object of an entity is saved.
final class ValidationRules: @unchecked Sendable {  // immutable; descriptions of a frozen model
    struct Predicates {
        let slot: Int
        let rules: [(predicate: NSPredicate, warning: Any?)]
    }
    struct Count {
        let slot: Int
        let least: Int
        /// 0 for no limit.
        let most: Int
        let isOptional: Bool

        /// An optional relationship may be empty regardless of its minimum. A mandatory one may be empty, too, unless
        /// it has a minimum: Apple's stores contain many such empty to-many relationships.
        func allows(_ count: Int) -> Bool {
            count == 0 ? isOptional || least == 0 : count >= least && (most == 0 || count <= most)
        }
    }

    /// A rule about the number or null bit of one slot. It is checked for each saved object, so it does no reference
    /// counting.
    private struct Plain: BitwiseCopyable {
        let slot: Int
        var isMandatory = false
        /// Whether its values may be NaN, as numbers or dates.
        var isFraction = false
        var isInteger = false
        var least = Int64.min
        var most = Int64.max
    }

    /// Persistent attributes and to-one relationships that must have a value.
    let mandatory: [Int]
    /// Derived attributes that must have a value before the store computes the first one.
    let mandatoryDerived: [Int]
    let predicates: [Predicates]
    let integers: [(slot: Int, range: ClosedRange<Int64>)]
    let decimals: [Int]
    /// Transformable attributes with a required class.
    let classes: [(slot: Int, type: AnyClass)]
    let counts: [Count]
    /// To-many relationships with a rule about their members.
    let ruledMembers: [Int]
    let denying: [Int]
    /// To-one relationships that no delete rule at their inverse nullifies.
    let unguarded: [Int]
    private let plain: UnsafeBufferPointer<Plain>
    /// Whether there are only plain rules.
    let hasOnlyPlainRules: Bool

    init(_ layout: EntityLayout) {
        let persistent = (0..<layout.slotCount).filter { !layout[$0].isTransient && layout[$0].kind != .fetched }
        let stored = persistent.filter { !layout[$0].isDerived }
        let required = persistent.filter { !layout.properties[$0].isOptional && layout[$0].kind != .toMany }
        mandatory = required.filter { !layout[$0].isDerived }
        mandatoryDerived = required.filter { layout[$0].isDerived }
        predicates = stored.compactMap { Self.predicates(layout.properties[$0], $0) }
        integers = stored.compactMap { slot in layout.attribute(slot).flatMap(Self.range).map { (slot, $0) } }
        decimals = stored.filter { layout.attribute($0)?.attributeType == .decimalAttributeType }
        classes = stored.compactMap { slot in layout.attribute(slot).flatMap(Self.valueClass).map { (slot, $0) } }
        counts = stored.compactMap { slot in layout.relationship(slot).flatMap { Self.count($0, slot) } }
        ruledMembers = counts.map(\.slot) + predicates.map(\.slot).filter { layout[$0].kind == .toMany }
        denying = (layout.toOneSlots + layout.toManySlots).filter {
            layout.relationship($0)?.deleteRule == .denyDeleteRule
        }
        unguarded = layout.toOneSlots.filter { slot in
            let inverse = layout.relationship(slot)?.mutualInverse
            let rule = inverse?.deleteRule ?? .noActionDeleteRule
            return !layout[slot].isTransient && (rule == .noActionDeleteRule || rule == .denyDeleteRule)
        }
        let (mandatory, integers) = (mandatory, integers)
        let all = persistent.map { slot in
            let range = integers.first { $0.slot == slot }?.range
            return Plain(
                slot: slot, isMandatory: mandatory.contains(slot),
                isFraction: !layout[slot].isDerived && [.float, .double, .date].contains(layout[slot].kind),
                isInteger: range != nil, least: range?.lowerBound ?? .min, most: range?.upperBound ?? .max)
        }
        plain = .copy(of: all.filter { $0.isMandatory || $0.isFraction || $0.isInteger })
        hasOnlyPlainRules =
            mandatoryDerived.isEmpty && decimals.isEmpty && classes.isEmpty && unguarded.isEmpty && counts.isEmpty
            && predicates.isEmpty
    }

    deinit { plain.deallocate() }

    /// Whether all mandatory properties have values, and all numbers are in their ranges.
    @inline(__always) func findsNothingPlain(in row: Snapshot) -> Bool {
        for rule in plain {
            if row.isNull(rule.slot) {
                if rule.isMandatory { return false }
            } else if rule.isFraction {
                if !row.double(rule.slot).isFinite { return false }
            } else if rule.isInteger {
                let number = row.integer(rule.slot)
                if number < rule.least || number > rule.most { return false }
            }
        }
        return true
    }

    private static func predicates(_ property: NSPropertyDescription, _ slot: Int) -> Predicates? {
        guard !property.validationPredicates.isEmpty else { return nil }
        let warnings = property.validationWarnings
        let rules = property.validationPredicates.enumerated().map { index, predicate in
            (predicate, index < warnings.count ? warnings[index] : nil)
        }
        return Predicates(slot: slot, rules: rules)
    }

    private static func range(_ attribute: NSAttributeDescription) -> ClosedRange<Int64>? {
        switch attribute.attributeType {
        case .integer16AttributeType: Int64(Int16.min)...Int64(Int16.max)
        case .integer32AttributeType: Int64(Int32.min)...Int64(Int32.max)
        default: nil
        }
    }

    /// nil also for a class that this program does not have.
    private static func valueClass(_ attribute: NSAttributeDescription) -> AnyClass? {
        guard attribute.attributeType == .transformableAttributeType, let name = attribute.attributeValueClassName,
            name != "NSObject"
        else { return nil }
        return NSClassFromString(name)
    }

    private static func count(_ relationship: NSRelationshipDescription, _ slot: Int) -> Count? {
        let (least, most) = (relationship.minCount, relationship.maxCount)
        guard relationship.isToMany, least > 0 || most > 0 else { return nil }
        return Count(slot: slot, least: least, most: most, isOptional: relationship.isOptional)
    }
}
