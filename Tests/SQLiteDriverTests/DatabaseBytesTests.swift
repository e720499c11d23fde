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

    @Test func readingTheBytesLeavesTheLocksOfAnOpenDatabase() throws {
        let url = folder.url.appendingPathComponent("locked")
        let connection = try Connection(url: url)
        try connection.setJournalMode(.wal)
        try connection.execute("CREATE TABLE t (a)")
        // This descriptor stays open until the end, since closing any descriptor of a file ends the process's locks.
        let descriptor = open(url.path, O_RDWR)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        #expect(try isLocked(descriptor))
        #expect(try DatabaseBytes(path: url.path).read(at: 0, count: 15) == Data("SQLite format 3".utf8))
        #expect(try isLocked(descriptor))
        try connection.close()
        #expect(try !isLocked(descriptor))
    }

    /// Whether a lock of SQLite keeps others from writing: locks of an open file, unlike those of a process, also
    /// meet locks of the same process.
    private func isLocked(_ descriptor: Int32) throws -> Bool {
        let lockOfAnOpenFile: Int32 = 36  // F_OFD_GETLK, which Swift does not import
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        try #require(fcntl(descriptor, lockOfAnOpenFile, &lock) == 0, "fcntl failed with \(errno)")
        return lock.l_type != Int16(F_UNLCK)
    }
}
