// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Classifies derived attributes by the way a store computes them.

import Foundation

/// The source of a derived attribute's value.
package enum Derivation: Equatable {
    /// The time of the save.
    case now
    /// The number of members of the to-many relationship in this slot.
    case count(Int)
    /// Any other expression; the store computes it while it saves.
    case computed(String)

    /// nil for an attribute that is not derived, or has no derivation expression.
    package init?(_ layout: EntityLayout, slot: Int, model: ModelLayout) {
        guard let attribute = layout.properties[slot] as? NSDerivedAttributeDescription,
            let text = attribute.derivationText?.filter({ !$0.isWhitespace }), !text.isEmpty
        else { return nil }
        if text == "now()" || text == "now:()" {
            self = .now
        } else if let relationship = Self.counted(text), let slot = layout.slot(relationship),
            layout[slot].kind == .toMany
        {
            self = .count(slot)
        } else {
            self = .computed(text)
        }
    }

    /// The relationship in `pages.@count` or `count:(pages)`.
    private static func counted(_ text: String) -> String? {
        if text.hasSuffix(".@count") {
            let name = String(text.dropLast(".@count".count))
            return name.contains(".") ? nil : name
        }
        if text.hasPrefix("count:("), text.hasSuffix(")") { return String(text.dropFirst("count:(".count).dropLast()) }
        return nil
    }
}
