// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the members of a list that can keep their positions while the others move.

/// The heaviest ascending subsequence of distinct numbers.
enum OrderedSubsequence {
    /// - Parameter items: the old position and the weight of each item, in the new order.
    /// - Returns: for each item whether it keeps its position.
    /// - Complexity: O(n log n).
    static func stays(_ items: [(old: Int, weight: Int)]) -> [Bool] {
        var result = [Bool](repeating: true, count: items.count)
        if items.indices.dropFirst().allSatisfy({ items[$0 - 1].old < items[$0].old }) { return result }
        // A Fenwick tree over ranks: the last item of the heaviest subsequence up to a rank.
        let ranks = ranks(items)
        var tree = [Int](repeating: -1, count: items.count + 1)
        var total = [Int](repeating: 0, count: items.count)
        var previous = [Int](repeating: -1, count: items.count)
        for (number, item) in items.enumerated() {
            var best = -1
            var node = ranks[number]
            while node > 0 {
                if tree[node] >= 0, best < 0 || total[tree[node]] > total[best] { best = tree[node] }
                node &= node - 1
            }
            previous[number] = best
            total[number] = item.weight + (best < 0 ? 0 : total[best])
            node = ranks[number] + 1
            while node <= items.count {
                if tree[node] < 0 || total[tree[node]] < total[number] { tree[node] = number }
                node += node & -node
            }
        }
        result = [Bool](repeating: false, count: items.count)
        var last = total.indices.max { total[$0] < total[$1] } ?? -1
        while last >= 0 {
            result[last] = true
            last = previous[last]
        }
        return result
    }

    private static func ranks(_ items: [(old: Int, weight: Int)]) -> [Int] {
        var ranks = [Int](repeating: 0, count: items.count)
        for (rank, number) in items.indices.sorted(by: { items[$0].old < items[$1].old }).enumerated() {
            ranks[number] = rank
        }
        return ranks
    }
}
