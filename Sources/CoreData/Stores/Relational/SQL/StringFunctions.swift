// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The names under which SQL calls the string functions of predicates, one for each way of folding.

import CoreDataFoundation

/// What translated predicates call; a store has to provide it (`SQLiteFunctions`).
enum StringFunctions {
    /// The options that change what is compared: whether case and diacritics count.
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

    /// nil where the order is that of SQLite.
    static func collation(_ options: ComparisonSyntax.Options) -> String? {
        let folding = folding(options)
        return folding.isEmpty || folding == .normalized ? nil : "OCD_ORDER_\(folding.rawValue)"
    }

    /// The collation of a sort descriptor; nil where the order is that of SQLite.
    static func collation(_ comparison: SortComparison) -> String? {
        comparison == .standard ? nil : SortComparison.allCases.firstIndex(of: comparison).map { "OCD_SORT_\($0)" }
    }

    /// For `uppercase:`, `lowercase:` and `canonical:`.
    static func caseFunction(_ name: String) -> String { "OCD_\(name.dropLast().uppercased())" }
}
