// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Temporary files that could not be removed.

import Foundation
import Testing

@testable import CoreData

/// Proves: Stores-K25
@Suite("Temporary files next to a store") struct StagedFileTests {
    @Test("one that could not be removed goes with the next sweep, with its companions") func leftOver() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "Staged-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let target = folder.appending(path: "Store.sqlite")
        var staged: StagedFile? = try StagedFile(beside: target)
        let half = try #require(staged?.url)
        for suffix in ["", "-wal"] { try Data("half".utf8).write(to: URL(filePath: half.path + suffix)) }
        StagedFile.sweep(beside: target)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 3)
        // As after a removal that failed.
        staged = nil
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 3)
        StagedFile.sweep(beside: target)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test("its folder of large data goes with the next sweep") func folderLeftOver() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "Staged-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let target = folder.appending(path: "Store.sqlite")
        var staged: StagedFile? = try StagedFile(beside: target)
        let support = StoreFiles.support(of: try #require(staged?.url))
        try FileManager.default.createDirectory(at: support, withIntermediateDirectories: true)
        staged = nil
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
        StagedFile.sweep(beside: target)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test("its files go with the next sweep when a power failure took the lock file, and files of others stay")
    func withoutLock() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "Staged-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (one, other, third) = (UUID().uuidString, UUID().uuidString, UUID().uuidString)
        let kept = ["Store.sqlite", "notes.half", ".\(one)-wal", ".Store_SUPPORT"]
        for name in kept.dropLast() + [".\(one).half", ".\(other).half-wal"] {
            try Data("half".utf8).write(to: folder.appending(path: name))
        }
        for name in [".Store_SUPPORT", "..\(one)_SUPPORT", "..\(third)_SUPPORT"] {
            try FileManager.default.createDirectory(
                at: folder.appending(path: name + "/_EXTERNAL_DATA"), withIntermediateDirectories: true)
        }
        StagedFile.sweep(beside: folder.appending(path: "Store.sqlite"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == kept.sorted())
    }

    @Test("files that an atomic store left there go with the next sweep, unless it is in use") func atomicLeftOver()
        throws
    {
        let folder = FileManager.default.temporaryDirectory.appending(path: "Staged-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let target = folder.appending(path: "Store.binary")
        var staged: StagedFile? = try StagedFile(beside: target)
        let name = try #require(staged?.url.lastPathComponent)
        try Data("part".utf8).write(to: folder.appending(path: ".\(name).\(UUID().uuidString).tmp"))
        StagedFile.sweep(beside: target)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
        // The lock file goes, and the removal of the other file has failed.
        staged = nil
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
        StagedFile.sweep(beside: target)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test("one that was renamed into place leaves nothing") func renamed() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "Staged-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let target = folder.appending(path: "Store.sqlite")
        var staged: StagedFile? = try StagedFile(beside: target)
        let half = try #require(staged?.url)
        try Data("whole".utf8).write(to: half)
        try FileManager.default.moveItem(at: half, to: target)
        staged = nil
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["Store.sqlite"])
    }
}
