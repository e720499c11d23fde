// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Estimates the bytes of records, so that batches and pages are bounded in memory.
import Foundation

extension SyncValue {
    /// Whether it is `null`. Cheaper than a comparison of two values.
    package var isNull: Bool { if case .null = self { true } else { false } }

    /// About the number of bytes of the value in a request; for a large value the bytes of its hash, which both
    /// sides hold while they apply it.
    package var size: Int {
        switch self {
        case .string(let text), .uri(let text), .decimal(let text): 20 + text.utf8.count
        case .data(let data), .transformed(let data): 20 + data.count / 3 * 4
        case .large(let large): 150 + Int(min(max(0, large.size), 1 << 40))
        case .composite(let values): values.reduce(20) { $0 + $1.key.utf8.count + $1.value.size }
        default: 40
        }
    }
}

extension SyncChange {
    /// About the number of bytes of the change in a request.
    package var size: Int {
        let fields = fields.reduce(200) { $0 + $1.key.utf8.count + $1.value.value.size + 70 }
        let members = members.values.reduce(fields) { $0 + 40 * ($1.added.count + $1.removed.count) }
        return places.values.reduce(members) { $0 + 150 * $1.count }
    }
}

extension SyncRecordState {
    /// About the number of bytes of the record in a page.
    ///
    /// - Parameter withLarge: whether the bytes of large values count, which are not in the page.
    package func size(withLarge: Bool) -> Int {
        let values = values.reduce(150) { size, value in
            if case .large = value.value, !withLarge { return size + 150 }
            return size + value.key.utf8.count + value.value.size
        }
        let members = members.values.reduce(values) { $0 + 40 * $1.count }
        return orders.values.reduce(members) { $0 + 60 * $1.count }
    }
}
