// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Validates the names of entities and properties.

import Foundation

/// The rules for names, which are used as keys of key-value coding, in key paths, and as column names.
package enum ModelNames {
    /// The fault as a sentence; nil for a valid name.
    package static func fault(ofEntity name: String) -> String? {
        if name.isEmpty { return "an entity needs a name" }
        // Old models contain entities named like domains ("com.example.Note"), which is allowed because an entity name
        // is not a key.
        let steps = name.split(separator: ".", omittingEmptySubsequences: false)
        let isGood = steps.allSatisfy { isIdentifier(String($0)) }
        return isGood ? nil : "a name consists of letters, digits, underscores and dots and begins with no digit"
    }

    /// The fault as a sentence; nil for a valid name.
    package static func fault(ofProperty name: String) -> String? {
        if let fault = fault(ofElement: name) { return fault }
        return reserved.contains(name) ? "this name is taken by every managed object" : nil
    }

    /// The fault of an element of a composite attribute, which hides no member of an object; nil for a valid name.
    package static func fault(ofElement name: String) -> String? {
        if name.isEmpty { return "a property needs a name" }
        return isIdentifier(name)
            ? nil : "a name consists of letters, digits and underscores and begins with no digit"
    }

    package static func isIdentifier(_ name: String) -> Bool {
        var isFirst = true
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): break
            case UInt8(ascii: "0")...UInt8(ascii: "9"): if isFirst { return false }
            // Not ASCII, which is rare in names: look up the Unicode properties.
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

    /// Members of every managed object, which would hide a property with the same name.
    private static let reserved: Set<String> = [
        "class", "debugDescription", "description", "entity", "hasChanges", "hash", "isDeleted", "isFault",
        "isInserted",
        "isUpdated", "managedObjectContext", "objectID", "self", "super", "superclass",
    ]
}
