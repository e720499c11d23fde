// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes a whole store as JSON Lines or CSV, with data in files. Documentation/Exchange.md

import CoreData
import CoreDataModelFiles
package import Foundation
import SQLiteDriver

/// The format of an export.
package enum ExchangeFormat: String, Sendable, CaseIterable {
    case jsonl, csv
}

/// An export into a folder: a file for each entity, the model, a manifest, and a folder of data.
///
/// Rows are written as they are read; memory does not grow with the store.
package struct StoreExport {
    package struct Summary: Sendable, Equatable {
        package var objects = 0
        package var files = 0

        package init() {}
    }

    /// Data up to this size is written into its row.
    private static let largestInline = 256
    static let manifestName = "manifest.json"
    static let modelName = "Model.mom"
    static let dataFolder = "data"

    private let store: RowStore
    private let format: ExchangeFormat
    /// nil for a single file, whose rows contain the data.
    private let folder: URL?
    private var summary = Summary()

    /// Exports to a folder, which appears when it is complete.
    ///
    /// - Throws: `ToolError` if the folder exists; errors of SQLite and of the file system.
    package static func write(
        _ store: RowStore, to folder: URL, format: ExchangeFormat, step: (String) -> Void = { _ in }
    ) throws -> Summary {
        guard !FileManager.default.fileExists(atPath: folder.path) else {
            throw ToolError("\(folder.path) is there already: name a new folder.")
        }
        // If that fails, the folder to be made in it fails with the reason.
        try? FileManager.default.createDirectory(
            at: folder.deletingLastPathComponent(), withIntermediateDirectories: true)
        let half = try UnfinishedFolders.make(beside: folder)
        defer { UnfinishedFolders.discard(half) }
        var export = StoreExport(store: store, format: format, folder: half)
        try export.writeFolder(half, step)
        guard rename(half.path, folder.path) == 0 else {
            throw ToolError("\(folder.path) cannot be written: \(String(cString: strerror(errno))).")
        }
        return export.summary
    }

    /// Writes the objects of one entity, or of all, as lines of text. Data is base64.
    package static func write(
        _ store: RowStore, entity name: String?, format: ExchangeFormat, to write: @escaping (String) throws -> Void
    ) throws -> Summary {
        var export = StoreExport(store: store, format: format, folder: nil)
        let entities = try name.map { [try export.entity($0)] } ?? store.concreteEntities
        guard format == .jsonl || entities.count == 1 else {
            throw ToolError("A CSV file has the objects of one entity: name it with --entity, or export to a folder.")
        }
        try store.connection.read {
            for entity in entities { _ = try export.writeRows(entity, write) }
        }
        return export.summary
    }

    private init(store: RowStore, format: ExchangeFormat, folder: URL?) {
        self.store = store
        self.format = format
        self.folder = folder
    }

    private func entity(_ name: String) throws -> StoreTables.Entity {
        if let entity = store.tables.entity(name), !entity.isAbstract { return entity }
        throw ToolError(
            "There is no entity '\(name)' with objects; there are: \(store.concreteEntities.map(\.name).list).")
    }

    // MARK: The folder

    private mutating func writeFolder(_ folder: URL, _ step: (String) -> Void) throws {
        var files: [JSONValue] = []
        try store.connection.read {
            for entity in store.concreteEntities {
                step(entity.name)
                let name = "\(entity.name).\(format.rawValue)"
                let url = folder.appendingPathComponent(name)
                guard FileManager.default.createFile(atPath: url.path, contents: nil) else {
                    throw ToolError("\(url.path) cannot be written: \(String(cString: strerror(errno))).")
                }
                let handle = try FileHandle(forWritingTo: url)
                let count = try writeRows(entity) { try handle.write(contentsOf: Data($0.utf8)) }
                try handle.close()
                files.append(
                    .members(["entity": .string(entity.name), "file": .string(name), "objects": .integer(count)]))
            }
        }
        try KeyedModelWriter.data(for: store.document).write(to: folder.appendingPathComponent(Self.modelName))
        let manifest = JSONValue.members([
            "format": .string("OpenCoreData export"), "version": .integer(1), "store": .string(store.identifier),
            "model": .string(Self.modelName), "entities": .array(files), "metadata": ownMetadata,
        ])
        try Data((manifest.prettyText + "\n").utf8).write(to: folder.appendingPathComponent(Self.manifestName))
    }

    /// The metadata of the app, without those of the framework.
    private var ownMetadata: JSONValue? {
        let own = store.metadata.filter { !$0.key.hasPrefix("NS") && !$0.key.hasPrefix("_NS") }
        return own.isEmpty
            ? nil
            : .object(own.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, ContentText.json($0.value)) })
    }

    // MARK: Rows

    private mutating func writeRows(
        _ entity: StoreTables.Entity, _ write: @escaping (String) throws -> Void
    ) throws -> Int {
        let query = try RowQuery(entity, in: store.tables)
        let columns = ["objectID"] + query.parts.map(\.label)
        var piece = format == .csv ? CSVText.line(columns) : ""
        var count = 0
        try store.each(query.sql) { row in
            let id = "\(entity.name)/\(row.int64(at: 0))"
            var values: [JSONValue] = []
            for (position, part) in query.parts.enumerated() {
                values.append(try value(row.value(at: position + 1), part, id))
            }
            piece += format == .csv ? Self.csv(id, values) : Self.line(id, query.parts, values)
            count += 1
            if piece.utf8.count > 1 << 16 {
                try write(piece)
                piece = ""
            }
        }
        if !piece.isEmpty { try write(piece) }
        summary.objects += count
        return count
    }

    private mutating func value(_ value: SQLiteValue, _ part: RowQuery.Part, _ id: String) throws -> JSONValue {
        switch part.content {
        case .attribute(let column):
            return try StoredValue.json(value, column.kind, folder: store.largeData) { data in
                try blob(data, id, part.label)
            }
        case .toOne: return value.textValue.map { .string(store.tables.objectName($0)) } ?? .null
        case .toMany:
            return .array(
                (value.textValue ?? "").split(separator: " ").map { .string(store.tables.objectName(String($0))) })
        }
    }

    private mutating func blob(_ data: Data, _ id: String, _ label: String) throws -> JSONValue {
        guard let folder, data.count > Self.largestInline else {
            return .members(["base64": .string(data.base64EncodedString())])
        }
        let parts = id.split(separator: "/")
        let place = "\(Self.dataFolder)/\(parts[0])"
        let file = "\(place)/\(parts[1]).\(label.replacingEach("/", with: "_"))"
        if summary.files == 0 || !FileManager.default.fileExists(atPath: folder.appendingPathComponent(place).path) {
            try FileManager.default.createDirectory(
                at: folder.appendingPathComponent(place), withIntermediateDirectories: true)
        }
        try data.write(to: folder.appendingPathComponent(file))
        summary.files += 1
        return .members(["file": .string(file)])
    }

    /// One line of JSON. The elements of a composite attribute are one object.
    private static func line(_ id: String, _ parts: [RowQuery.Part], _ values: [JSONValue]) -> String {
        var members = [JSONValue.Member("objectID", .string(id))]
        for (part, value) in zip(parts, values) {
            guard !part.path.isEmpty else {
                members.append(.init(part.name, value))
                continue
            }
            if value == .null { continue }
            if members.last?.key == part.name, case .object(let elements)? = members.last?.value {
                members[members.count - 1].value = .object(elements + [.init(part.path.joined(separator: "."), value)])
            } else {
                members.append(.init(part.name, .object([.init(part.path.joined(separator: "."), value)])))
            }
        }
        return JSONValue.object(members).text + "\n"
    }

    /// A field without a value is empty, and an empty text is a pair of quotes. Objects and lists are JSON.
    private static func csv(_ id: String, _ values: [JSONValue]) -> String {
        let fields = values.map { value -> String in
            switch value {
            case .null: ""
            case .string(let text): text.isEmpty ? "\"\"" : CSVText.field(text)
            case .array(let list) where list.isEmpty: ""
            default: CSVText.field(value.text)
            }
        }
        return ([CSVText.field(id)] + fields).joined(separator: ",") + "\r\n"
    }
}

/// Folders that a signal empties and removes, because they are half written.
enum UnfinishedFolders {
    static func add(_ folder: URL) { SignalCleanUp.addFolder(folder.path) }
    static func remove(_ folder: URL) { SignalCleanUp.remove(folder.path) }

    /// Makes a hidden folder next to a file that is being made. A signal removes the folder with all its files, lock
    /// files included.
    static func make(beside url: URL) throws -> URL {
        let folder = url.deletingLastPathComponent()
            .appendingPathComponent(".\(url.lastPathComponent)-\(UUID().uuidString)")
        add(folder)
        guard mkdir(folder.path, 0o777) == 0 else {
            let reason = String(cString: strerror(errno))
            remove(folder)
            throw ToolError("\(url.path) cannot be made: \(reason).")
        }
        return folder
    }

    static func discard(_ folder: URL) {
        try? FileManager.default.removeItem(at: folder)
        remove(folder)
    }
}
