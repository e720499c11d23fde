// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Transactions and changes as stores give them, and the wish for a history among a store's options.

import Foundation

/// A transaction without its changes.
struct HistoryTransactionRecord {
    var number: Int64
    /// Seconds since the reference date.
    var time: Double
    var author: String?
    var contextName: String?
    var bundleID: String
    var processID: String
}

/// A change, with its entity looked up.
struct HistoryChangeRecord {
    var number: Int64
    var transaction: Int64
    var type: NSPersistentHistoryChangeType
    var layout: EntityLayout
    var key: Int64
    /// The updated properties; nil for other changes, and if they are unknown.
    var slots: SlotSet?
    var tombstone: [AnyHashable: Any]?
}

/// The part of a history that was not deleted.
struct HistoryBounds: Equatable {
    /// The number of the last deleted transaction; 0 if none was deleted.
    var deleted: Int64
    /// The number of the last transaction, whether it was deleted or not.
    var last: Int64

    /// - Throws: 134301 for a number after which something was deleted, or that was never given.
    func check(_ number: Int64, of store: String) throws {
        if number < deleted {
            throw CoreDataError.historyTokenExpired(
                "The history of the store \(store) up to transaction \(deleted) was deleted, and the token names "
                    + "transaction \(number): read all there is, and begin with a new token.")
        }
        if number > last {
            throw CoreDataError.historyTokenExpired(
                "The token names transaction \(number) of the store \(store), whose last one is \(last): "
                    + "it belongs to another copy of the store.")
        }
    }
}

/// The option `NSPersistentHistoryTrackingKey`.
enum HistoryWish {
    /// Absent: a store that has a history goes on recording.
    case unset
    case on
    /// Explicitly false: the history is removed.
    case off

    init(_ options: [AnyHashable: Any]?) {
        guard let value = options?[NSPersistentHistoryTrackingKey], !(value is NSNull) else {
            self = .unset
            return
        }
        // Apple accepts a dictionary, too.
        let isOn = value is NSDictionary || Self.isTrue(value)
        self = isOn ? .on : .off
    }

    private static func isTrue(_ value: Any) -> Bool {
        if let text = value as? String { return (text as NSString).boolValue }
        return AttributeValues.number(value)?.boolValue ?? false
    }
}

/// The program, as transactions name it.
enum HistoryProgram {
    /// The identifier of the bundle, or the name of the executable.
    static let bundleID: String = Bundle.main.bundleIdentifier ?? processID
    static let processID: String = ProcessInfo.processInfo.processName
}
