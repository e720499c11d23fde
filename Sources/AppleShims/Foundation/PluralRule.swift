// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Chooses the form of a text for a number.

import Foundation

/// The forms of a part of a text, in a language. The keys are those of Unicode: zero, one, two, few, many, other.
struct PluralRule: Decodable, Sendable {
    var language: String
    var forms: [String: String]

    /// The form for a number; that of other numbers if the text has none for it.
    func form(_ number: Double?) -> String {
        guard let number else { return forms["other"] ?? "" }
        // Apple's texts may have a form for 0 in each language.
        if number == 0, let none = forms["zero"] { return none }
        return forms[Self.category(number, language)] ?? forms["other"] ?? ""
    }

    /// The rules of Unicode's CLDR for whole numbers. A number with a fraction has the form of other numbers, except in
    /// French and Portuguese.
    static func category(_ number: Double, _ language: String) -> String {
        let code = language.prefix { $0 != "-" && $0 != "_" }.lowercased()
        let value = number.magnitude
        if ["fr", "pt", "hy"].contains(code) { return value < 2 ? "one" : "other" }
        guard value == value.rounded(), value < 1e15 else { return "other" }
        let (tens, hundreds) = (Int64(value) % 10, Int64(value) % 100)
        let isFew = (2...4).contains(tens) && !(12...14).contains(hundreds)
        switch code {
        case "ja", "zh", "ko", "vi", "th", "id", "ms": return "other"
        case "ru", "uk", "be", "sr", "hr", "bs":
            if tens == 1, hundreds != 11 { return "one" }
            return isFew ? "few" : ["sr", "hr", "bs"].contains(code) ? "other" : "many"
        case "pl": return value == 1 ? "one" : isFew ? "few" : "many"
        case "cs", "sk": return value == 1 ? "one" : (2...4).contains(value) ? "few" : "other"
        case "ar":
            if value < 3 { return ["zero", "one", "two"][Int(value)] }
            return (3...10).contains(hundreds) ? "few" : hundreds >= 11 ? "many" : "other"
        case "hi", "fa", "bn": return value <= 1 ? "one" : "other"
        default: return value == 1 ? "one" : "other"
        }
    }
}
