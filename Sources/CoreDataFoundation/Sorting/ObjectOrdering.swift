// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Sorts objects by several descriptors.

package import Foundation

/// Prepared descriptors. Each one decides between objects that are equal under the previous ones.
package struct ObjectOrdering {
    private let descriptors: [NSSortDescriptor]

    /// Typed key paths are read by name if it is known: the getter of a non-optional property traps if the
    /// value is missing.
    package init(_ descriptors: [NSSortDescriptor]) { self.descriptors = descriptors.map(\.byKey) }

    /// Traps for an unknown key; `sorted(_:)` throws.
    package func areInIncreasingOrder(_ left: Any, _ right: Any) -> Bool { compare(left, right) == .orderedAscending }

    package func compare(_ left: Any, _ right: Any) -> ComparisonResult {
        for descriptor in descriptors {
            let result = descriptor.compare(left, to: right)
            if result != .orderedSame { return result }
        }
        return .orderedSame
    }

    /// Sorts the elements. Equal ones keep their order, or are ordered by `ties`.
    ///
    /// - Throws: `KeyValueError` for an unknown key.
    /// - Complexity: reads each key once per element, not once per comparison.
    package func sorted<Element>(_ elements: [Element], ties: ((Element, Element) -> Bool)? = nil) throws -> [Element] {
        if descriptors.isEmpty || elements.count < 2 { return elements }
        let columns = try descriptors.map { try SortColumn($0, elements) }
        let order = elements.indices.sorted { left, right in
            for column in columns {
                let result = column.compare(left, right)
                if result != .orderedSame { return result == .orderedAscending }
            }
            return ties?(elements[left], elements[right]) ?? (left < right)
        }
        return order.map { elements[$0] }
    }
}

/// The values of all elements for one descriptor.
private struct SortColumn {
    private let descriptor: NSSortDescriptor
    private let order: KeySortDescriptor.Order?
    private let isAscending: Bool
    /// The elements themselves, for a descriptor of a foreign class.
    private let originals: [Any?]
    private let values: [ComparableValue]

    init<Element>(_ descriptor: NSSortDescriptor, _ elements: [Element]) throws {
        self.descriptor = descriptor
        isAscending = descriptor.ascending
        guard let keyed = descriptor as? KeySortDescriptor else {
            (order, originals, values) = (nil, elements, [])
            return
        }
        order = keyed.order
        originals = try elements.map { try keyed.value(of: $0) }
        values = originals.map(ComparableValue.init)
    }

    func compare(_ left: Int, _ right: Int) -> ComparisonResult {
        if let order {
            return KeySortDescriptor.compare(
                values: values[left], values[right], originals[left], originals[right], order
            ).directed(ascending: isAscending)
        }
        guard let left = originals[left], let right = originals[right] else { return .orderedSame }
        return descriptor.compare(left, to: right)
    }
}
