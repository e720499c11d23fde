// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Records large-data files that may become obsolete, so that they are removed even after a crash.

import Foundation

/// The names of the files that an open store's saves create and make obsolete, in a file.
///
/// # States
///     no file ──first name──▶ on disk, locked ──closed without names──▶ no file
///                                        └──closed, or the process ended──▶ on disk, unlocked ──swept──▶ no file
/// 1. The journal contains a name before its file is written, and before a commit releases the file.
/// 2. An unlocked journal belongs to a closed store or to a process that has ended. The next opening of its store for
///    writing removes its unreferenced files (`ExternalLeftovers`), and then the journal. It lies in
///    `.<store>_SUPPORT`, next to the folder of the files, which other frameworks ignore. A power failure may lose the
///    names of the last saves: obsolete files then remain and only take space. Migrations and copies sync it.
final class ExternalJournal {
    static let suffix = "pending"
    /// The size in bytes at which a journal is rewritten with its remaining names.
    private static let longest = 256 << 10

    /// The folder of the journal.
    let place: URL
    private let title: String
    private let access: FileAccess
    private var url: URL?
    private var descriptor: Int32 = -1
    private var length = 0

    init(of store: URL, _ access: FileAccess) {
        place = ExternalFiles.folder(of: store).deletingLastPathComponent()
        title = Self.title(of: store)
        self.access = access
    }

    deinit { close() }

    /// The first line: stores with names that differ only in the extension share a folder.
    private static func title(of store: URL) -> String {
        let name = store.resolvingSymlinksInPath().lastPathComponent
        return "store " + (name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")
    }

    /// - Throws: `FileFailure`.
    func note(_ names: some Sequence<String>) throws {
        if descriptor < 0 {
            try access.makeFolder(place)
            try begin()
        }
        try write(names)
    }

    private func begin() throws {
        while true {
            let url = place.appending(path: "\(UUID().uuidString).\(Self.suffix)")
            let descriptor = open(url.path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, access.mode)
            guard descriptor >= 0 else { throw FileFailure("open") }
            access.apply(to: descriptor)
            // On file systems without locks, abandoned journals are never swept.
            _ = flock(descriptor, LOCK_EX)
            var status = stat()
            // Another process may have swept the file before it was locked.
            guard fstat(descriptor, &status) != 0 || status.st_nlink > 0 else {
                Self.end(descriptor)
                continue
            }
            (self.url, self.descriptor, length) = (url, descriptor, 0)
            return try append(title + "\n")
        }
    }

    private func write(_ names: some Sequence<String>) throws {
        try append(names.map { $0 + "\n" }.joined())
    }

    private func append(_ text: String) throws {
        let data = Data(text.utf8)
        try FileBytes.write(data, to: descriptor)
        length += data.count
    }

    /// Makes the title, the present names and the name of the journal durable.
    ///
    /// - Throws: `FileFailure`.
    func sync() throws {
        guard let url, descriptor >= 0 else { return }
        try FileBytes.sync(url)
        try FileBytes.sync(place)
    }

    /// Notes the files that a migration or a copy is about to write or to remove, so that a power failure does not lose
    /// the names either.
    ///
    /// - Throws: a Cocoa error.
    func noteDurably(_ names: some Sequence<String>) throws {
        do {
            try note(names)
            try sync()
        } catch let failure as FileFailure {
            throw failure.writing(place, store: nil)
        }
    }

    /// Removes all names, once the removal of their files is durable.
    func clearDurably() {
        guard descriptor >= 0, length > title.utf8.count + 1 else { return }
        StoreFiles.sync(place.appendingPathComponent(ExternalFiles.folderName))
        clear()
    }

    /// Removes all names.
    func clear() {
        guard descriptor >= 0, length > title.utf8.count + 1 else { return }
        if ftruncate(descriptor, off_t(title.utf8.count + 1)) == 0 { length = title.utf8.count + 1 }
    }

    /// Rewrites a long journal. The old one is removed last.
    func shorten(to names: Set<String>) {
        guard length > Self.longest, let old = url else { return }
        let (oldDescriptor, oldLength) = (descriptor, length)
        do {
            try begin()
            try write(names)
            StoreFiles.remove(old)
            Self.end(oldDescriptor)
        } catch {
            // If the disk is full, the long journal remains in use.
            if descriptor != oldDescriptor {
                if let url { StoreFiles.remove(url) }
                Self.end(descriptor)
            }
            (url, descriptor, length) = (old, oldDescriptor, oldLength)
        }
    }

    /// A journal with names is kept for the next opening.
    func close() {
        guard descriptor >= 0 else { return }
        if length <= title.utf8.count + 1, let url { StoreFiles.remove(url) }
        Self.end(descriptor)
        (url, descriptor) = (nil, -1)
    }

    private static func end(_ descriptor: Int32) { _ = systemClose(descriptor) }

    // MARK: Abandoned journals

    /// An abandoned journal, locked until it is released.
    final class Abandoned {
        let names: Set<String>
        private let url: URL
        private let descriptor: Int32

        fileprivate init?(_ url: URL, of title: String) {
            descriptor = open(url.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            self.url = url
            guard descriptor >= 0 else { return nil }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, let data = try? Data(contentsOf: url) else {
                ExternalJournal.end(descriptor)
                return nil
            }
            let lines = String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
            // Only UUIDs become part of a path, and the last line may be incomplete.
            names = Set(lines.dropFirst().filter { $0.count == 36 && UUID(uuidString: $0) != nil })
            // A journal without a first line has no names.
            guard lines.first == title || (lines.count < 2 && !data.contains(UInt8(ascii: "\n"))) else { return nil }
        }

        deinit { ExternalJournal.end(descriptor) }

        func remove() { StoreFiles.remove(url) }
    }

    static func abandoned(by store: URL) -> [Abandoned] {
        let place = ExternalFiles.folder(of: store).deletingLastPathComponent()
        let title = title(of: store)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? []
        return names.filter { $0.hasSuffix(".\(suffix)") }.compactMap {
            Abandoned(place.appendingPathComponent($0), of: title)
        }
    }
}

/// The system's `close`, which a method of the same name hides.
private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
