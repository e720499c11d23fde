// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The history of the built-in stores.

public import Foundation

/// A point in the history of each store.
public struct DefaultHistoryToken: HistoryToken {
    /// The number of the last transaction, by store.
    public typealias TokenType = [String: Int64]
    /// The number of the last transaction, by store; nil for the beginning.
    public var tokenValue: [String: Int64]?

    init(_ value: [String: Int64]) { tokenValue = value }

    /// Whether one is earlier in the stores that both know.
    public static func < (lhs: DefaultHistoryToken, rhs: DefaultHistoryToken) -> Bool {
        let (one, other) = (lhs.tokenValue ?? [:], rhs.tokenValue ?? [:])
        let shared = other.filter { one[$0.key] != nil }
        if shared.isEmpty { return one.isEmpty && !other.isEmpty }
        return shared.contains { (one[$0.key] ?? 0) < $0.value } && !shared.contains { (one[$0.key] ?? 0) > $0.value }
    }
}

/// A save.
public struct DefaultHistoryTransaction: HistoryTransaction, Equatable, Hashable, Identifiable {
    /// The point after the save.
    public let token: DefaultHistoryToken
    /// Its number in the store.
    public let transactionIdentifier: Int64
    /// When it was saved.
    public let timestamp: Date
    /// The author of the save.
    public let author: String?
    /// The program.
    public let bundleIdentifier: String
    /// The process.
    public let processIdentifier: String
    /// The store.
    public let storeIdentifier: String
    /// The changes, in order.
    public let changes: [HistoryChange]
    /// Its number in the store.
    public var id: Int64 { transactionIdentifier }

    /// By store and number.
    public static func == (lhs: DefaultHistoryTransaction, rhs: DefaultHistoryTransaction) -> Bool {
        lhs.storeIdentifier == rhs.storeIdentifier && lhs.transactionIdentifier == rhs.transactionIdentifier
    }

    /// By number.
    public func hash(into hasher: inout Hasher) { hasher.combine(transactionIdentifier) }
}

/// An insertion.
public struct DefaultHistoryInsert<Model: PersistentModel>: HistoryInsert {
    /// The number of the change.
    public let changeIdentifier: Int64
    /// The number of the transaction.
    public let transactionIdentifier: Int64
    /// The record.
    public let changedPersistentIdentifier: PersistentIdentifier
}

// Sendable: key paths of classes capture nothing.
/// A change of values.
public struct DefaultHistoryUpdate<Model: PersistentModel>: HistoryUpdate, @unchecked Sendable {
    /// The number of the change.
    public let changeIdentifier: Int64
    /// The number of the transaction.
    public let transactionIdentifier: Int64
    /// The record.
    public let changedPersistentIdentifier: PersistentIdentifier
    /// The properties that changed.
    public let updatedAttributes: [any PartialKeyPath<Model> & Sendable]

    /// By number.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.changeIdentifier == rhs.changeIdentifier
            && lhs.changedPersistentIdentifier == rhs.changedPersistentIdentifier
    }

    /// By number.
    public func hash(into hasher: inout Hasher) { hasher.combine(changeIdentifier) }
}

/// A deletion.
public struct DefaultHistoryDelete<Model: PersistentModel>: HistoryDelete {
    /// The number of the change.
    public let changeIdentifier: Int64
    /// The number of the transaction.
    public let transactionIdentifier: Int64
    /// The record.
    public let changedPersistentIdentifier: PersistentIdentifier
    /// The last values of the properties with `.preserveValueOnDeletion`.
    public let tombstone: HistoryTombstone<Model>

    /// By number.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.changeIdentifier == rhs.changeIdentifier
            && lhs.changedPersistentIdentifier == rhs.changedPersistentIdentifier
    }

    /// By number.
    public func hash(into hasher: inout Hasher) { hasher.combine(changeIdentifier) }
}
