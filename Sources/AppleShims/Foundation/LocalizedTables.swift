// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Looks up the texts of keys in the tables of bundles.

import Foundation
import Synchronization

/// The texts with plural forms of a table, as `coredata-tool adopt` writes them: `Localizable.plurals.json`. A format
/// names its rules as those of Apple do: "%#@NAME@". The names are unique in the package.
private struct PluralTable: Decodable, Sendable {
    var formats: [String: String]
    var rules: [String: PluralRule]
}

enum LocalizedTables {
    private struct State {
        /// The tables that were read, by path; nil for a file that is missing or faulty.
        var tables: [String: PluralTable?] = [:]
        var rules: [String: PluralRule] = [:]
    }

    private static let state = Mutex(State())

    /// The text or format of a key; nil if no table has the key.
    ///
    /// - Parameters:
    ///   - table: nil and "" mean `Localizable`.
    ///   - bundle: nil means the program's.
    static func format(_ key: String, _ table: String?, _ bundle: Bundle?) -> String? {
        let table = table.flatMap { $0.isEmpty ? nil : $0 } ?? "Localizable"
        // A value that no table has.
        let missing = "\u{1}"
        for bundle in ResourceBundles.searched(bundle) {
            if let format = plurals(table, bundle)?.formats[key] { return format }
            let text = bundle.localizedString(forKey: key, value: missing, table: table)
            if text != missing { return text }
        }
        return nil
    }

    /// The rule that a format of a table names.
    static func rule(_ name: String) -> PluralRule? { state.withLock { $0.rules[name] } }

    private static func plurals(_ table: String, _ bundle: Bundle) -> PluralTable? {
        guard let folder = bundle.resourceURL else { return nil }
        let file = folder.appendingPathComponent("\(table).plurals.json")
        return state.withLock { state in
            if let known = state.tables[file.path] { return known }
            let data = try? Data(contentsOf: file)
            let found = data.flatMap { try? JSONDecoder().decode(PluralTable.self, from: $0) }
            state.tables[file.path] = .some(found)
            if let found { state.rules.merge(found.rules) { $1 } }
            return found
        }
    }
}
