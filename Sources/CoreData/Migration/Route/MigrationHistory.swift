// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Records each migration of a store in its metadata.

import CoreDataModelFiles
import Foundation

enum MigrationHistory {
    private static let longest = 100

    static func append(
        to metadata: inout [String: Any], from: String, to: String, _ way: MigrationPlan.Way, rows: Int64
    ) {
        let entry: [String: Any] = [
            "from": from, "to": to, "date": Date(), "way": way.rawValue,
            "rows": NSNumber(value: rows),
        ]
        let entries = metadata[MigrationHistoryKey] as? [Any] ?? []
        metadata[MigrationHistoryKey] = Array((entries + [entry]).suffix(longest))
    }
}

enum VersionDigestValue {
    /// The checksum of the version that wrote a store, computed from its version hashes.
    static func checksum(_ hashes: [String: Data]) -> String { VersionDigest.checksum(hashes) }
}
