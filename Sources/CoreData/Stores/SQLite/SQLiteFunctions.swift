// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What SQL can call: the functions of triggers in Apple's stores, and ours, which compare strings as predicates in memory do.

import CoreDataFoundation
import Foundation
import SQLiteDriver

enum SQLiteFunctions {
    /// The options that change what is compared: whether case and diacritics count.
    private static func folding(_ options: ComparisonSyntax.Options) -> ComparisonSyntax.Options {
        options.contains(.normalized) ? .normalized : options.intersection([.caseInsensitive, .diacriticInsensitive])
    }

    private static let foldings: [ComparisonSyntax.Options] = [
        [], .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive], .normalized,
    ]

    private static let operations: [(StringMatching.Operation, String)] = [
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

    /// For `uppercase:`, `lowercase:` and `canonical:`.
    static func caseFunction(_ name: String) -> String { "OCD_\(name.dropLast().uppercased())" }

    static func add(to connection: Connection) throws {
        for folding in foldings {
            for (operation, _) in operations {
                let matcher = PatternMatcher(operation, folding)
                try connection.addTextFunction(name(operation, folding), options: .deterministic) { text, pattern in
                    guard let text, let pattern else { return nil }
                    return try matcher.matches(text, pattern) ? 1 : 0
                }
            }
            guard let name = collation(folding) else { continue }
            let order = StringFolding(folding)
            try connection.addCollation(name) { left, right in order.compare(utf8: left, right).rawValue }
        }
        try addCaseFunction("uppercase:", connection) { $0.uppercased() }
        try addCaseFunction("lowercase:", connection) { $0.lowercased() }
        try addCaseFunction("canonical:", connection) {
            StringFolding([.caseInsensitive, .diacriticInsensitive]).folded($0)
        }
    }

    private static func addCaseFunction(
        _ name: String, _ connection: Connection, _ body: @escaping @Sendable (String) -> String
    ) throws {
        try connection.addFunction(caseFunction(name), argumentCount: 1, options: .deterministic) { arguments in
            guard let bytes = arguments.textBytes(0) else { return .null }
            return .text(body(String(decoding: bytes, as: UTF8.self)))
        }
    }

    /// The functions that triggers of derived attributes call: without them a row of such a store could not be written.
    static func addTriggerFunctions(to connection: Connection, recorder: DerivedRecorder) throws {
        try connection.addFunction("NSCoreDataNow", argumentCount: 0) { _ in
            .real(Date().timeIntervalSinceReferenceDate)
        }
        for name in [
            "NSCoreDataDATriggerUpdatedAffectedObjectValue", "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
            "NSCoreDataTriggerUpdateAffectedObjectValue",
        ] {
            try connection.addFunction(name, argumentCount: 5) { arguments in
                // Table, entity, key, name, value: the row is read again as a whole.
                recorder.record(entity: arguments.int64(1), key: arguments.int64(2))
                return .null
            }
        }
    }
}

/// Matches texts against a pattern that mostly stays the same for a whole statement: it is made ready once.
final class PatternMatcher: @unchecked Sendable {  // the connection calls it on one thread at a time
    private let operation: StringMatching.Operation
    private let options: ComparisonSyntax.Options
    private var source: [UInt8] = []
    private var matching: StringMatching?

    init(_ operation: StringMatching.Operation, _ options: ComparisonSyntax.Options) {
        self.operation = operation
        self.options = options
    }

    func matches(_ text: UnsafeBufferPointer<UInt8>, _ pattern: UnsafeBufferPointer<UInt8>) throws -> Bool {
        if let matching, isCurrent(pattern) { return matching.matches(utf8: text) }
        let matching = try StringMatching(operation, pattern: String(decoding: pattern, as: UTF8.self), options: options)
        self.matching = matching
        source = Array(pattern)
        return matching.matches(utf8: text)
    }

    private func isCurrent(_ pattern: UnsafeBufferPointer<UInt8>) -> Bool {
        source.count == pattern.count && source.elementsEqual(pattern)
    }
}
