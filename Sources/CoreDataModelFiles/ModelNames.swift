// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Which names entities and properties may have.

import Foundation

/// The rules for names: they are keys of key-value coding, parts of key paths, and columns.
package enum ModelNames {
    /// A sentence, or nil for a good name.
    package static func fault(ofEntity name: String) -> String? {
        if name.isEmpty { return "an entity needs a name" }
        // Old models have entities named like domains ("com.example.Note"): an entity's name is no key, so it may.
        let steps = name.split(separator: ".", omittingEmptySubsequences: false)
        let isGood = steps.allSatisfy { isIdentifier(String($0)) }
        return isGood ? nil : "a name consists of letters, digits, underscores and dots and begins with no digit"
    }

    /// A sentence, or nil for a good name.
    package static func fault(ofProperty name: String) -> String? {
        if name.isEmpty { return "a property needs a name" }
        if !isIdentifier(name) { return "a name consists of letters, digits and underscores and begins with no digit" }
        return reserved.contains(name) ? "this name is taken by every managed object" : nil
    }

    package static func isIdentifier(_ name: String) -> Bool {
        var isFirst = true
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): break
            case UInt8(ascii: "0")...UInt8(ascii: "9"): if isFirst { return false }
            // Not ASCII, as few names: Unicode has to be asked.
            case 0x80...: return isUnicodeIdentifier(name)
            default: return false
            }
            isFirst = false
        }
        return !isFirst
    }

    private static func isUnicodeIdentifier(_ name: String) -> Bool {
        guard let first = name.first, first.isLetter || first == "_" else { return false }
        return name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    }

    /// Members that every managed object has; a property of the same name could not be reached.
    private static let reserved: Set<String> = [
        "class", "debugDescription", "description", "entity", "hasChanges", "hash", "isDeleted", "isFault",
        "isInserted",
        "isUpdated", "managedObjectContext", "objectID", "self", "super", "superclass",
    ]
}
