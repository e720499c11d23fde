// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Counts requests by user and by replica, and says how long one that came too early has to wait.
import Synchronization

/// A token bucket for each key. A full bucket is the same as none, so full ones are dropped, and memory is bounded.
final class RateLimit<Key: Hashable & Sendable>: Sendable {
    private struct Bucket {
        var tokens: Double
        var time: ContinuousClock.Instant
    }

    private let rate: Double
    private let burst: Double
    private let mostBuckets: Int
    private let buckets = Mutex<[Key: Bucket]>([:])

    /// - Parameters:
    ///   - rate: requests for each second in the long run.
    ///   - burst: requests at once.
    ///   - mostBuckets: the number of buckets at which the fullest half is dropped.
    init(rate: Double, burst: Double, mostBuckets: Int = 20_000) {
        self.rate = max(rate, 0.001)
        self.burst = max(burst, 1)
        self.mostBuckets = mostBuckets
    }

    /// Takes a request, or refuses it.
    ///
    /// - Returns: nil if the request is taken, otherwise the seconds after which one would be.
    func take(_ key: Key, now: ContinuousClock.Instant = .now) -> Double? {
        buckets.withLock { buckets in
            if buckets.count >= mostBuckets, buckets[key] == nil { drop(&buckets, now) }
            let tokens = buckets[key].map { level($0, now) } ?? burst
            guard tokens >= 1 else { return (1 - tokens) / rate }
            buckets[key] = Bucket(tokens: tokens - 1, time: now)
            return nil
        }
    }

    private func level(_ bucket: Bucket, _ now: ContinuousClock.Instant) -> Double {
        min(burst, bucket.tokens + (now - bucket.time) / .seconds(1) * rate)
    }

    private func drop(_ buckets: inout [Key: Bucket], _ now: ContinuousClock.Instant) {
        let levels = buckets.mapValues { level($0, now) }
        let kept = levels.filter { $0.value < burst }.sorted { $0.value < $1.value }.prefix(mostBuckets / 2)
        buckets = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, Bucket(tokens: $0.value, time: now)) })
    }
}
