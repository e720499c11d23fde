// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the plural forms of a `.stringsdict` file.

import Foundation

enum PluralFile {
    private typealias Object = [String: Any]

    private static let categories: Set<String> = ["zero", "one", "two", "few", "many", "other"]

    /// nil for a file that is no dictionary.
    ///
    /// - Parameter name: begins the names of the rules of the table.
    static func read(_ data: Data, name: String, language: String) -> TextTable? {
        guard let root = try? PropertyListSerialization.propertyList(from: data, format: nil) as? Object else {
            return nil
        }
        var table = TextTable(name: name, language: language)
        for (key, value) in root.sorted(by: { $0.key < $1.key }) {
            if let entry = value as? Object { add(entry, key, to: &table) }
        }
        return table
    }

    private static func add(_ entry: Object, _ key: String, to table: inout TextTable) {
        guard let format = entry["NSStringLocalizedFormatKey"] as? String else {
            let devices = entry["NSStringDeviceSpecificRuleType"] as? [String: String]
            let widths = entry["NSStringVariableWidthRuleType"] as? [String: String]
            let widest = widths?.max { (Int($0.key) ?? 0, $0.key) < (Int($1.key) ?? 0, $1.key) }?.value
            if let text = devices?["iphone"] ?? devices?["other"] ?? widest { table.add(text, for: key) }
            return
        }
        var names: [String: String] = [:]
        for (variable, value) in entry.sorted(by: { $0.key < $1.key }) {
            guard let rule = value as? Object else { continue }
            let forms = rule.filter { categories.contains($0.key) }.compactMapValues { $0 as? String }
            names[variable] = table.addRule(forms)
        }
        // A form may have another variable inside.
        for rule in names.values {
            let forms = table.rules[rule]?.forms ?? [:]
            table.setForms(forms.mapValues { renamed($0, names) }, of: rule)
        }
        table.add(format: renamed(format, names), for: key)
    }

    private static func renamed(_ format: String, _ names: [String: String]) -> String {
        format.replacing(/#@([^@]+)@/) { match in "#@\(names[String(match.output.1)] ?? String(match.output.1))@" }
    }
}
