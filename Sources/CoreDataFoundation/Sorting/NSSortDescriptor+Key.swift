// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes sort descriptors from keys, under the names that Apple gives.

public import Foundation

/// Gives Foundation's sort descriptor the initializers from keys. An initializer in an extension of a protocol may assign
/// `self`, so it can return the subclass that keeps the key; one in an extension of the class cannot.
public protocol SortDescriptorMaking {}

extension NSSortDescriptor: SortDescriptorMaking {}

extension SortDescriptorMaking where Self: NSSortDescriptor {
    /// Sorts by the values of a key path, nil first; strings by their bytes.
    ///
    /// - Parameter key: nil compares the objects themselves. Traps on a malformed key path.
    public init(key: String?, ascending: Bool) {
        self = Self.made(KeySortDescriptor(key, ascending: ascending, order: .comparison(.standard)))
    }

    /// Sorts by the values of a key path in the order that a selector names.
    ///
    /// - Parameter selector: one of `compare:`, `caseInsensitiveCompare:`, `localizedCompare:`,
    ///   `localizedCaseInsensitiveCompare:`, `localizedStandardCompare:`; nil means the first. Traps on others.
    public init(key: String?, ascending: Bool, selector: Selector?) {
        let name = selector?.description ?? SortComparison.standard.rawValue
        guard let comparison = SortComparison(rawValue: name) else {
            let names = SortComparison.allCases.map(\.rawValue).joined(separator: ", ")
            preconditionFailure("'\(name)' is no order of sort descriptors; use one of \(names), or a comparator")
        }
        self = Self.made(KeySortDescriptor(key, ascending: ascending, order: .comparison(comparison)))
    }

    /// Sorts by the values of a key path in an order of one's own, nil first. No store can sort by it.
    ///
    /// - Parameter comparator: is never called with nil.
    public init(key: String?, ascending: Bool, comparator: @escaping Comparator) {
        self = Self.made(KeySortDescriptor(key, ascending: ascending, order: .code(SortCode(comparator))))
    }

    /// Sorts by a property whose values are not `Comparable`, such as an optional one, nil first.
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
    /// The property is read by its name where that is known, and not by its getter: an object whose value is missing is
    /// sorted, too, though the class declares that there always is one.
    public convenience init<Root: KeyValueCoding, Value: Comparable>(keyPath: KeyPath<Root, Value>, ascending: Bool) {
        self.init(
            keyPath: \Root.[named: NamedPath(path: keyPath)], ascending: ascending,
            comparator: { SortComparison.standard.order(ComparableValue($0), ComparableValue($1)) })
    }

    /// The key path that values are read by; nil for the objects themselves, and for a typed key path without known names.
    public var key: String? {
        if let descriptor = self as? KeySortDescriptor { return descriptor.keyName }
        return KeyPathNames.name(of: keyPath)
    }

    /// The order by name; nil for a comparator.
    public var selector: Selector? { sortComparison.map { Selector($0.rawValue) } }

    /// Lets a descriptor that was read securely from an archive compare objects. Others need no leave.
    public func allowEvaluation() { (self as? KeySortDescriptor)?.permitEvaluation() }

    /// What a store needs to sort; nil where only code can: a comparator, the objects themselves, a key path without name.
    package var sortKey: (key: String, ascending: Bool, comparison: SortComparison)? {
        guard let comparison = sortComparison, let key else { return nil }
        return (key, ascending, comparison)
    }

    /// The same by name, where the name is known: rows of a store have keys, but typed key paths do not lead from them.
    package var byKey: NSSortDescriptor {
        guard !(self is KeySortDescriptor), let (key, ascending, comparison) = sortKey else { return self }
        return KeySortDescriptor(key, ascending: ascending, order: .comparison(comparison))
    }

    private var sortComparison: SortComparison? {
        guard let descriptor = self as? KeySortDescriptor else {
            return self is KeyPathSortDescriptor || FoundationComparator.isByValue(self) ? .standard : nil
        }
        if case .comparison(let comparison) = descriptor.order { return comparison }
        return nil
    }
}
