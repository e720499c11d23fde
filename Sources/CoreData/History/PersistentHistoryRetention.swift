// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The age and number of transactions at which a store removes its history; not part of Apple's API.

public import Foundation

/// How much history a store keeps: a store option, under `optionKey`. Not part of Apple's API.
///
/// The store deletes older transactions in the background, when it is opened and after every 1,000 transactions. A
/// SQLite store also deletes up to 5,000 changes before it is open, because a short-lived program may end before the
/// background deletion. Without a retention a history grows without limit.
///
/// ```swift
/// description.historyRetention = PersistentHistoryRetention(maximumAge: 7 * 24 * 3600)
/// ```
public struct PersistentHistoryRetention: Sendable, Equatable {
    /// In seconds; older transactions are deleted. nil for no limit.
    public var maximumAge: TimeInterval?
    /// The number of transactions to keep; nil for no limit.
    public var maximumTransactions: Int?
    /// Whether transactions are kept until every named reader has acknowledged them; see
    /// `NSPersistentStoreCoordinator.acknowledgeHistory(upTo:as:)`.
    public var keepsUnread: Bool

    /// The key of the store option. Its value is a `PersistentHistoryRetention`.
    public static let optionKey = "OpenCoreDataPersistentHistoryRetention"

    /// Creates a retention; without limits the store keeps its whole history.
    public init(maximumAge: TimeInterval? = nil, maximumTransactions: Int? = nil, keepsUnread: Bool = true) {
        self.maximumAge = maximumAge
        self.maximumTransactions = maximumTransactions
        self.keepsUnread = keepsUnread
    }

    /// The retention among the options of a store, or nil.
    package init?(_ options: [AnyHashable: Any]?) {
        switch options?[Self.optionKey] {
        case let retention as PersistentHistoryRetention: self = retention
        case let box as HistoryRetentionBox: self = box.retention
        default: return nil
        }
    }
}

/// Wraps a retention as an object, for the options of a store description.
final class HistoryRetentionBox: NSObject {
    let retention: PersistentHistoryRetention

    init(_ retention: PersistentHistoryRetention) { self.retention = retention }

    override func isEqual(_ object: Any?) -> Bool { (object as? HistoryRetentionBox)?.retention == retention }
    override var hash: Int { 0 }
}

extension NSPersistentStoreDescription {
    /// How much history the store keeps; nil keeps all of it, which is the default. Not part of Apple's API.
    public var historyRetention: PersistentHistoryRetention? {
        get { (options[PersistentHistoryRetention.optionKey] as? HistoryRetentionBox)?.retention }
        set { setOption(newValue.map(HistoryRetentionBox.init), forKey: PersistentHistoryRetention.optionKey) }
    }
}
