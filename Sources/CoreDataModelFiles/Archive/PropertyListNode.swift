// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A property list with the references of keyed archives.

import Foundation

/// A separate type, because Foundation's reader on Linux hides the references of keyed archives.
indirect enum PropertyListNode: Sendable, Equatable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    /// Seconds since 2001-01-01 UTC.
    case date(Double)
    case data(Data)
    case string(String)
    /// A reference into the object table of a keyed archive.
    case reference(Int)
    case array([PropertyListNode])
    case dictionary([String: PropertyListNode])
}

/// A text that equals another one only if it has the same scalars: Swift considers "é" and "e" with an accent equal.
struct ExactText: Hashable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (one: ExactText, other: ExactText) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }

    func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}
