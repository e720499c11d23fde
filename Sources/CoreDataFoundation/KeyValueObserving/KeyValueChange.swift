// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What observers ask for and what they are told, under Apple's names.

public import Foundation

/// What an observer wants to be told.
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// The value after the change.
    public static let new = NSKeyValueObservingOptions(rawValue: 1)
    /// The value before the change.
    public static let old = NSKeyValueObservingOptions(rawValue: 2)
    /// The observer is called once at registration, with the value as it is then.
    public static let initial = NSKeyValueObservingOptions(rawValue: 4)
    /// The observer is called before each change as well.
    public static let prior = NSKeyValueObservingOptions(rawValue: 8)
}

/// How a value changed.
public enum NSKeyValueChange: UInt, Sendable {
    /// It was set, or may have another value than before for any other reason.
    case setting = 1
    /// Members were added to a to-many relationship.
    case insertion = 2
    /// Members were removed from a to-many relationship.
    case removal = 3
    /// Members of an ordered relationship were replaced.
    case replacement = 4
}

/// The keys of the dictionary that describes a change.
public struct NSKeyValueChangeKey: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    /// How the value changed: the number of an `NSKeyValueChange`.
    public static let kindKey = NSKeyValueChangeKey(rawValue: "kind")
    /// The value after the change; of members that were added, those. `NSNull` for nil.
    public static let newKey = NSKeyValueChangeKey(rawValue: "new")
    /// The value before the change; of members that were removed, those. `NSNull` for nil.
    public static let oldKey = NSKeyValueChangeKey(rawValue: "old")
    /// Where members of an ordered relationship were added or removed: an `IndexSet`.
    public static let indexesKey = NSKeyValueChangeKey(rawValue: "indexes")
    /// `true` in what is told before a change.
    public static let notificationIsPriorKey = NSKeyValueChangeKey(rawValue: "notificationIsPrior")
}

/// A change of a value that is observed by key path.
public struct NSKeyValueObservedChange<Value> {
    public typealias Kind = NSKeyValueChange
    /// How the value changed.
    public let kind: Kind
    /// The value after the change, or the members that were added; nil unless `new` was asked for.
    public let newValue: Value?
    /// The value before the change, or the members that were removed; nil unless `old` was asked for.
    public let oldValue: Value?
    /// Where members of an ordered relationship were added or removed.
    public let indexes: IndexSet?
    /// Whether the change is still to come.
    public let isPrior: Bool

    package init(kind: Kind, newValue: Value?, oldValue: Value?, indexes: IndexSet?, isPrior: Bool) {
        self.kind = kind
        self.newValue = newValue
        self.oldValue = oldValue
        self.indexes = indexes
        self.isPrior = isPrior
    }
}
