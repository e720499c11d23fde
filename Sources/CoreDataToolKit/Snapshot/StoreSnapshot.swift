// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Copies one state of a store that may be in use, and restores copies.

import CoreData
package import Foundation
import SQLiteDriver

/// The copy of a store that is made before a command changes it.
package enum StoreBackup {
    /// Copies a store with its large data into a folder, which is made if necessary.
    ///
    /// - Returns: the URL of the copy: "Shop before 2026-01-31 120000.sqlite".
    /// - Throws: SQLite's errors and those of the file system; no file remains then.
    package static func make(of store: URL, in folder: URL, now: Date = Date()) throws -> URL {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let time = now.formatted(
            Date.ISO8601FormatStyle(dateSeparator: .dash, dateTimeSeparator: .space, timeSeparator: .omitted)
        )
        .replacing("Z", with: "")
        let base = "\(store.deletingPathExtension().lastPathComponent) before \(time)"
        let ending = store.pathExtension.isEmpty ? "" : "." + store.pathExtension
        var copy = folder.appendingPathComponent(base + ending)
        var number = 1
        while FileManager.default.fileExists(atPath: copy.path) {
            number += 1
            copy = folder.appendingPathComponent("\(base) \(number)\(ending)")
        }
        try StoreSnapshot.make(of: store, at: copy)
        return copy
    }
}

/// Copies of one state of a store that may be in use.
package enum StoreSnapshot {
    /// Copies a store of any kind with its large data. The copy appears when it is complete.
    ///
    /// - Throws: `ToolError` for a file that is no store; SQLite's errors and those of the file system.
    package static func make(of store: URL, at copy: URL) throws {
        guard try FileKind(of: store) == .sqlite else {
            guard try FileKind(of: store) != .model else { throw ToolError("\(store.path) is no store.") }
            let half = copy.deletingLastPathComponent()
                .appendingPathComponent(".\(copy.lastPathComponent)-\(UUID().uuidString)")
            SignalCleanUp.add(half.path)
            defer { SignalCleanUp.remove(half.path) }
            do {
                try FileManager.default.copyItem(at: store, to: half)
                guard rename(half.path, copy.path) == 0 else {
                    throw ToolError("\(copy.path) cannot be written: \(String(cString: strerror(errno))).")
                }
            } catch {
                try? FileManager.default.removeItem(at: half)
                throw error
            }
            return
        }
        let location = try ReadLocation(of: store, isWritten: false)
        let half = try UnfinishedFolders.make(beside: copy)
        defer { UnfinishedFolders.discard(half) }
        let staged = half.appendingPathComponent(copy.lastPathComponent)
        let original = store.resolvingSymlinksInPath()
        try location.naming {
            let connection = try Connection(
                url: location.url, options: .init(access: .readOnly, leavesNoTrace: location.isInPlace))
            defer { try? connection.close() }
            try StoreTables.copy(connection, of: original, to: staged)
        }
        let support = StoreTables.largeDataFolder(of: copy).deletingLastPathComponent()
        if !FileManager.default.fileExists(atPath: support.path) { UnfinishedFolders.add(support) }
        defer { UnfinishedFolders.remove(support) }
        try moveFiles(of: staged, original, to: copy)
        // From now on the files belong to a store.
        UnfinishedFolders.remove(support)
        guard rename(staged.path, copy.path) == 0 else {
            throw ToolError("\(copy.path) cannot be written: \(String(cString: strerror(errno))).")
        }
    }

    /// Moves the files of large data next to the copy, before its database.
    private static func moveFiles(of staged: URL, _ original: URL, to copy: URL) throws {
        let (source, folder) = (StoreTables.largeDataFolder(of: staged), StoreTables.largeDataFolder(of: copy))
        let names = (try? FileManager.default.contentsOfDirectory(atPath: source.path)) ?? []
        let files = names.filter { UUID(uuidString: $0) != nil }
        guard !files.isEmpty else { return }
        guard folder.path != StoreTables.largeDataFolder(of: original).path else {
            throw ToolError(
                "The store and \(copy.path) would share one folder for large data: their names differ in the extension "
                    + "alone. Choose another name.")
        }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for name in files where !FileManager.default.fileExists(atPath: folder.appendingPathComponent(name).path) {
            try FileManager.default.moveItem(
                at: source.appendingPathComponent(name), to: folder.appendingPathComponent(name))
        }
    }
}

extension StoreSnapshot {
    /// Replaces a store by a snapshot, or makes a store of it. A store that is open elsewhere is refused.
    ///
    /// - Throws: `ToolError` for a snapshot that is no store; 134090 for a store in use, and errors of the file system.
    package static func restore(_ snapshot: URL, to url: URL) throws {
        guard let type = try FileKind(of: snapshot).storeType else { throw ToolError("\(snapshot.path) is no store.") }
        try NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
            .replacePersistentStore(at: url, withPersistentStoreFrom: snapshot, ofType: type)
    }

    /// A line for each entity with the numbers of objects in the snapshot and in the store.
    package static func comparison(of snapshot: URL, with store: URL?) throws -> String {
        func counts(_ url: URL) throws -> [String: Int] {
            let opened = try OpenedStore(url)
            var result: [String: Int] = [:]
            for entity in opened.entities where !entity.isAbstract {
                let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
                request.includesSubentities = false
                result[entity.name ?? ""] = try opened.ask { try $0.count(for: request) }
            }
            return result
        }
        let (new, old) = (try counts(snapshot), try store.map(counts) ?? [:])
        let rows = Set(new.keys).union(old.keys).sorted().map { name in
            [name, old[name].map { "\($0)" } ?? "", new[name].map { "\($0)" } ?? ""]
        }
        return TableText(
            columns: ["entity", "now", "snapshot"], alignments: [.left, .right, .right], rows: rows
        ).text
    }
}
