// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A table of localized texts in one language, in the form that AppleShims reads.

import Foundation

/// The texts of `Localizable.strings`, and the plural forms of `Localizable.stringsdict` or of a catalog.
struct TextTable {
    /// The forms of a part of a text, by the keys of Unicode: zero, one, two, few, many, other.
    struct Rule: Encodable, Equatable {
        var language: String
        var forms: [String: String]
    }

    /// "Shop.Localizable": begins the names of rules, which are unique in the package.
    let name: String
    let language: String
    private(set) var texts: [String: String] = [:]
    /// A format for each key with plural forms. It names its rules: "%#@Shop.Localizable.1@".
    private(set) var formats: [String: String] = [:]
    private(set) var rules: [String: Rule] = [:]

    init(name: String, language: String) {
        self.name = name
        self.language = language
    }

    mutating func add(_ text: String, for key: String) { texts[key] = text }

    /// - Parameter format: names the rules that `addRule` returned.
    mutating func add(format: String, for key: String) { formats[key] = format }

    /// - Returns: the name of the rule.
    mutating func addRule(_ forms: [String: String]) -> String {
        let rule = "\(name).\(rules.count + 1)"
        rules[rule] = Rule(language: language, forms: forms)
        return rule
    }

    /// Replaces the forms of a rule, which may name rules that were added later.
    mutating func setForms(_ forms: [String: String], of rule: String) { rules[rule]?.forms = forms }

    // MARK: Files

    /// The text of a `.strings` file; nil for a table without plain texts.
    var strings: String? {
        guard !texts.isEmpty else { return nil }
        return texts.sorted { $0.key < $1.key }.map { "\(Self.quoted($0.key)) = \(Self.quoted($0.value));\n" }.joined()
    }

    /// The JSON of the plural forms; nil for a table without them.
    var plurals: String? {
        struct Plurals: Encodable {
            var formats: [String: String]
            var rules: [String: Rule]
        }
        guard !formats.isEmpty else { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        let data = try? encoder.encode(Plurals(formats: formats, rules: rules))
        return data.map { String(decoding: $0, as: UTF8.self) + "\n" }
    }

    private static func quoted(_ text: String) -> String {
        let marks = [("\\", "\\\\"), ("\"", "\\\""), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t")]
        return "\"\(marks.reduce(text) { $0.replacingOccurrences(of: $1.0, with: $1.1) })\""
    }
}
