// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Names the SQL functions and collations for string comparisons of predicates.

import CoreDataFoundation

/// The functions that translated predicates call; a store must register them (`SQLiteFunctions`).
enum StringFunctions {
    /// The options that affect a comparison: case and diacritic insensitivity.
    private static func folding(_ options: ComparisonSyntax.Options) -> ComparisonSyntax.Options {
        options.contains(.normalized) ? .normalized : options.intersection([.caseInsensitive, .diacriticInsensitive])
    }

    static let foldings: [ComparisonSyntax.Options] = [
        [], .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive], .normalized,
    ]

    static let operations: [(StringMatching.Operation, String)] = [
        (.equal, "EQUAL"), (.beginsWith, "BEGINS"), (.endsWith, "ENDS"), (.contains, "CONTAINS"), (.like, "LIKE"),
        (.matches, "MATCHES"),
    ]

    static func name(_ operation: StringMatching.Operation, _ options: ComparisonSyntax.Options) -> String {
        let name = operations.first { $0.0 == operation }?.1 ?? ""
        return "OCD_\(name)_\(folding(options).rawValue)"
    }

    /// nil for SQLite's default order.
    static func collation(_ options: ComparisonSyntax.Options) -> String? {
        let folding = folding(options)
        return folding.isEmpty || folding == .normalized ? nil : "OCD_ORDER_\(folding.rawValue)"
    }

    /// The collation of a sort descriptor; nil for SQLite's default order.
    static func collation(_ comparison: SortComparison) -> String? {
        comparison == .standard ? nil : SortComparison.allCases.firstIndex(of: comparison).map { "OCD_SORT_\($0)" }
    }

    /// For `uppercase:`, `lowercase:` and `canonical:`.
    static func caseFunction(_ name: String) -> String { "OCD_\(name.dropLast().uppercased())" }
}
