// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The transactions of a history, and the changes in them.

public import Foundation

/// A point in the history of stores.
public protocol HistoryToken: Comparable, Hashable, Codable, Sendable {
    /// The form of the point.
    associatedtype TokenType: Codable, Hashable, Sendable
    /// The point; nil for the beginning.
    var tokenValue: TokenType? { get set }
}

/// A save.
public protocol HistoryTransaction: Hashable, Identifiable, Sendable {
    /// The kind of points.
    associatedtype TokenType: HistoryToken
    /// The kind of names.
    associatedtype TransactionIdentifier: Hashable, Sendable
    /// The point after the save.
    var token: TokenType { get }
    /// The name of the save.
    var transactionIdentifier: TransactionIdentifier { get }
    /// When it was saved.
    var timestamp: Date { get }
    /// The author of the save; nil where none was set.
    var author: String? { get }
    /// The store.
    var storeIdentifier: String { get }
    /// The changes, in order.
    var changes: [HistoryChange] { get }
}

/// An insertion.
public protocol HistoryInsert<Model>: Hashable, Sendable {
    /// The class.
    associatedtype Model: PersistentModel
    /// The kind of names of changes.
    associatedtype ChangeIdentifier: Hashable, Sendable
    /// The kind of names of transactions.
    associatedtype TransactionIdentifier: Hashable, Sendable
    /// The name of the change.
    var changeIdentifier: ChangeIdentifier { get }
    /// The save.
    var transactionIdentifier: TransactionIdentifier { get }
    /// The record.
    var changedPersistentIdentifier: PersistentIdentifier { get }
}

/// A change of values.
public protocol HistoryUpdate<Model>: Hashable, Sendable {
    /// The class.
    associatedtype Model: PersistentModel
    /// The kind of names of changes.
    associatedtype ChangeIdentifier: Hashable, Sendable
    /// The kind of names of transactions.
    associatedtype TransactionIdentifier: Hashable, Sendable
    /// A property.
    typealias PropertyUpdate = PartialKeyPath<Model> & Sendable
    /// The name of the change.
    var changeIdentifier: ChangeIdentifier { get }
    /// The save.
    var transactionIdentifier: TransactionIdentifier { get }
    /// The record.
    var changedPersistentIdentifier: PersistentIdentifier { get }
    /// The properties that changed.
    var updatedAttributes: [any PartialKeyPath<Model> & Sendable] { get }
}

/// A deletion.
public protocol HistoryDelete<Model>: Hashable, Sendable {
    /// The class.
    associatedtype Model: PersistentModel
    /// The kind of names of changes.
    associatedtype ChangeIdentifier: Hashable, Sendable
    /// The kind of names of transactions.
    associatedtype TransactionIdentifier: Hashable, Sendable
    /// The name of the change.
    var changeIdentifier: ChangeIdentifier { get }
    /// The save.
    var transactionIdentifier: TransactionIdentifier { get }
    /// The record.
    var changedPersistentIdentifier: PersistentIdentifier { get }
    /// The last values of the properties with `.preserveValueOnDeletion`.
    var tombstone: HistoryTombstone<Model> { get }
}

/// A change of one record.
public enum HistoryChange: Sendable {
    /// An insertion.
    case insert(any HistoryInsert)
    /// A change of values.
    case update(any HistoryUpdate)
    /// A deletion.
    case delete(any HistoryDelete)

    /// The record.
    public var changedPersistentIdentifier: PersistentIdentifier {
        switch self {
        case .insert(let change): change.changedPersistentIdentifier
        case .update(let change): change.changedPersistentIdentifier
        case .delete(let change): change.changedPersistentIdentifier
        }
    }
}

// Sendable: key paths of classes capture nothing.
/// The last values of a deleted record, by property.
public struct HistoryTombstone<Model: PersistentModel>: @unchecked Sendable, Sequence {
    private let values: [(PartialKeyPath<Model>, any Sendable)]

    init(_ values: [(PartialKeyPath<Model>, any Sendable)]) { self.values = values }

    /// The last value of a property; nil for one that was not kept.
    public subscript(keyPath: PartialKeyPath<Model>) -> (any Sendable)? { values.first { $0.0 == keyPath }?.1 }

    /// The last value of a property; nil for one that was not kept.
    public subscript<Value>(keyPath: KeyPath<Model, Value>) -> Value? {
        self[keyPath as PartialKeyPath<Model>] as? Value
    }

    /// The properties with their values.
    public func makeIterator() -> some IteratorProtocol<(PartialKeyPath<Model>, any Sendable)> {
        values.makeIterator()
    }
}

/// A description of the transactions to fetch.
///
///     let byWidget = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.author == "widget" })
///     for transaction in try context.fetchHistory(byWidget) { show(transaction.changes) }
public struct HistoryDescriptor<TransactionType: HistoryTransaction> {
    /// The condition; nil for all.
    public var predicate: Predicate<TransactionType>?
    /// How many at most; 0 for all.
    public var fetchLimit: UInt64 = 0
    /// The order; empty for that of the saves.
    public var sortBy: [SortDescriptor<TransactionType>]

    /// Selects transactions by a predicate.
    public init(predicate: Predicate<TransactionType>? = nil) {
        self.predicate = predicate
        sortBy = []
    }

    /// Selects transactions by a predicate, in an order.
    public init(predicate: Predicate<TransactionType>? = nil, sortBy: [SortDescriptor<TransactionType>]) {
        self.predicate = predicate
        self.sortBy = sortBy
    }
}
