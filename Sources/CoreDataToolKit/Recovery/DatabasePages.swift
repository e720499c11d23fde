// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the pages of a database without SQLite, so that damage in one page hides no other.

import Foundation
import SQLiteDriver

/// The pages of a database file, with the committed pages of its write-ahead log over them.
///
/// Confined to one thread. Nothing here trusts the file: lengths and numbers are checked before they are used.
final class DatabasePages {
    let pageSize: Int
    /// The bytes of a page that hold content.
    let usableSize: Int
    /// The pages of the file and its log.
    let count: Int
    private let file: DatabaseBytes
    /// The places of the newest committed frames in the log, by page.
    private var frames: [Int: UInt64] = [:]
    private let log: FileHandle?

    /// - Throws: `ToolError` for a file that is shorter than a page.
    init(_ url: URL) throws {
        do {
            file = try DatabaseBytes(path: url.path)
        } catch {
            throw ToolError("\(url.path) cannot be read: \(ToolError.text(of: error))")
        }
        let size = ReadLocation.size(url.path)
        let head = [UInt8](try file.read(at: 0, count: 100))
        guard head.count == 100 else { throw ToolError("\(url.path) is shorter than the header of a database.") }
        let isDatabase = head.starts(with: Array("SQLite format 3\0".utf8))
        let named = head[16] == 0 && head[17] == 1 ? 65536 : Int(head[16]) << 8 | Int(head[17])
        let isPlausible = isDatabase && named >= 512 && named.nonzeroBitCount == 1
        // If the header is lost, this is the page size that Core Data has used since 2012.
        pageSize = isPlausible ? named : 4096
        usableSize = pageSize - (isPlausible ? min(Int(head[20]), 32) : 0)
        var pages = size / pageSize
        log = try? FileHandle(forReadingFrom: URL(fileURLWithPath: url.path + "-wal"))
        if let log {
            frames = Self.committed(log, pageSize: pageSize)
            pages = max(pages, frames.keys.max() ?? 0)
        }
        count = pages
    }

    deinit { try? log?.close() }

    /// The bytes of a page; nil for a page beyond the end. Pages are numbered from 1.
    func page(_ number: Int) -> [UInt8]? {
        guard number > 0, number <= count else { return nil }
        do {
            let bytes: Data?
            if let place = frames[number], let log {
                try log.seek(toOffset: place)
                bytes = try log.read(upToCount: pageSize)
            } else {
                bytes = try file.read(at: (number - 1) * pageSize, count: pageSize)
            }
            return bytes.flatMap { $0.count == pageSize ? [UInt8]($0) : nil }
        } catch {
            return nil
        }
    }

    // MARK: The log

    /// The newest frame of each page up to the last commit. Salts and checksums of frames exclude the rest of an older
    /// log.
    private static func committed(_ log: FileHandle, pageSize: Int) -> [Int: UInt64] {
        guard let head = try? log.read(upToCount: 32).map({ [UInt8]($0) }), head.count == 32 else { return [:] }
        let magic = big(head, 0)
        guard magic & 0xFFFF_FFFE == 0x377F_0682, big(head, 8) == UInt32(pageSize) else { return [:] }
        let isBig = magic & 1 == 1
        var sum = checksum((0, 0), head[0..<24], isBig)
        guard sum == (big(head, 24), big(head, 28)) else { return [:] }
        var (found, open): ([Int: UInt64], [Int: UInt64]) = ([:], [:])
        var place: UInt64 = 32
        while let frame = try? log.read(upToCount: 24 + pageSize).map({ [UInt8]($0) }), frame.count == 24 + pageSize {
            guard frame[8..<16] == head[16..<24] else { break }
            sum = checksum(sum, frame[0..<8], isBig)
            sum = checksum(sum, frame[24...], isBig)
            guard sum == (big(frame, 16), big(frame, 20)) else { break }
            open[Int(big(frame, 0))] = place + 24
            if big(frame, 4) != 0 {
                found.merge(open) { _, new in new }
                open = [:]
            }
            place += UInt64(24 + pageSize)
        }
        return found
    }

    private static func checksum(_ start: (UInt32, UInt32), _ bytes: ArraySlice<UInt8>, _ isBig: Bool) -> (
        UInt32, UInt32
    ) {
        var (one, two) = start
        var position = bytes.startIndex
        func word(_ at: Int) -> UInt32 {
            let parts = (UInt32(bytes[at]), UInt32(bytes[at + 1]), UInt32(bytes[at + 2]), UInt32(bytes[at + 3]))
            return isBig
                ? parts.0 << 24 | parts.1 << 16 | parts.2 << 8 | parts.3
                : parts.3 << 24 | parts.2 << 16 | parts.1 << 8 | parts.0
        }
        while position + 8 <= bytes.endIndex {
            one = one &+ word(position) &+ two
            two = two &+ word(position + 4) &+ one
            position += 8
        }
        return (one, two)
    }

    static func big(_ bytes: [UInt8], _ at: Int) -> UInt32 {
        guard at + 4 <= bytes.count else { return 0 }
        return UInt32(bytes[at]) << 24 | UInt32(bytes[at + 1]) << 16 | UInt32(bytes[at + 2]) << 8
            | UInt32(bytes[at + 3])
    }

    // MARK: Free pages

    /// The pages on the list of free ones, as far as it can be read. Deleted rows on them must not be recovered.
    func freePages() -> Set<Int> {
        guard let head = page(1) else { return [] }
        var free: Set<Int> = []
        var trunk = Int(Self.big(head, 32))
        while trunk > 0, trunk <= count, free.insert(trunk).inserted, let bytes = page(trunk) {
            let number = Int(Self.big(bytes, 4))
            guard number <= usableSize / 4 - 2 else { break }
            for position in 0..<number {
                let leaf = Int(Self.big(bytes, 8 + 4 * position))
                if leaf > 1, leaf <= count { free.insert(leaf) }
            }
            trunk = Int(Self.big(bytes, 0))
        }
        return free
    }
}
