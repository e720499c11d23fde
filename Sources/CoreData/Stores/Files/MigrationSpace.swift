// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Refuses a migration for which its disk has too little space.

import Foundation

struct MigrationSpace {
    let url: URL

    init(url: URL) { self.url = url }

    /// The free bytes on the disk of a store; nil if the system does not say.
    static func freeBytes(at url: URL) -> Int64? {
        let folder = url.deletingLastPathComponent().path
        let free = try? FileManager.default.attributesOfFileSystem(forPath: folder)[.systemFreeSize] as? NSNumber
        return free?.int64Value
    }

    /// - Throws: 640.
    func require(bytes needed: Int64) throws { try require(bytes: needed, free: Self.freeBytes(at: url)) }

    /// - Throws: 640.
    func require(bytes needed: Int64, free: Int64?) throws {
        guard let free, free < needed else { return }
        throw CoreDataError.cannotChangeStore(
            url: url, .outOfSpace, reason: "The migration needs \(needed) bytes on the disk, and \(free) are free.")
    }
}
