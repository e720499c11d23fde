// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What a store remembers of the file that it has read or written last.

import Foundation

struct FileStamp {
    /// Another file is there, or none.
    struct Changed: Error {}

    /// nil when the system did not tell; then contents alone count.
    let state: FileState?
    let digest: ContentDigest

    /// - Throws: `Changed` when the file at a URL is another one, or has other contents. One that was only touched, or
    ///   copied there and back, is the same.
    func check(_ url: URL) throws {
        if let state, FileState(of: url) == state { return }
        guard let reader = try? FileReading(url), let found = try? reader.wholeDigest(), found == digest else {
            throw Changed()
        }
    }

    /// nil when there is no file.
    static func size(of url: URL) -> Int64? {
        let path = url.resolvingSymlinksInPath().path
        return (try? FileManager.default.attributesOfItem(atPath: path))?[.size].flatMap { $0 as? NSNumber }?.int64Value
    }
}

/// Tells contents apart (FNV-1a, and the size). Not the checksum of binary stores: a file that ends with its own CRC
/// has the same one as every other such file.
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
