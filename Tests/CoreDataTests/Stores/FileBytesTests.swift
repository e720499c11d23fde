// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Files are written completely, even if a system call writes only a part.

@testable import CoreData
import Foundation
import Testing

@Suite("Bytes of a file") struct FileBytesTests {
    @Test("each call goes on where the last one stopped", arguments: [1, 7, 1000, 4096])
    func shortWrites(most: Int) throws {
        let data = Data((0..<10_000).map { UInt8(truncatingIfNeeded: $0 / 3) })
        var written = Data()
        var calls = 0
        try FileBytes.write(data) { bytes, count in
            calls += 1
            if calls % 3 == 0 {
                errno = EINTR
                return -1
            }
            written.append(Data(bytes: bytes, count: min(count, most)))
            return min(count, most)
        }
        #expect(written == data)
    }

    @Test("a call that writes nothing more is an error") func full() throws {
        #expect(throws: FileFailure.self) {
            try FileBytes.write(Data(count: 10)) { _, _ in
                errno = ENOSPC
                return -1
            }
        }
    }
}

@Suite("Large data of a commit that failed") struct FailedCommitTests {
    /// A folder of a store, and the owner of its files.
    private let folder = FileManager.default.temporaryDirectory.appending(path: "OpenCoreData-\(UUID().uuidString)")
    private var store: URL { folder.appending(path: "Store.sqlite") }

    private func names() -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: ExternalFiles.folder(of: store).path))?.count ?? 0
    }

    private func save(_ removals: ExternalRemovals) throws -> ExternalFiles {
        let files = ExternalFiles(removals)
        _ = try files.column(ValueBox(Data(count: 200_000)), of: "Photo.data")
        try files.willCommit()
        return files
    }

    @Test("stays until another commit is in the database, since the log may be replayed") func failedCommit() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let removals = ExternalRemovals(of: store, syncs: true)
        try save(removals).commitFailed(isRolledBack: true)
        #expect(names() == 1)
        removals.run { true }
        #expect(names() == 1)
        try save(removals).didCommit()
        removals.run { false }
        #expect(names() == 2)
        removals.run { true }
        #expect(names() == 1)
        try save(removals).rollback()
        #expect(names() == 1)
    }

    @Test("that could not be removed is removed by a later call, or by the next opening") func stubborn() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for isClosed in [false, true] {
            let removals = ExternalRemovals(of: store, syncs: true)
            try save(removals).didCommit()
            let list = try FileManager.default.contentsOfDirectory(atPath: ExternalFiles.folder(of: store).path)
            let name = try #require(list.first { UUID(uuidString: $0) != nil })
            try removals.note([name])
            removals.add([name])
            removals.erase = { _ in }
            removals.run { true }
            #expect(names() == 1)
            removals.erase = StoreFiles.remove
            if isClosed {
                removals.close()
                #expect(ExternalJournal.abandoned(by: store).map(\.names.count) == [1])
            } else {
                removals.run { true }
                #expect(names() == 0)
                removals.close()
                #expect(ExternalJournal.abandoned(by: store).isEmpty)
            }
        }
    }

    @Test("is remembered for the next opening when the store is closed") func closed() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let removals = ExternalRemovals(of: store, syncs: true)
        try save(removals).commitFailed(isRolledBack: true)
        #expect(ExternalJournal.abandoned(by: store).isEmpty)
        removals.close()
        #expect(ExternalJournal.abandoned(by: store).map(\.names.count) == [1])
    }

    @Test("that could not be written whole is looked for when its save is rolled back") func halfWritten() async {
        await #expect(processExitsWith: .exitCode(1)) {
            let folder = FileManager.default.temporaryDirectory.appending(path: "OpenCoreData-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let removals = ExternalRemovals(of: folder.appending(path: "Store.sqlite"), syncs: true)
            let files = ExternalFiles(removals)
            // No file of this process may have more bytes.
            var limit = rlimit(rlim_cur: 100_000, rlim_max: 100_000)
            signal(SIGXFSZ, SIG_IGN)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            guard (try? files.column(ValueBox(Data(count: 200_000)), of: "Photo.data")) == nil else { exit(2) }
            var removed = 0
            removals.erase = { _ in removed += 1 }
            files.rollback()
            exit(Int32(removed))
        }
    }
}
