// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads a file piece by piece and computes its digest.

import Foundation

final class FileReading {
    static let pieceSize = 256 << 10

    /// The size of the file when it was opened, in bytes.
    let size: Int64
    private let descriptor: Int32
    private let state: FileState?
    private var digest = ContentDigest()

    /// - Throws: `FileFailure`.
    init(_ url: URL) throws {
        // Not blocked by a pipe, which `S_ISREG` then detects.
        descriptor = open(url.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw FileFailure("open") }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            errno = EISDIR
            let failure = FileFailure("open")
            close(descriptor)
            throw failure
        }
        size = Int64(status.st_size)
        state = FileState(descriptor: descriptor)
    }

    deinit { close(descriptor) }

    /// nil at the end of the file.
    func next() throws -> Data? {
        var data = Data(count: Self.pieceSize)
        let count = try data.withUnsafeMutableBytes { bytes in
            while true {
                let count = read(descriptor, bytes.baseAddress, bytes.count)
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { throw FileFailure("read") }
                return count
            }
        }
        guard count > 0 else { return nil }
        data.removeSubrange(count...)
        digest.add(data)
        return data
    }

    /// All remaining bytes.
    ///
    /// - Throws: `FileFailure` with `ENOMEM` for a file that this process cannot hold: a file may be of any size
    ///   without taking room on the disk, and Swift ends the process when an allocation fails.
    func rest() throws -> [UInt8] {
        guard Self.isRoom(for: Int(size)) else {
            errno = ENOMEM
            throw FileFailure("read")
        }
        var result: [UInt8] = []
        result.reserveCapacity(Int(size))
        while let piece = try next() { result.append(contentsOf: piece) }
        return result
    }

    /// Whether the system gives this process so much memory at the moment.
    private static func isRoom(for size: Int) -> Bool {
        guard size > 0 else { return true }
        guard UInt64(size) < ProcessInfo.processInfo.physicalMemory else { return false }
        let room = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let room, room != MAP_FAILED else { return false }
        munmap(room, size)
        return true
    }

    func wholeDigest() throws -> ContentDigest {
        while try next() != nil {}
        return digest
    }

    /// The stamp of the whole file.
    func stamp() throws -> FileStamp { FileStamp(state: state, digest: try wholeDigest()) }
}
