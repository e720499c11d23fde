// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Registers SQL functions: those of triggers in Apple's stores, and string comparisons as in predicates.

import CoreDataFoundation
import Foundation
import SQLiteDriver

enum SQLiteFunctions {
    static func add(to connection: Connection) throws {
        for folding in StringFunctions.foldings {
            for (operation, _) in StringFunctions.operations {
                let matcher = PatternMatcher(operation, folding)
                try connection.addTextFunction(StringFunctions.name(operation, folding), options: .deterministic) {
                    text, pattern in
                    guard let text, let pattern else { return nil }
                    return try matcher.matches(text, pattern) ? 1 : 0
                }
            }
            guard let name = StringFunctions.collation(folding) else { continue }
            let order = StringFolding(folding)
            try connection.addCollation(name) { left, right in order.compare(utf8: left, right).rawValue }
        }
        for comparison in SortComparison.allCases {
            guard let name = StringFunctions.collation(comparison) else { continue }
            try connection.addCollation(name) { left, right in
                comparison.order(String(decoding: left, as: UTF8.self), String(decoding: right, as: UTF8.self)).rawValue
            }
        }
        try DecimalFunctions.add(to: connection)
        try DateFunctions.add(to: connection)
        try addCaseFunction("uppercase:", connection) { $0.uppercased() }
        try addCaseFunction("lowercase:", connection) { $0.lowercased() }
        try addCaseFunction("canonical:", connection) {
            StringFolding([.caseInsensitive, .diacriticInsensitive]).folded($0)
        }
    }

    private static func addCaseFunction(
        _ name: String, _ connection: Connection, _ body: @escaping @Sendable (String) -> String
    ) throws {
        try connection.addFunction(StringFunctions.caseFunction(name), argumentCount: 1, options: .deterministic) {
            arguments in
            guard let bytes = arguments.textBytes(0) else { return .null }
            return .text(body(String(decoding: bytes, as: UTF8.self)))
        }
    }

    /// Registers the functions that triggers of derived attributes call. Without them, rows with such attributes cannot
    /// be written.
    static func addTriggerFunctions(to connection: Connection, recorder: DerivedRecorder) throws {
        try connection.addFunction("NSCoreDataNow", argumentCount: 0) { _ in
            .real(Date().timeIntervalSinceReferenceDate)
        }
        for name in [
            "NSCoreDataDATriggerUpdatedAffectedObjectValue", "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
            "NSCoreDataTriggerUpdateAffectedObjectValue",
        ] {
            try connection.addFunction(name, argumentCount: 5) { arguments in
                // The arguments are table, entity, key, name and value. The whole row is read later.
                recorder.record(entity: arguments.int64(1), key: arguments.int64(2))
                return .null
            }
        }
    }
}

/// Matches texts against a pattern. It keeps the compiled pattern, which is usually the same for a whole statement.
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
        if let matching, isCurrent(pattern) { return try matching.matches(utf8: text) }
        let matching = try StringMatching(
            operation, pattern: String(decoding: pattern, as: UTF8.self), options: options)
        self.matching = matching
        source = Array(pattern)
        return try matching.matches(utf8: text)
    }

    private func isCurrent(_ pattern: UnsafeBufferPointer<UInt8>) -> Bool {
        source.count == pattern.count && source.elementsEqual(pattern)
    }
}
