// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Spells constants the way Apple's predicate format does.

import Foundation

enum PredicateConstant {
    static func text(of string: String) -> String {
        var text = "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }

    /// Whole numbers without a fraction, as a number object describes itself.
    static func text(of number: Double) -> String {
        if let whole = Int64(exactly: number) { return "\(whole)" }
        return "\(number)"
    }

    /// - Parameter seconds: since 2001-01-01 UTC.
    static func text(ofDate seconds: Double) -> String {
        "CAST(\(String(format: "%.6f", seconds)), \"NSDate\")"
    }
}
