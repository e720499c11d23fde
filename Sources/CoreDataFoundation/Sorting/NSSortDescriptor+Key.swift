// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Creates sort descriptors from keys, with Apple's initializers.

public import Foundation

/// Adds initializers from keys to Foundation's sort descriptor. An initializer in a protocol extension may assign
/// `self`, so it can return the subclass with the key; one in an extension of the class cannot.
public protocol SortDescriptorMaking {}

extension NSSortDescriptor: SortDescriptorMaking {}

extension SortDescriptorMaking where Self: NSSortDescriptor {
    /// Sorts by the values of a key path, nil first; strings by their bytes.
    ///
    /// ```swift
    /// request.sortDescriptors = [
    ///     NSSortDescriptor(key: "isPinned", ascending: false), NSSortDescriptor(key: "title", ascending: true),
    /// ]
    /// ```
    ///
    /// For an order that readers expect, name a selector: `NSSortDescriptor(key:ascending:selector:)` with
    /// `localizedStandardCompare:` puts "note 9" before "note 10".
    ///
    /// - Parameters:
    ///   - key: a key path; it may follow to-one relationships. nil compares the objects themselves, which no store can
    ///     do.
    ///   - ascending: `false` reverses the order; nil comes last then.
    /// - Important: traps for a malformed key path. A fetch throws 134060 for a key that the entity lacks.
    /// - Complexity: stores sort by it, with an index if the model has one.
    /// - SeeAlso: `NSFetchRequest.sortDescriptors`.
    public init(key: String?, ascending: Bool) {
        self = Self.made(KeySortDescriptor(key, ascending: ascending, order: .comparison(.standard)))
    }

    /// Sorts by the values of a key path with the comparison that a selector names.
    ///
    /// ```swift
    /// let byTitle = NSSortDescriptor(
    ///     key: "title", ascending: true, selector: Selector("localizedStandardCompare:"))
    /// request.sortDescriptors = [byTitle]
    /// ```
    ///
    /// - Parameters:
    ///   - key: a key path; nil compares the objects themselves.
    ///   - ascending: `false` reverses the order.
    ///   - selector: one of `compare:`, `caseInsensitiveCompare:`, `localizedCompare:`,
    ///     `localizedCaseInsensitiveCompare:`, `localizedStandardCompare:`; nil means the first.
    /// - Important: traps for another selector and for a malformed key path.
    /// - Complexity: a SQLite store sorts with these comparisons as well; the index of an attribute serves `compare:`.
    /// - SeeAlso: `NSFetchRequest.sortDescriptors`, `Selector`.
    public init(key: String?, ascending: Bool, selector: Selector?) {
        let name = selector?.description ?? SortComparison.standard.rawValue
        guard let comparison = SortComparison(rawValue: name) else {
            let names = SortComparison.allCases.map(\.rawValue).joined(separator: ", ")
            preconditionFailure("'\(name)' is no order of sort descriptors; use one of \(names), or a comparator")
        }
        self = Self.made(KeySortDescriptor(key, ascending: ascending, order: .comparison(comparison)))
    }

    /// Sorts by the values of a key path with a custom comparator, nil first. No store can use it.
    ///
    /// - Parameter comparator: never called with nil.
    public init(key: String?, ascending: Bool, comparator: @escaping Comparator) {
        self = Self.made(KeySortDescriptor(key, ascending: ascending, order: .code(SortCode(comparator))))
    }

    /// Sorts by a property with values that are not `Comparable`, such as an optional one, nil first.
    @_disfavoredOverload
    public init<Root, Value>(keyPath: KeyPath<Root, Value>, ascending: Bool) {
        self = Self.made(KeyPathSortDescriptor(keyPath, ascending: ascending))
    }

    static func made(_ descriptor: NSSortDescriptor) -> Self {
        guard let descriptor = descriptor as? Self else {
            preconditionFailure(
                "A sort descriptor by key cannot be a \(Self.self); use NSSortDescriptor(key:ascending:)")
        }
        return descriptor
    }
}

extension NSSortDescriptor {
    /// Sorts by a property of managed objects, or of other objects with key-value coding; nil first.
    ///
    /// The compiler checks the name of the property.
    ///
    /// ```swift
    /// request.sortDescriptors = [
    ///     NSSortDescriptor(keyPath: \Memo.isPinned, ascending: false),
    ///     NSSortDescriptor(keyPath: \Memo.title, ascending: true),
    /// ]
    /// ```
    ///
    /// The property is read by its name if that is known, not by its getter, so objects with a missing value can be
    /// sorted even if the property is declared as non-optional.
    ///
    /// - Important: a fetch throws 134060 for a key path without a known name, such as that of a computed property.
    /// - SeeAlso: `NSFetchRequest.sortDescriptors`.
    public convenience init<Root: KeyValueCoding, Value: Comparable>(keyPath: KeyPath<Root, Value>, ascending: Bool) {
        self.init(
            keyPath: \Root.[byValue: ValueOrderPath(keyPath)], ascending: ascending,
            comparator: { SortComparison.standard.order(ComparableValue($0), ComparableValue($1)) })
    }

    /// For a class that has both: without it, a call would match this initializer and the next one equally.
    public convenience init<Root: NSObject & KeyValueCoding, Value: Comparable>(
        keyPath: KeyPath<Root, Value>, ascending: Bool
    ) {
        self.init(
            keyPath: \Root.[byValue: ValueOrderPath(keyPath)], ascending: ascending,
            comparator: { SortComparison.standard.order(ComparableValue($0), ComparableValue($1)) })
    }

    /// Sorts by a property of objects without key-value coding, in the order of its type.
    public convenience init<Root: NSObject, Value: Comparable>(keyPath: KeyPath<Root, Value>, ascending: Bool) {
        self.init(
            keyPath: \NSObject.[objectByValue: ValueOrderPath(keyPath)], ascending: ascending,
            comparator: { left, right in
                guard let left = left as? Value, let right = right as? Value else { return .orderedSame }
                return left < right ? .orderedAscending : right < left ? .orderedDescending : .orderedSame
            })
    }

    /// The key path of the compared values; nil for the objects themselves, and for a typed key path
    /// without known names.
    public var key: String? {
        if let descriptor = self as? KeySortDescriptor { return descriptor.keyName }
        return KeyPathNames.name(of: keyPath)
    }

    /// The selector of the comparison; nil for a comparator.
    public var selector: Selector? { sortComparison.map { Selector($0.rawValue) } }

    /// Allows a descriptor from secure decoding to compare objects. Other descriptors need no permission.
    public func allowEvaluation() { (self as? KeySortDescriptor)?.permitEvaluation() }

    /// The parameters of sorting in a store; nil if only code can sort: with a comparator, for objects themselves, or
    /// for a key path without name.
    package var sortKey: (key: String, ascending: Bool, comparison: SortComparison)? {
        guard let comparison = sortComparison, let key else { return nil }
        return (key, ascending, comparison)
    }

    /// The same descriptor by name, if it is known: rows of a store have keys, but typed key paths cannot read them.
    package var byKey: NSSortDescriptor {
        guard !(self is KeySortDescriptor), let (key, ascending, comparison) = sortKey else { return self }
        return KeySortDescriptor(key, ascending: ascending, order: .comparison(comparison))
    }

    /// Whether the descriptor compares nothing before `allowEvaluation()`: it was read securely from an archive.
    package var needsPermission: Bool { (self as? KeySortDescriptor)?.permit != nil }

    private var sortComparison: SortComparison? {
        guard let descriptor = self as? KeySortDescriptor else {
            return self is KeyPathSortDescriptor || ValueOrderPath.isPath(of: self) ? .standard : nil
        }
        if case .comparison(let comparison) = descriptor.order { return comparison }
        return nil
    }
}
