// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What the options of a store say about its database.

import Foundation
import SQLiteDriver

/// An option, ours, of a store that is read only: nothing is made or changed beside the file, not even to read a log.
/// For looking into a store; a program that starts to write meanwhile is not kept out.
package let storeLeavesNoTraceOption = "OpenCoreDataStoreLeavesNoTrace"

/// The options of a SQLite store, read once.
struct SQLiteStoreOptions {
    var isReadOnly = false
    var leavesNoTrace = false
    var timeout = Duration.seconds(5)
    /// By name in lower case; a pragma here wins over what the store would set.
    var pragmas: [String: PragmaValue] = [:]
    var ignoresVersion = false
    var analyzes = false
    var vacuums = false
    /// How many readers are kept for the next reads.
    var keptReaders = ConnectionPool.keptReaders

    init(_ options: [AnyHashable: Any]?) throws {
        guard let options else { return }
        isReadOnly = StoreFlag.isSet(NSReadOnlyPersistentStoreOption, in: options)
        leavesNoTrace = isReadOnly && StoreFlag.isSet(storeLeavesNoTraceOption, in: options)
        ignoresVersion = StoreFlag.isSet(NSIgnorePersistentStoreVersioningOption, in: options)
        analyzes = StoreFlag.isSet(NSSQLiteAnalyzeOption, in: options)
        vacuums = StoreFlag.isSet(NSSQLiteManualVacuumOption, in: options)
        if let seconds = options[NSPersistentStoreTimeoutOption].flatMap(AttributeValues.number) {
            timeout = .milliseconds(Int64(max(0, min(seconds.doubleValue, 86_400)) * 1000))
        }
        if let count = options[NSPersistentStoreConnectionPoolMaxSizeKey].flatMap(AttributeValues.number)?.intValue {
            keptReaders = max(0, count - 1)
        }
        for (name, value) in options[NSSQLitePragmasOption] as? [AnyHashable: Any] ?? [:] {
            guard let name = name.base as? String, let value = Self.pragma(value) else {
                throw CoreDataError.storeOperation(
                    "The option \(NSSQLitePragmasOption) holds \(name) = \(value): a pragma has a name and a word or a number."
                )
            }
            pragmas[name.lowercased()] = value
        }
    }

    private static func pragma(_ value: Any) -> PragmaValue? {
        if let text = value as? String { return Int64(text).map { .integer($0) } ?? .word(text) }
        return AttributeValues.number(value).map { .integer($0.int64Value) }
    }

    func word(_ pragma: String) -> String? {
        if case .word(let word) = pragmas[pragma] { return word.lowercased() }
        return nil
    }
}
