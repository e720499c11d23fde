// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Checks the files of large data: those that rows name, and orphans.

import CoreData
import Foundation
import SQLiteDriver

extension Examination {
    /// A younger file may belong to a save that has not committed.
    private static let minimumAge: TimeInterval = 60

    func checkLargeData() throws {
        guard let tables = store.tables else { return }
        let folder = StoreTables.largeDataFolder(of: store.url)
        var named: [String: FirstRow] = [:]
        for entity in tables.entities {
            for attribute in entity.attributes where !attribute.isInherited {
                for column in attribute.columns where column.kind == .externalBinary {
                    try check(attribute.name, column, entity, folder, &named)
                }
            }
        }
        try checkOrphans(folder, named: try StoreTables.largeDataNames(store.connection))
    }

    private struct FirstRow {
        let table: String
        let column: String
    }

    private func check(
        _ property: String, _ column: StoreTables.Column, _ entity: StoreTables.Entity, _ folder: URL,
        _ named: inout [String: FirstRow]
    ) throws {
        let name = ([property] + column.path).joined(separator: ".")
        let blank = Tally(limit: options.examples)
        var (missing, outside, empty, shared) = (blank, blank, blank, blank)
        var missingKeys: [Int64] = []
        var sharedFiles: [String: [Int64]] = [:]
        try store.each(
            "SELECT Z_PK, Z_ENT, \(column.sql) FROM \(entity.tableSQL) WHERE Z_ENT IN \(entity.family.sqlList) "
                + "AND TYPEOF(\(column.sql)) = 'blob' AND SUBSTR(\(column.sql), 1, 1) = x'02'"
        ) { row in
            let key = row.int64(at: 0)
            let uri = store.uri(store.tables?.entity(number: row.int64(at: 1))?.name ?? entity.name, key)
            guard let value = row.data(at: 2), let file = StoreTables.fileName(value) else { return outside.add(uri) }
            switch Self.kind(folder.appendingPathComponent(file)) {
            case .missing:
                missing.add(uri)
                missingKeys.append(key)
            case .unexpected: outside.add(uri)
            case .empty: empty.add(uri)
            case .full: break
            }
            if named[file] != nil {
                shared.add(uri)
                sharedFiles[file, default: []].append(key)
            } else {
                named[file] = FirstRow(table: entity.table, column: column.name)
            }
        }
        let place = { (count: Int) in "'\(name)' of \(Self.rows(count)) of \(entity.name)" }
        try note(
            "large.missing", entity.name, name, missing, "\(place(missing.count)) names a file that is missing.",
            repair: Repair(
                .statements(
                    stride(from: 0, to: missingKeys.count, by: 1000).map { start in
                        let keys = Array(missingKeys[start..<min(start + 1000, missingKeys.count)])
                        return Repair.update(
                            entity.tableSQL, ["\(column.sql) = NULL"], where: "Z_PK IN \(keys.sqlList)")
                    }), "\(Self.rows(missing.count)) of \(entity.table) lose the value, whose data is nowhere."))
        try note(
            "large.outside", entity.name, name, outside,
            "\(place(outside.count)) names no plain file of the store's folder.")
        try note("large.empty", entity.name, name, empty, "\(place(empty.count)) names a file without a byte.")
        for (file, keys) in sharedFiles.sorted(by: { $0.key < $1.key }) {
            try note(
                "large.shared", entity.name, name, count: keys.count,
                objects: keys.prefix(options.examples).map { store.uri(entity.name, $0) },
                "\(place(keys.count)) names the file \(file), which another row has.",
                repair: Repair(
                    .separateFiles(
                        Repair.SharedFile(name: file, table: entity.table, column: column.name, keys: keys)),
                    "\(Self.rows(keys.count)) of \(entity.table) get a copy of the file."))
        }
    }

    private enum FileState {
        case missing, empty, full
        /// A link, a folder or a device.
        case unexpected
    }

    private static func kind(_ url: URL) -> FileState {
        var status = stat()
        guard lstat(url.path, &status) == 0 else { return .missing }
        guard status.st_mode & S_IFMT == S_IFREG else { return .unexpected }
        return status.st_size == 0 ? .empty : .full
    }

    private func checkOrphans(_ folder: URL, named: Set<String>) throws {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let orphans = names.filter { name in
            guard UUID(uuidString: name) != nil, !named.contains(name) else { return false }
            var status = stat()
            guard lstat(folder.appendingPathComponent(name).path, &status) == 0 else { return false }
            return Date().timeIntervalSince1970 - Double(status.st_mtim.tv_sec) > Self.minimumAge
        }.sorted()
        let size = orphans.reduce(0) { $0 + ReadLocation.size(folder.appendingPathComponent($1).path) }
        try note(
            "large.orphan", nil, nil, count: orphans.count,
            "\(orphans.count) file\(orphans.count == 1 ? "" : "s") of large data belong to no row: "
                + "\(ByteText.text(size)).",
            repair: Repair(.moveFiles(orphans), "The files are moved beside the copy of the store."))
    }
}
