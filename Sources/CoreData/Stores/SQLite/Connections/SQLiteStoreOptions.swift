// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Parses the options of a SQLite store.

import Foundation
import SQLiteDriver

/// A private option of a read-only store: it creates or changes no other file, not even to read a WAL. For inspection;
/// it does not lock out a program that starts to write.
package let storeLeavesNoTraceOption = "OpenCoreDataStoreLeavesNoTrace"

/// The options of a SQLite store, parsed once.
struct SQLiteStoreOptions {
    var isReadOnly = false
    var leavesNoTrace = false
    var timeout = Duration.seconds(5)
    /// By name in lower case. A pragma here overrides the store's own setting.
    var pragmas: [String: PragmaValue] = [:]
    var ignoresVersion = false
    var analyzes = false
    var vacuums = false
    var history = HistoryTrackingOption.unset
    var retention: PersistentHistoryRetention?
    var fullText = SideIndexOption.unset
    var values = SideIndexOption.unset
    /// The observers of the store's coordinator; nil without them.
    var observation: StoreObservation?
    var limits = StoreLimits()
    /// The number of idle readers to keep.
    var keptReaders = ConnectionPool.keptReaders

    init(_ options: [AnyHashable: Any]?) throws {
        guard let options else { return }
        isReadOnly = StoreFlag.isSet(NSReadOnlyPersistentStoreOption, in: options)
        leavesNoTrace = isReadOnly && StoreFlag.isSet(storeLeavesNoTraceOption, in: options)
        ignoresVersion = StoreFlag.isSet(NSIgnorePersistentStoreVersioningOption, in: options)
        analyzes = StoreFlag.isSet(NSSQLiteAnalyzeOption, in: options)
        history = HistoryTrackingOption(options)
        retention = PersistentHistoryRetention(options)
        fullText = SideIndexOption(NSFullTextIndexOption, in: options)
        values = SideIndexOption(NSValueIndexOption, in: options)
        vacuums = StoreFlag.isSet(NSSQLiteManualVacuumOption, in: options)
        timeout = StoreTimeout.value(options)
        limits = StoreLimits(options)
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
