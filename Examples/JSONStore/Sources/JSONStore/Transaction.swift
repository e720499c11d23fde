// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Changes several files in one atomic step.

import Foundation

/// # States of the folder
///     at rest ──begin──▶ "Staged" ──commit──▶ "Committed" ──all files in place──▶ at rest
/// New files are written to `Staged`; an empty one marks a file to remove. Renaming that folder commits the
/// save: after an earlier crash the old files remain, after a later crash `recover` moves the new ones into place.
struct Transaction {
    private let folder: URL
    private var staged: URL { folder.appending(path: "Staged") }
    private var committed: URL { folder.appending(path: "Committed") }

    init(in folder: URL) { self.folder = folder }

    func begin() throws {
        try recover()
        try FileManager.default.createDirectory(at: staged, withIntermediateDirectories: true)
    }

    /// - Parameter path: relative to the store's folder.
    func write(_ data: Data, to path: String) throws {
        let file = staged.appending(path: path)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: file)
    }

    func remove(_ path: String) throws { try write(Data(), to: path) }

    func commit() throws {
        try FileManager.default.moveItem(at: staged, to: committed)
        try finish()
    }

    func abandon() { try? FileManager.default.removeItem(at: staged) }

    /// Completes a commit that a crash interrupted.
    func recover() throws {
        if FileManager.default.fileExists(atPath: committed.path) { try finish() }
        abandon()
    }

    private func finish() throws {
        let manager = FileManager.default
        for entity in try manager.contentsOfDirectory(atPath: committed.path) {
            let target = folder.appending(path: entity)
            try manager.createDirectory(at: target, withIntermediateDirectories: true)
            let source = committed.appending(path: entity)
            for name in try manager.contentsOfDirectory(atPath: source.path) {
                let (file, place) = (source.appending(path: name), target.appending(path: name))
                if try Data(contentsOf: file).isEmpty {
                    try? manager.removeItem(at: place)
                } else if rename(file.path, place.path) != 0 {
                    throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: place.path])
                }
            }
        }
        try manager.removeItem(at: committed)
    }
}
