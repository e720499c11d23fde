// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Transactions and changes as stores return them, and the store option that turns a history on or off.

import Foundation

/// A transaction without its changes.
package struct HistoryTransactionRecord {
    package var number: Int64
    /// Seconds since the reference date.
    package var time: Double
    package var author: String?
    package var contextName: String?
    package var bundleID: String
    package var processID: String

    package init(
        number: Int64, time: Double, author: String?, contextName: String?, bundleID: String, processID: String
    ) {
        (self.number, self.time, self.author) = (number, time, author)
        (self.contextName, self.bundleID, self.processID) = (contextName, bundleID, processID)
    }
}

/// A change, with its entity looked up.
package struct HistoryChangeRecord {
    package var number: Int64
    package var transaction: Int64
    package var type: NSPersistentHistoryChangeType
    package var layout: EntityLayout
    package var key: Int64
    /// The updated properties; nil for other changes, and if they are unknown.
    package var slots: SlotSet?
    package var tombstone: [AnyHashable: Any]?

    package init(
        number: Int64, transaction: Int64, type: NSPersistentHistoryChangeType, layout: EntityLayout, key: Int64,
        slots: SlotSet? = nil, tombstone: [AnyHashable: Any]? = nil
    ) {
        (self.number, self.transaction, self.type) = (number, transaction, type)
        (self.layout, self.key, self.slots, self.tombstone) = (layout, key, slots, tombstone)
    }
}

/// The part of a history that was not deleted.
package struct HistoryBounds: Equatable {
    /// The number of the last deleted transaction; 0 if none was deleted.
    package var deleted: Int64
    /// The number of the last transaction, whether it was deleted or not.
    package var last: Int64

    package init(deleted: Int64, last: Int64) {
        self.deleted = deleted
        self.last = last
    }

    /// - Throws: 134301 if transactions after this number have been deleted, or if the store never assigned the number.
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
package enum HistoryTrackingOption {
    /// Absent: a store that has a history continues to record.
    case unset
    case on
    /// Explicitly false: the history is removed.
    case off

    package init(_ options: [AnyHashable: Any]?) {
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
package enum HistoryProgram {
    /// The identifier of the bundle, or the name of the executable.
    package static let bundleID: String = Bundle.main.bundleIdentifier ?? processID
    package static let processID: String = ProcessInfo.processInfo.processName
}
