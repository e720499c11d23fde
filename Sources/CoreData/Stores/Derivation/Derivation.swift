// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What a derived attribute is derived from, as far as a store has to know.

import Foundation

/// How a derived attribute gets its value.
enum Derivation: Equatable {
    /// The time of the save.
    case now
    /// How many members a to-many has, by its slot.
    case count(Int)
    /// Anything else: computed by the store while it saves.
    case computed(String)

    /// nil for an attribute that is not derived, or says nothing of how.
    init?(_ layout: EntityLayout, slot: Int, model: ModelLayout) {
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
