// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Bytes of a file that is open as a database.

import Foundation
import SQLiteDriver
import Testing

/// Proves: Studio-E8
@Suite("The bytes of a file can be read while it is open as a database")
struct DatabaseBytesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func piecesEndAtTheEndOfTheFile() throws {
        let url = folder.url.appendingPathComponent("text")
        try Data("0123456789".utf8).write(to: url)
        let bytes = try DatabaseBytes(path: url.path)
        #expect(try bytes.size() == 10)
        #expect(try bytes.read(at: 8, count: 512) == Data("89".utf8))
        #expect(try bytes.read(at: 10, count: 1).isEmpty)
        #expect(try bytes.read(at: 99, count: 1).isEmpty)
    }

    @Test func aCopyHasAllBytesAndALinkIsFollowed() throws {
        let (url, link) = (folder.url.appendingPathComponent("long"), folder.url.appendingPathComponent("link"))
        let content = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        try content.write(to: url)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: url)
        let copy = folder.url.appendingPathComponent("copy")
        try DatabaseBytes(path: link.path).copy(to: copy)
        #expect(try Data(contentsOf: copy) == content)
    }

    @Test func aMissingFileIsAnError() throws {
        let failure = #expect(throws: SQLiteError.self) {
            try DatabaseBytes(path: folder.url.appendingPathComponent("missing").path)
        }
        #expect(failure?.isCantOpen == true)
    }

    /// The system lists the locks of all processes.
    @Test(.enabled(if: FileManager.default.isReadableFile(atPath: "/proc/locks")))
    func readingTheBytesLeavesTheLocksOfAnOpenDatabase() throws {
        let url = folder.url.appendingPathComponent("locked")
        let connection = try Connection(url: url)
        try connection.setJournalMode(.wal)
        try connection.execute("CREATE TABLE t (a)")
        let before = try locks(on: url)
        #expect(before > 0)
        #expect(try DatabaseBytes(path: url.path).read(at: 0, count: 15) == Data("SQLite format 3".utf8))
        #expect(try locks(on: url) == before)
        try connection.close()
        #expect(try locks(on: url) == 0)
    }

    /// The greatest number of several readings: while other processes lock and unlock, the list may lack lines.
    private func locks(on url: URL) throws -> Int {
        let number = try FileManager.default.attributesOfItem(atPath: url.path)[.systemFileNumber] as? Int ?? 0
        let id = getpid()
        return try (0..<20).reduce(0) { most, _ in
            let list = try String(contentsOfFile: "/proc/locks", encoding: .utf8)
            return max(most, list.split(separator: "\n").count { $0.contains(" \(id) ") && $0.contains(":\(number) ") })
        }
    }
}
