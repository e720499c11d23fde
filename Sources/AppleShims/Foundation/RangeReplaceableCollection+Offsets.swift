// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The edits of lists that SwiftUI declares for collections.

public import Foundation

extension RangeReplaceableCollection where Self: MutableCollection {
    /// Moves elements, in their order, before the element that is at `destination` now.
    ///
    /// ```swift
    /// var letters = ["a", "b", "c", "d"]
    /// letters.move(fromOffsets: [0, 1], toOffset: 3)  // c, a, b, d
    /// ```
    ///
    /// - Parameters:
    ///   - source: offsets from the first element. An offset that does not exist stops the program.
    ///   - destination: an offset; the count moves to the end.
    /// - Complexity: O(n).
    public mutating func move(fromOffsets source: IndexSet, toOffset destination: Int) {
        let elements = Array(self)
        precondition(
            source.allSatisfy(elements.indices.contains) && (0...elements.count).contains(destination),
            "Move offsets of the collection: it has \(elements.count) elements")
        let moved = source.map { elements[$0] }
        let before = elements[..<destination].indices.filter { !source.contains($0) }.map { elements[$0] }
        let after = elements[destination...].indices.filter { !source.contains($0) }.map { elements[$0] }
        replaceSubrange(startIndex..<endIndex, with: before + moved + after)
    }

    /// Removes the elements at offsets from the first element.
    ///
    /// - Parameter offsets: an offset that does not exist stops the program.
    /// - Complexity: O(n).
    public mutating func remove(atOffsets offsets: IndexSet) {
        precondition(
            offsets.allSatisfy((0..<count).contains), "Remove offsets of the collection: it has \(count) elements")
        let rest = enumerated().filter { !offsets.contains($0.offset) }.map(\.element)
        replaceSubrange(startIndex..<endIndex, with: rest)
    }
}
