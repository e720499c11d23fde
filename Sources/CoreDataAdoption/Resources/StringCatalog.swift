// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the texts of a string catalog (`.xcstrings`) in its source language.

import Foundation

enum StringCatalog {
    private typealias Object = [String: Any]

    /// nil for a file that is no catalog.
    ///
    /// - Parameter name: begins the names of the rules of the table.
    static func read(_ data: Data, name: String) -> TextTable? {
        guard let root = try? JSONSerialization.jsonObject(with: data) as? Object,
            let strings = root["strings"] as? Object
        else { return nil }
        let language = root["sourceLanguage"] as? String ?? "en"
        var table = TextTable(name: name, language: language)
        for (key, value) in strings.sorted(by: { $0.key < $1.key }) {
            let localizations = (value as? Object)?["localizations"] as? Object
            if let entry = localizations?[language] as? Object { add(entry, key, to: &table) }
        }
        return table
    }

    private static func add(_ entry: Object, _ key: String, to table: inout TextTable) {
        if let forms = forms(entry) {
            // The forms are whole texts, and the first number of the key chooses one.
            let rule = table.addRule(forms.mapValues(TextFormat.numbered))
            table.add(format: "%\(TextFormat.firstNumber(key) ?? 1)$#@\(rule)@", for: key)
            return
        }
        guard var text = text(entry) else { return }
        guard let substitutions = entry["substitutions"] as? Object, !substitutions.isEmpty else {
            return table.add(text, for: key)
        }
        for (name, value) in substitutions.sorted(by: { $0.key < $1.key }) {
            guard let part = value as? Object, let forms = forms(part) else { continue }
            let rule = table.addRule(forms)
            let position = (part["argNum"] as? Int).map { "\($0)$" } ?? ""
            text = text.replacingOccurrences(of: "%#@\(name)@", with: "%\(position)#@\(rule)@")
        }
        table.add(format: text, for: key)
    }

    private static func forms(_ entry: Object) -> [String: String]? {
        guard let plural = (entry["variations"] as? Object)?["plural"] as? Object else { return nil }
        return plural.compactMapValues { ($0 as? Object).flatMap { text($0) } }
    }

    /// The text of an entry; of several for devices, that of a phone.
    private static func text(_ entry: Object, depth: Int = 0) -> String? {
        if let unit = entry["stringUnit"] as? Object { return unit["value"] as? String }
        guard depth < 4, let devices = (entry["variations"] as? Object)?["device"] as? Object else { return nil }
        let names = ["iphone", "other"] + devices.keys.sorted()
        return names.lazy.compactMap { devices[$0] as? Object }.compactMap { text($0, depth: depth + 1) }.first
    }
}

/// The marks of a format.
enum TextFormat {
    private static var mark: Regex<(Substring, Substring?, Substring)> {
        /%(?:(\d+)\$)?((?:[-+ 0]*\d*(?:\.\d+)?)(?:hh|h|ll|l|q|z)?[@diuxXfgeE])/
    }

    /// A format in which each mark has the number of its value.
    static func numbered(_ format: String) -> String {
        var next = 0
        // "%%" is no mark.
        return format.split(separator: "%%", omittingEmptySubsequences: false).map { part in
            part.replacing(mark) { match in
                if match.output.1 == nil { next += 1 }
                return "%\(match.output.1 ?? "\(next)")$\(match.output.2)"
            }
        }.joined(separator: "%%")
    }

    /// The number of the first value that is a number, counted from 1; nil for none.
    static func firstNumber(_ format: String) -> Int? {
        let parts = numbered(format).split(separator: "%%", omittingEmptySubsequences: false)
        for match in parts.flatMap({ $0.matches(of: mark) }) where !match.output.2.hasSuffix("@") {
            return match.output.1.flatMap { Int($0) }
        }
        return nil
    }
}
