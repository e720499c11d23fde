// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Copies the readable rows of a damaged store into a new store of its model. Documentation/Recover.md

import CoreData
import CoreDataModelFiles
package import Foundation
import SQLiteDriver

/// A recovery, page by page.
///
/// # Order
/// 1. The schema, the copy of the model and the metadata are read from their trees, or found on stray pages.
/// 2. A new store of the model is made under another name.
/// 3. Each table's tree is walked; then all pages that no tree reached. A row goes to the table of its entity number,
///    so rows of exchanged pages are recovered, too.
/// 4. References and links to lost objects are listed and emptied, and files of large data are copied.
/// 5. The new store is renamed into place.
package struct StoreRecovery {
    package struct Report: Sendable, Equatable {
        package struct Table: Sendable, Equatable {
            package let name: String
            package var rows = 0
            /// Rows of pages that the table's tree did not reach.
            package var unreachedRows = 0
        }

        package var tables: [Table] = []
        package var pages = 0
        /// The numbers of unreadable pages that a tree refers to.
        package var unreadablePages: [Int] = []
        /// Malformed cells.
        package var damagedCells = 0
        /// Rows with an unreadable end; the values there are nil.
        package var cutRows = 0
        /// Rows with a key or unique value that another row has.
        package var conflicts = 0
        /// Rows of no table of the model.
        package var unknownRows = 0
        /// "Author/5": lost objects that others refer to.
        package var lostObjects: [String] = []
        package var missingFiles = 0
        /// Whether the copy of the model was read, or the store never had one.
        package var hasFoundModel = false
        package var hasFoundMetadata = false
    }

    /// The greatest number of lost objects in a report.
    private static let mostNames = 1000

    private let pages: DatabasePages
    private var visited: Set<Int> = []
    private var report = Report()

    private struct KnownTable {
        let name: String
        let root: Int
        let columns: [String]
    }

    /// Recovers a store into a new file.
    ///
    /// - Parameters:
    ///   - model: the model, for a store with a lost or older copy of it.
    ///   - inference: takes the model that the tables imply, for a store without a copy of it; nil to refuse such a
    ///     store.
    /// - Throws: `ToolError` without a model, or if the new file exists.
    package static func run(
        _ url: URL, to new: URL, model: URL? = nil, version: String? = nil, inference: ModelInference? = nil,
        step: (String) -> Void = { _ in }
    ) throws -> Report {
        guard !FileManager.default.fileExists(atPath: new.path) else {
            throw ToolError("\(new.path) is there already: name a new file.")
        }
        guard FileManager.default.fileExists(atPath: url.path) else { throw ToolError("There is no file \(url.path).") }
        var recovery = StoreRecovery(pages: try DatabasePages(url))
        return try recovery.run(
            url, to: new, given: model.map { try ModelBundle.load(contentsOf: $0, version: version) }, inference,
            step)
    }

    private init(pages: DatabasePages) {
        self.pages = pages
        report.pages = pages.count
    }

    private mutating func run(
        _ url: URL, to new: URL, given: ModelDocument?, _ inference: ModelInference?, _ step: (String) -> Void
    ) throws -> Report {
        step("schema")
        let known = schema()
        var listed: [Int64: String] = [:]
        var (metadata, model): ((uuid: String, values: [String: Any])?, ModelDocument?) = (nil, nil)
        let isSchemaRead = !known.isEmpty
        for table in known where ["Z_METADATA", "Z_MODELCACHE", "Z_PRIMARYKEY"].contains(table.name) {
            walk(table.root) { row in
                Self.readOwn(row, &metadata, &model)
                if table.name == "Z_PRIMARYKEY", case .text(let name)? = row.values.dropFirst().first ?? nil {
                    listed[row.key] = name
                }
            }
        }
        if metadata == nil || model == nil { eachUnreachedRow(free: []) { Self.readOwn($0, &metadata, &model) } }
        guard var document = try given ?? model ?? inference.flatMap({ try Self.inferred(url, $0) }) else {
            throw ToolError(
                "\(url.path) has no copy of its model, or has lost it: give the model with --model, or take the one "
                    + "inferred from its tables with --infer.")
        }
        // A store of an old framework has no table for the model.
        report.hasFoundModel = model != nil || isSchemaRead && !known.contains { $0.name == "Z_MODELCACHE" }
        report.hasFoundMetadata = metadata != nil
        if let names = (metadata?.values["NSStoreModelVersionHashes"] as? [String: Data])?.keys {
            // A configuration contains some of the entities.
            document.entities.removeAll { !names.contains($0.name) }
        }
        let folder = try UnfinishedFolders.make(beside: new)
        defer { UnfinishedFolders.discard(folder) }
        let half = folder.appendingPathComponent(new.lastPathComponent)
        try Self.makeEmpty(half, document, metadata)
        for position in document.entities.indices { document.entities[position].className = nil }
        try fill(half, document, known, listed, isSchemaRead: isSchemaRead, step)
        try repair(half, step)
        let support = StoreTables.largeDataFolder(of: new).deletingLastPathComponent()
        if !FileManager.default.fileExists(atPath: support.path) { UnfinishedFolders.add(support) }
        defer { UnfinishedFolders.remove(support) }
        try copyFiles(from: url, half, to: new)
        // From now on the files belong to a store.
        UnfinishedFolders.remove(support)
        guard rename(half.path, new.path) == 0 else {
            throw ToolError("\(new.path) cannot be written: \(String(cString: strerror(errno))).")
        }
        return report
    }

    // MARK: Finding the schema, the model and the metadata

    /// The model that the tables imply.
    ///
    /// - Throws: `ToolError` for tables that SQLite cannot read, and for parts of the overlay that do not fit.
    private static func inferred(_ url: URL, _ inference: ModelInference) throws -> ModelDocument? {
        do {
            return try ExaminedStore(url, model: nil, version: nil, inference: inference).inferred?.markedDocument
        } catch let damage as ExaminedStore.DamagedFile {
            throw ToolError(
                "No model can be inferred, because SQLite does not read the tables of \(url.path) "
                    + "(\(damage.message)): give the model with --model.")
        }
    }

    private mutating func schema() -> [KnownTable] {
        var found: [KnownTable] = []
        walk(1) { row in
            guard row.values.count == 5, case .text("table")? = row.values[0], case .text(let name)? = row.values[1],
                case .integer(let root)? = row.values[3], case .text(let sql)? = row.values[4],
                !sql.uppercased().hasPrefix("CREATE VIRTUAL")
            else { return }
            found.append(KnownTable(name: name, root: Int(root), columns: Self.columns(sql)))
        }
        return found
    }

    /// The names of columns in a statement of Core Data, which declares no default values and checks.
    private static func columns(_ sql: String) -> [String] {
        guard let open = sql.firstIndex(of: "("), let close = sql.lastIndex(of: ")") else { return [] }
        var (depth, part, parts): (Int, String, [String]) = (0, "", [])
        for character in sql[sql.index(after: open)..<close] {
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
            if character == ",", depth == 0 {
                parts.append(part)
                part = ""
            } else {
                part.append(character)
            }
        }
        return (parts + [part]).compactMap { part in
            let text = part.trimmingCharacters(in: .whitespacesAndNewlines)
            if text.uppercased().hasPrefix("PRIMARY KEY") || text.isEmpty { return nil }
            if text.hasPrefix("\"") { return String(text.dropFirst().prefix { $0 != "\"" }) }
            return text.split(separator: " ").first.map(String.init)
        }
    }

    private static func readOwn(
        _ row: TablePage.Row, _ metadata: inout (uuid: String, values: [String: Any])?, _ model: inout ModelDocument?
    ) {
        let values = row.values
        if metadata == nil, values.count == 3, case .text(let uuid)? = values[1], UUID(uuidString: uuid) != nil,
            case .blob(let bytes)? = values[2],
            let list = try? PropertyListBounds.values(of: bytes) as? [String: Any]
        {
            metadata = (uuid, list)
        }
        if model == nil, values.count == 1, case .blob(let bytes)? = values[0],
            let document = try? KeyedModelReader.read(modelCache: bytes)
        {
            model = document
        }
    }

    private static func makeEmpty(
        _ url: URL, _ document: ModelDocument, _ metadata: (uuid: String, values: [String: Any])?
    ) throws {
        let model = NSManagedObjectModel(document: document)
        try model.check()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.remove(
            coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: url,
                options: [NSSQLitePragmasOption: ["journal_mode": "DELETE"]]))
        guard let metadata else { return }
        var all = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: url)
        for (key, value) in metadata.values where all[key] == nil { all[key] = value }
        all[NSStoreUUIDKey] = metadata.uuid
        try NSPersistentStoreCoordinator.setMetadata(all, forPersistentStoreOfType: NSSQLiteStoreType, at: url)
    }

    // MARK: Pages

    /// Calls the body with each row of a tree, in the order of its pages.
    private mutating func walk(_ root: Int, _ body: (TablePage.Row) -> Void) {
        var open = [root]
        while let number = open.popLast() {
            guard visited.insert(number).inserted else { continue }
            guard let page = TablePage(number, in: pages) else {
                report.unreadablePages.append(number)
                continue
            }
            switch page {
            case .children(let below): open += below.reversed()
            case .rows(let rows, let damaged):
                report.damagedCells += damaged
                rows.forEach(body)
            }
        }
    }

    /// Calls the body with each row of pages that no tree reached.
    private func eachUnreachedRow(free: Set<Int>, _ body: (TablePage.Row) -> Void) {
        guard pages.count > 0 else { return }
        for number in 1...pages.count where !visited.contains(number) && !free.contains(number) {
            if case .rows(let rows, _)? = TablePage(number, in: pages) { rows.forEach(body) }
        }
    }

    // MARK: Rows

    private mutating func fill(
        _ url: URL, _ document: ModelDocument, _ known: [KnownTable], _ listed: [Int64: String], isSchemaRead: Bool,
        _ step: (String) -> Void
    ) throws {
        let connection = try Connection(url: url, options: .init(access: .readWrite))
        defer { try? connection.close() }
        try StoreTables.prepare(connection)
        let tables = try StoreTables(connection, model: NSManagedObjectModel(document: document))
        var target = try RecoveredRows(connection, tables, listed: listed)
        for table in known { target.add(table.name, columns: table.columns) }
        try connection.write {
            for table in known where table.name.hasPrefix("Z") && target.isWanted(table.name) {
                step(table.name)
                var failure: (any Error)?
                walk(table.root) { row in
                    do {
                        try target.insert(row, from: table.name)
                    } catch {
                        failure = failure ?? error
                    }
                }
                if let failure { throw failure }
            }
            // The trees of other tables contain no objects.
            for table in known where !visited.contains(table.root) { walk(table.root) { _ in } }
            step("stray pages")
            var failure: (any Error)?
            eachUnreachedRow(free: pages.freePages()) { row in
                do {
                    try target.insert(row, from: nil)
                } catch {
                    failure = failure ?? error
                }
            }
            if let failure { throw failure }
            for entity in tables.entities where entity.isRoot {
                try connection.execute(
                    "UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT IFNULL(MAX(Z_PK), 0) FROM \(entity.tableSQL)) "
                        + "WHERE Z_ENT = \(entity.number)")
            }
        }
        report.tables = target.counts.sorted { $0.key < $1.key }.map {
            Report.Table(name: $0.key, rows: $0.value.rows, unreachedRows: $0.value.unreached)
        }
        (report.conflicts, report.cutRows, report.unknownRows) = (target.conflicts, target.cutRows, target.unknownRows)
    }

    // MARK: Lost objects

    private mutating func repair(_ url: URL, _ step: (String) -> Void) throws {
        step("references")
        let store = try ExaminedStore(url, model: nil, version: nil)
        if let tables = store.tables {
            var lost: Set<String> = []
            for entity in tables.entities {
                for property in entity.toOnes where !property.isInherited {
                    guard let destination = tables.entity(property.destination), lost.count < Self.mostNames else {
                        continue
                    }
                    try store.each(
                        "SELECT DISTINCT R.\(property.keySQL) FROM \(entity.tableSQL) AS R WHERE R.\(property.keySQL) "
                            + "IS NOT NULL AND NOT EXISTS (SELECT 1 FROM \(destination.tableSQL) AS D "
                            + "WHERE D.Z_PK = R.\(property.keySQL)) LIMIT \(Self.mostNames)"
                    ) { lost.insert("\(destination.name)/\($0.int64(at: 0))") }
                }
            }
            report.lostObjects = lost.sorted { $0.compare($1, options: .numeric) == .orderedAscending }
        }
        let rules = [
            "reference.dangling", "reference.foreign", "reference.entity", "link.end", "link.dangling", "link.mirror",
            "order.missing", "order.doubled", "key.low", "derived.value", "spatial.entry",
        ]
        try RepairPlan(url, rules: rules).run(backup: nil)
        let connection = try Connection(url: url, options: .init(access: .readWrite))
        _ = try connection.checkpoint(.truncate)
        try connection.close()
    }

    private mutating func copyFiles(from url: URL, _ half: URL, to new: URL) throws {
        let connection = try Connection(url: half, options: .init(access: .readOnly))
        let names = try StoreTables.largeDataNames(connection)
        try connection.close()
        guard !names.isEmpty else { return }
        let (source, folder) = (StoreTables.largeDataFolder(of: url), StoreTables.largeDataFolder(of: new))
        for name in names.sorted() {
            let file = source.appendingPathComponent(name)
            guard FileManager.default.fileExists(atPath: file.path) else {
                report.missingFiles += 1
                continue
            }
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try? FileManager.default.copyItem(at: file, to: folder.appendingPathComponent(name))
        }
    }
}
