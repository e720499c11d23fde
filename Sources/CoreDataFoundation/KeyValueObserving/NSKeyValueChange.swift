// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The options and change descriptions of key-value observing, with Apple's names.

public import Foundation

/// The values that an observer receives, and the times of its calls.
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
    /// The bits of the options, with Darwin's values.
    public let rawValue: UInt
    /// Creates options from their bits. Unknown bits have no effect.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// The value after the change.
    public static let new = NSKeyValueObservingOptions(rawValue: 1)
    /// The value before the change.
    public static let old = NSKeyValueObservingOptions(rawValue: 2)
    /// The observer is called once at registration, with the current value.
    public static let initial = NSKeyValueObservingOptions(rawValue: 4)
    /// The observer is also called before each change.
    public static let prior = NSKeyValueObservingOptions(rawValue: 8)
}

/// The kind of a change.
public enum NSKeyValueChange: UInt, Sendable {
    /// The property was set, or its value may have changed for another reason.
    case setting = 1
    /// Members were added to a to-many relationship.
    case insertion = 2
    /// Members were removed from a to-many relationship.
    case removal = 3
    /// Members of an ordered relationship were replaced.
    case replacement = 4
}

/// The keys of a change dictionary.
public struct NSKeyValueChangeKey: RawRepresentable, Hashable, Sendable {
    /// The key in a change dictionary.
    public let rawValue: String
    /// Creates a key. Change dictionaries contain only the keys below.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The kind of the change: the raw value of an `NSKeyValueChange`.
    public static let kindKey = NSKeyValueChangeKey(rawValue: "kind")
    /// The value after the change, or the added members. `NSNull` for nil.
    public static let newKey = NSKeyValueChangeKey(rawValue: "new")
    /// The value before the change, or the removed members. `NSNull` for nil.
    public static let oldKey = NSKeyValueChangeKey(rawValue: "old")
    /// The positions of members added to or removed from an ordered relationship: an `IndexSet`.
    public static let indexesKey = NSKeyValueChangeKey(rawValue: "indexes")
    /// `true` in the call before a change.
    public static let notificationIsPriorKey = NSKeyValueChangeKey(rawValue: "notificationIsPrior")
}

/// A change of a value that is observed by key path.
public struct NSKeyValueObservedChange<Value> {
    /// The kind of a change, by Apple's name for it.
    public typealias Kind = NSKeyValueChange
    /// The kind of the change.
    public let kind: Kind
    /// The value after the change, or the added members; nil without the option `new`.
    public let newValue: Value?
    /// The value before the change, or the removed members; nil without the option `old`.
    public let oldValue: Value?
    /// The positions of members added to or removed from an ordered relationship.
    public let indexes: IndexSet?
    /// Whether the call precedes the change.
    public let isPrior: Bool

    package init(kind: Kind, newValue: Value?, oldValue: Value?, indexes: IndexSet?, isPrior: Bool) {
        self.kind = kind
        self.newValue = newValue
        self.oldValue = oldValue
        self.indexes = indexes
        self.isPrior = isPrior
    }
}
