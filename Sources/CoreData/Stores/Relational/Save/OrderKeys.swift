// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Assigns the order keys of an ordered relationship's members, with as few changes as possible.

/// Order keys with Apple's spacing: 2048 for the first member, 1024 more for each next one, and values in between for
/// inserted members. In tables that other programs define, the first member has 1, and each next one 1 more.
package enum OrderKeys {
    package static let first: Int64 = 2048
    package static let step: Int64 = 1024
    package static let counting: (first: Int64, step: Int64) = (1, 1)
    /// Beyond this limit all keys are reassigned, well before the range of 32 bits ends.
    private static let limit: Int64 = 0x3fff_ffff

    /// Ascending keys for members in their new order.
    ///
    /// - Parameters:
    ///   - current: the current key of each member; nil for a new one.
    ///   - spacing: the key of the very first member, and the distance between members.
    /// - Returns: a key for each member. As many keys as possible are unchanged.
    package static func assigned(_ current: [Int64?], _ spacing: (first: Int64, step: Int64) = (first, step))
        -> [Int64]
    {
        let (first, step) = spacing
        let kept = longestAscending(current)
        var result: [Int64] = []
        result.reserveCapacity(current.count)
        var position = 0
        var last: Int64 = 0
        while position < current.count {
            if kept.contains(position), let key = current[position] {
                result.append(key)
                last = key
                position += 1
                continue
            }
            var end = position
            while end < current.count, !kept.contains(end) { end += 1 }
            let gap = Int64(end - position)
            if end == current.count {
                // After the last member; the very first member gets 2048.
                let start = result.isEmpty ? first : last + step
                for offset in 0..<gap { result.append(start + offset * step) }
                last = start + (gap - 1) * step
            } else {
                guard let next = current[end] else { return fresh(current.count, spacing) }
                let room = (next - last) / (gap + 1)
                guard room >= 1 else { return fresh(current.count, spacing) }
                for offset in 1...gap { result.append(last + offset * room) }
            }
            position = end
        }
        return last > limit ? fresh(current.count, spacing) : result
    }

    private static func fresh(_ count: Int, _ spacing: (first: Int64, step: Int64)) -> [Int64] {
        (0..<count).map { spacing.first + Int64($0) * spacing.step }
    }

    /// The positions of a longest increasing subsequence of keys within the limits. Keys outside of the limits occur
    /// only in damaged files.
    private static func longestAscending(_ keys: [Int64?]) -> Set<Int> {
        var tails: [Int] = []
        var previous: [Int?] = Array(repeating: nil, count: keys.count)
        for (position, key) in keys.enumerated() {
            guard let key, key > 0, key <= limit else { continue }
            var (low, high) = (0, tails.count)
            while low < high {
                let middle = (low + high) / 2
                if let tail = keys[tails[middle]], tail < key { low = middle + 1 } else { high = middle }
            }
            previous[position] = low > 0 ? tails[low - 1] : nil
            if low == tails.count { tails.append(position) } else { tails[low] = position }
        }
        var result: Set<Int> = []
        var position = tails.last
        while let current = position {
            result.insert(current)
            position = previous[current]
        }
        return result
    }
}
