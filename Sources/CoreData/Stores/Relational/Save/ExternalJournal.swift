// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Remembers which files beside a database a save is about, so that a crash leaves none of them behind for ever.

import Foundation

/// The names of the files that one save writes and makes useless, in a file of its own.
///
/// # States
///     no file ──the first name──▶ on disk ──the save is through, or taken back, and what it left useless is gone──▶ no file
/// 1. A name is in the journal before its file is written, or before the row that named it is committed.
/// 2. A journal whose process has ended is that of a crash: whoever opens the store for writing next removes those of its
///    files that no row names (`ExternalLeftovers`), and then the journal.
/// It lies in `.<store>_SUPPORT`, beside the folder of the files, where other frameworks do not look. That the process may
/// crash is what it is for; after the failure of a whole machine useless files may stay, which cost space alone.
final class ExternalJournal {
    private static let suffix = "pending"
    private let folder: URL
    private lazy var url = folder.deletingLastPathComponent().appending(
        path: "\(ProcessInfo.processInfo.processIdentifier)-\(UUID().uuidString).\(Self.suffix)")
    private var handle: FileHandle?

    /// - Parameter folder: that of the files.
    init(folder: URL) { self.folder = folder }

    /// - Throws: what the file system says.
    func note(_ names: some Sequence<String>) throws {
        if handle == nil {
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data().write(to: url)
            handle = try FileHandle(forWritingTo: url)
        }
        for name in names { try handle?.write(contentsOf: Data((name + "\n").utf8)) }
    }

    func close() {
        guard let handle else { return }
        try? handle.close()  // what is written to it is of no use any more
        self.handle = nil
        try? FileManager.default.removeItem(at: url)
    }

    /// What crashes have left.
    ///
    /// - Parameter folder: that of the files.
    static func left(beside folder: URL) -> [(journal: URL, names: [String])] {
        let place = folder.deletingLastPathComponent()
        let files = (try? FileManager.default.contentsOfDirectory(at: place, includingPropertiesForKeys: nil)) ?? []
        return files.filter { $0.pathExtension == suffix && isOfEndedProcess($0.lastPathComponent) }.map { journal in
            let lines = (try? String(contentsOf: journal, encoding: .utf8)) ?? ""
            // Nothing but a UUID leads to a path, and the last line may be half there.
            return (journal, lines.split(separator: "\n").map(String.init).filter { UUID(uuidString: $0) != nil })
        }
    }

    private static func isOfEndedProcess(_ name: String) -> Bool {
        guard let process = name.split(separator: "-").first.flatMap({ Int32($0) }), process > 0 else { return false }
        return kill(process, 0) != 0 && errno == ESRCH
    }
}
