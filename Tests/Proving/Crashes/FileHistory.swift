// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The recorded changes of a folder as values: names, contents, syncs, and marks of the workload.

import CFaults
import Foundation

/// One change, with files by their number: two names of one file have one number, and a new file has a new one.
enum FileChange {
    case make(String, file: Int)
    case write(file: Int, offset: Int, bytes: [UInt8])
    case resize(file: Int, size: Int)
    case sync(file: Int)
    case syncFolder(String)
    case rename(String, String)
    case link(String, String)
    case remove(String)
    case makeFolder(String)
    case removeFolder(String)
    /// A save of this number returned.
    case mark(Int)
}

struct FileHistory {
    var changes: [FileChange] = []

    /// Records the changes below a folder that is empty at first. Paths are relative to it.
    static func record(_ folder: URL, _ body: () throws -> Void) rethrows -> FileHistory {
        ocd_watch(folder.path)
        ocd_record_start()
        defer { ocd_watch(nil) }
        try body()
        var count = 0
        guard let events = ocd_record_stop(&count) else { return FileHistory() }
        var reader = Reader(folder: folder.path)
        for event in UnsafeBufferPointer(start: events, count: count) { reader.read(event) }
        return FileHistory(changes: reader.changes)
    }

    /// Follows names and descriptors to numbers of files.
    private struct Reader {
        let folder: String
        var changes: [FileChange] = []
        private var files: [String: Int] = [:]
        private var descriptors: [Int32: Opened] = [:]
        private var nextFile = 1

        private enum Opened {
            case file(Int)
            case folder(String)
        }

        init(folder: String) { self.folder = folder }

        private func name(_ path: UnsafePointer<CChar>?) -> String {
            guard let path else { return "" }
            let text = String(cString: path)
            return text.hasPrefix(folder + "/") ? String(text.dropFirst(folder.count + 1)) : text
        }

        mutating func read(_ event: ocd_event) {
            let name = name(event.path)
            switch event.kind {
            case OCD_EVENT_OPEN: open(name, event)
            case OCD_EVENT_CLOSE: descriptors[event.number] = nil
            case OCD_EVENT_WRITE:
                guard case .file(let file) = descriptors[event.number], let bytes = event.bytes else { return }
                let buffer = UnsafeRawBufferPointer(start: bytes, count: Int(event.count))
                changes.append(.write(file: file, offset: Int(event.offset), bytes: [UInt8](buffer)))
            case OCD_EVENT_TRUNCATE:
                if event.number >= 0 {
                    guard case .file(let file) = descriptors[event.number] else { return }
                    changes.append(.resize(file: file, size: Int(event.offset)))
                } else if let file = files[name] {
                    changes.append(.resize(file: file, size: Int(event.offset)))
                }
            case OCD_EVENT_SYNC:
                switch descriptors[event.number] {
                case .file(let file): changes.append(.sync(file: file))
                case .folder(let name): changes.append(.syncFolder(name))
                case nil: break
                }
            case OCD_EVENT_RENAME:
                let second = self.name(event.second)
                changes.append(.rename(name, second))
                files[second] = files.removeValue(forKey: name)
            case OCD_EVENT_LINK:
                let second = self.name(event.second)
                changes.append(.link(name, second))
                files[second] = files[name]
            case OCD_EVENT_UNLINK:
                changes.append(.remove(name))
                files[name] = nil
            case OCD_EVENT_MKDIR: changes.append(.makeFolder(name))
            case OCD_EVENT_RMDIR: changes.append(.removeFolder(name))
            case OCD_EVENT_MARK: changes.append(.mark(Int(event.number)))
            default: break
            }
        }

        private mutating func open(_ name: String, _ event: ocd_event) {
            var status = stat()
            if event.other == 1 || (files[name] == nil && event.other != 0) {
                files[name] = nextFile
                nextFile += 1
                changes.append(.make(name, file: files[name] ?? 0))
            }
            if let file = files[name] {
                if event.other == 2 { changes.append(.resize(file: file, size: 0)) }
                descriptors[event.number] = .file(file)
            } else {
                let path = name.hasPrefix("/") ? name : folder + "/" + name
                let isFolder = stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFDIR
                descriptors[event.number] = isFolder ? .folder(name.hasPrefix("/") ? "" : name) : nil
            }
        }
    }
}
