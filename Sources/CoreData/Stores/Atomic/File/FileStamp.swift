// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Identifies the version of a file that a store last read or wrote.

import Foundation

struct FileStamp {
    /// The file was replaced or removed.
    struct Changed: Error {}

    /// nil if the system did not report it; then only the contents are compared.
    let state: FileState?
    let digest: ContentDigest

    /// - Throws: `Changed` when the file at a URL has other contents. A touched file, or one copied back and forth,
    ///   is the same.
    func check(_ url: URL) throws {
        if let state, FileState(of: url) == state { return }
        guard let reader = try? FileReading(url), let found = try? reader.wholeDigest(), found == digest else {
            throw Changed()
        }
    }

    /// nil if the file does not exist.
    static func size(of url: URL) -> Int64? {
        let path = url.resolvingSymlinksInPath().path
        return (try? FileManager.default.attributesOfItem(atPath: path))?[.size].flatMap { $0 as? NSNumber }?.int64Value
    }
}

/// Distinguishes contents by FNV-1a and size. The checksum of binary stores is unsuitable: all files that end with
/// their own CRC have the same CRC.
struct ContentDigest: Equatable {
    private var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    private var size: Int64 = 0

    mutating func add(_ data: Data) {
        var hash = hash
        data.withUnsafeBytes { bytes in
            for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        }
        self.hash = hash
        size += Int64(data.count)
    }
}
