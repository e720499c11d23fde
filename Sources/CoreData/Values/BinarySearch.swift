// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Binary search in sorted lists, by positions.

enum BinarySearch {
    /// The first of `count` positions at which the condition holds; it must hold at all later ones.
    static func first(of count: Int, where condition: (Int) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if condition(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
