// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The rules of one entity, compiled once: what can be checked without asking for a single value by name.

import Foundation

/// What has to be checked before an object of an entity is saved.
final class ValidationRules: @unchecked Sendable {  // immutable; descriptions of a frozen model
    struct Predicates {
        let slot: Int
        let rules: [(predicate: NSPredicate, warning: Any?)]
    }
    struct Count {
        let slot: Int
        let least: Int
        /// 0: no limit.
        let most: Int
        let isOptional: Bool
    }

    /// Persistent attributes and to-ones that must have a value.
    let mandatory: [Int]
    let predicates: [Predicates]
    let integers: [(slot: Int, range: ClosedRange<Int64>)]
    let counts: [Count]
    let denying: [Int]

    init(_ layout: EntityLayout) {
        var mandatory: [Int] = []
        var predicates: [Predicates] = []
        var integers: [(Int, ClosedRange<Int64>)] = []
        var counts: [Count] = []
        for (slot, property) in layout.properties.enumerated() where layout[slot].kind != .fetched {
            if !property.isOptional, !property.isTransient, layout[slot].kind != .toMany, !layout[slot].isDerived {
                mandatory.append(slot)
            }
            if !property.validationPredicates.isEmpty, layout[slot].kind != .toMany {
                let warnings = property.validationWarnings
                let rules = property.validationPredicates.enumerated().map { index, predicate in
                    (predicate, index < warnings.count ? warnings[index] : nil)
                }
                predicates.append(Predicates(slot: slot, rules: rules))
            }
            switch (property as? NSAttributeDescription)?.attributeType {
            case .integer16AttributeType: integers.append((slot, Int64(Int16.min)...Int64(Int16.max)))
            case .integer32AttributeType: integers.append((slot, Int64(Int32.min)...Int64(Int32.max)))
            default: break
            }
            if let relationship = property as? NSRelationshipDescription, relationship.isToMany, !property.isTransient {
                let least = relationship.minCount
                if least > 0 || relationship.maxCount > 0 || !property.isOptional {
                    counts.append(
                        Count(slot: slot, least: least, most: relationship.maxCount, isOptional: property.isOptional))
                }
            }
        }
        self.mandatory = mandatory
        self.predicates = predicates
        self.integers = integers.map { (slot: $0.0, range: $0.1) }
        self.counts = counts
        denying = (layout.toOneSlots + layout.toManySlots).filter {
            layout.relationship($0)?.deleteRule == .denyDeleteRule
        }
    }

}
