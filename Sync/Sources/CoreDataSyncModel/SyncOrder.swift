// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Fractional keys of ordered relationships, and the fewest new keys that describe a new order.
package import Foundation

/// Keys of base-36 digits, read as fractions: "i" is between "h" and "j", and "hi" between "h" and "i".
package enum SyncOrder {
    private static let digits = Array("0123456789abcdefghijklmnopqrstuvwxyz".utf8)

    /// The keys that must change so that members sorted by key, then by name, are in an order.
    ///
    /// Members of a longest increasing run of their present keys keep them.
    ///
    /// - Parameters:
    ///   - names: the members in the wanted order.
    ///   - keys: the present keys; members without one get one.
    package static func changes(for names: [UUID], keys: [UUID: String]) -> [UUID: String] {
        let kept = longestRun(names, keys)
        var result: [UUID: String] = [:]
        var index = 0
        var lower: String?
        while index < names.count {
            if kept.contains(index) {
                lower = keys[names[index]]
                index += 1
                continue
            }
            var end = index
            while end < names.count, !kept.contains(end) { end += 1 }
            let upper = end < names.count ? keys[names[end]] : nil
            for (name, key) in zip(names[index..<end], evenly(end - index, lower, upper)) {
                result[name] = key
                lower = key
            }
            index = end
        }
        return result
    }

    /// A number of increasing keys between two; nil means the beginning or the end.
    private static func evenly(_ count: Int, _ lower: String?, _ upper: String?) -> [String] {
        guard count > 0 else { return [] }
        let middle = between(lower, upper)
        let left = (count - 1) / 2
        return evenly(left, lower, middle) + [middle] + evenly(count - 1 - left, middle, upper)
    }

    /// A key strictly between two; without a trailing zero, so that there is always room below it.
    package static func between(_ lower: String?, _ upper: String?) -> String {
        let low = (lower ?? "").utf8.map(value)
        let high = upper.map { $0.utf8.map(value) }
        var key: [Int] = []
        var position = 0
        var isBounded = high != nil
        while true {
            let least = position < low.count ? low[position] : 0
            let most = isBounded ? (high.map { position < $0.count ? $0[position] : 0 } ?? 36) : 36
            if most - least > 1 {
                key.append((least + most) / 2)
                return String(decoding: key.map { digits[$0] }, as: UTF8.self)
            }
            key.append(least)
            if least < most { isBounded = false }
            position += 1
        }
    }

    private static func value(_ digit: UInt8) -> Int { digits.firstIndex(of: digit) ?? 0 }

    /// The indexes of a longest run of members whose keys strictly increase.
    private static func longestRun(_ names: [UUID], _ keys: [UUID: String]) -> Set<Int> {
        var ends: [Int] = []
        var previous = [Int?](repeating: nil, count: names.count)
        for (index, name) in names.enumerated() {
            guard let key = keys[name] else { continue }
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if (keys[names[ends[middle]]] ?? "") < key { low = middle + 1 } else { high = middle }
            }
            previous[index] = low > 0 ? ends[low - 1] : nil
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        var run: Set<Int> = []
        var current = ends.last
        while let index = current {
            run.insert(index)
            current = previous[index]
        }
        return run
    }
}
