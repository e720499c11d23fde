// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A file system in memory with little room, for tests of full disks.

import Foundation
import Testing

/// Mounted in a folder until its release. Only root can do that.
final class SmallDisk {
    let folder: URL

    /// nil if file systems cannot be mounted.
    ///
    /// - Parameter size: in the form of mount: `512k`.
    init?(_ size: String, in parent: URL) {
        folder = parent.appending(path: "disk")
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        guard Self.run("/usr/bin/mount", "-t", "tmpfs", "-o", "size=\(size)", "tmpfs", folder.path) == 0 else {
            return nil
        }
    }

    /// Cancels the test if file systems cannot be mounted.
    static func mounted(_ size: String, in parent: URL) throws -> SmallDisk {
        guard let disk = SmallDisk(size, in: parent) else {
            try Test.cancel("a file system in memory cannot be mounted here")
        }
        return disk
    }

    deinit { _ = Self.run("/usr/bin/umount", "-l", folder.path) }

    func place(_ name: String) -> URL { folder.appending(path: name) }

    func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }

    private static func run(_ path: String, _ arguments: String...) -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return -1 }
        process.waitUntilExit()
        return process.terminationStatus
    }
}
