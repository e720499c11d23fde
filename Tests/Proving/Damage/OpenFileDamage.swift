// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Changes bytes of a file that a store has open, as a bad disk or a stray program does, and writes them back.

import CFaults
import CoreDataTestSupport
import Foundation

/// The file stays open as long as the object lives: closing it would release all locks that the process has on it.
final class OpenFileDamage {
    private static let sector = 512

    private let descriptor: Int32
    /// The former bytes, the last damage first.
    private var former: [(offset: Int, bytes: [UInt8])] = []

    /// - Throws: the error of the file system.
    init(_ url: URL) throws {
        descriptor = open(url.path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw CocoaError(.fileNoSuchFile, userInfo: [NSURLErrorKey: url]) }
    }

    deinit { close(descriptor) }

    private var size: Int {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    }

    /// One to four wounds: single bits, a few random bytes, a sector of zeros, or a sector of another place.
    func wound(_ random: inout SeededGenerator) {
        for _ in 0..<Int.random(in: 1...4, using: &random) where size > 0 {
            let offset = Int.random(in: 0..<size, using: &random)
            let sector = offset / Self.sector * Self.sector
            switch Int.random(in: 0..<4, using: &random) {
            case 0: put(read(offset, 1).map { $0 ^ (1 << UInt8.random(in: 0..<8, using: &random)) }, offset)
            case 1:
                let count = Int.random(in: 1...16, using: &random)
                put((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }, offset)
            case 2: put([UInt8](repeating: 0, count: Self.sector), sector)
            default:
                let other = Int.random(in: 0..<size, using: &random) / Self.sector * Self.sector
                put(read(other, Self.sector), sector)
            }
        }
    }

    /// Writes the former bytes back.
    func mend() {
        for (offset, bytes) in former.reversed() { write(bytes, offset) }
        former = []
    }

    /// Bytes beyond the end are left out, so the file keeps its size.
    private func put(_ bytes: [UInt8], _ offset: Int) {
        let bytes = Array(bytes.prefix(size - offset))
        former.append((offset, read(offset, bytes.count)))
        write(bytes, offset)
    }

    private func read(_ offset: Int, _ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let found = pread(descriptor, &bytes, count, off_t(offset))
        return Array(bytes.prefix(max(0, found)))
    }

    private func write(_ bytes: [UInt8], _ offset: Int) { _ = pwrite(descriptor, bytes, bytes.count, off_t(offset)) }
}
