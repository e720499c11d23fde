// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Whether the slot numbers that a generated class was written with are those of the loaded model.

import Foundation

/// The properties of an entity in the order of their slots, as generated classes spell them: "badge:i department:r name:s".
///
/// Inherited properties come first, in the order that they have in the superentity, then the entity's own by the bytes of their
/// names. The letters: i integer, b Boolean, f float, d double, t date, s string, x anything else that is a value, r to-one,
/// m to-many, o ordered to-many, q fetched property.
struct SlotSignature {
    let text: String

    init(_ layout: EntityLayout) {
        text = (0..<layout.slotCount).map { "\(layout.properties[$0].name):\(Self.letter(layout[$0]))" }
            .joined(separator: " ")
    }

    /// A class of a superentity knows the first slots alone. A class that declares nothing matches nothing.
    func begins(with declared: String) -> Bool {
        guard !declared.isEmpty, text.utf8.starts(with: declared.utf8) else { return false }
        let rest = text.utf8.dropFirst(declared.utf8.count)
        return rest.isEmpty || rest.first == UInt8(ascii: " ")
    }

    /// What a class was written with: by a macro, by a generator, or not at all.
    static func declared(by type: NSManagedObject.Type) -> String {
        type._declaration?._signature ?? GeneratedClassLists.signature(of: type).description
    }

    private static func letter(_ place: SlotPlace) -> Character {
        switch place.kind {
        case .integer: "i"
        case .boolean: "b"
        case .float: "f"
        case .double: "d"
        case .date: "t"
        case .string: "s"
        case .box: "x"
        case .reference: "r"
        case .toMany: place.isOrdered ? "o" : "m"
        case .fetched: "q"
        }
    }
}
