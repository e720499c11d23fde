// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A SQLite store that may be damaged, opened for statements, with the parts of its model that can be found.

import CoreData
import CoreDataModelFiles
import Foundation
import SQLiteDriver

/// The parts that the checks of the doctor read. Confined to one thread.
final class ExaminedStore {
    /// The location given by the user.
    let url: URL
    let location: ReadLocation
    let connection: Connection
    let file: StoreFile
    /// The document of the model: the given one, or else the copy in the store; nil without both.
    let document: ModelDocument?
    let isModelGiven: Bool
    /// The model that the tables imply, for a store without a document; nil if it was not asked for.
    let inferred: InferredModel?
    /// The entities of the store with all rules, and plain classes; nil without a document, or for an unusable model.
    let model: NSManagedObjectModel?
    /// nil if the file lacks tables or columns of the model.
    private(set) var tables: StoreTables?
    private(set) var missing: [String] = []
    let identifier: String

    /// - Throws: `ToolError` for a file that is no Core Data store.
    init(_ url: URL, model modelURL: URL?, version: String?, inference: ModelInference? = nil) throws {
        self.url = url
        let location = try ReadLocation(of: url, isWritten: false)
        self.location = location
        connection = try Self.readable(location) {
            try Connection(url: location.url, options: .init(access: .readOnly, leavesNoTrace: location.isInPlace))
        }
        let connection = connection
        try StoreTables.prepare(connection)
        try Self.addTextCheck(connection)
        file = try Self.readable(location) { try StoreFile(connection, path: url.path) }
        isModelGiven = modelURL != nil
        document = try modelURL.map { try ModelBundle.load(contentsOf: $0, version: version) } ?? file.cachedModel
        identifier = file.uuid ?? ""
        let file = file
        inferred =
            try document == nil
            ? inference.map { inference in
                try Self.readable(location) { try inference.corrected(SchemaModel.infer(connection, file: file)) }
            } : nil
        let used = document ?? inferred?.document
        var names = file.entityNames
        if inferred != nil || names.isDisjoint(with: used?.entities.map(\.name) ?? []) {
            names = Set(used?.entities.map(\.name) ?? [])
        }
        let working = used.map { WorkingModel.document(for: $0, entities: names, keepsRules: true) }
        let model = working.map { NSManagedObjectModel(document: $0) }
        self.model = try? model.map {
            try $0.check()
            return $0
        }
        guard let model = self.model, !model.entities.isEmpty else { return }
        do {
            tables = try StoreTables(connection, model: model)
        } catch let gap as StoreTables.Missing {
            missing = gap.names
        } catch {
            // A damaged file is a finding, not a failure.
        }
    }

    deinit { try? connection.close() }

    /// A file that SQLite cannot open, with SQLite's message.
    struct DamagedFile: Error, CustomStringConvertible {
        let message: String
        let path: String
        var description: String { "\(path) is damaged (\(message)); `recover` reads what is left." }
    }

    private static func readable<Result>(_ location: ReadLocation, _ body: () throws -> Result) throws -> Result {
        try location.naming(passing: { $0 is DamagedFile }) {
            do {
                return try body()
            } catch let error as SQLiteError where error.isCorrupt || error.isNotADatabase {
                throw DamagedFile(message: error.message, path: location.url.path)
            }
        }
    }

    /// Whether an inferred model has a property by a guess: findings about it may be wrong.
    func isGuess(_ entity: String?, _ property: String?) -> Bool {
        inferred?.notes.contains { $0.isGuess && $0.entity == entity && $0.property == property } ?? false
    }

    /// Whether the repair of a rule rests on no guess: on a model, on tables alone, or on a part that the overlay
    /// states.
    func mayRepair(_ rule: String, _ entity: String?, _ property: String?) -> Bool {
        guard let inferred, !DoctorRule.needingNoModel.contains(rule) else { return true }
        guard let key = DoctorRule.needingStatement[rule], let entity, let property else { return false }
        return inferred.stated["\(entity).\(property)"]?.contains(key) ?? false
    }

    func uri(_ entity: String, _ key: Int64) -> String { "x-coredata://\(identifier)/\(entity)/p\(key)" }

    /// "Shop.sqlite" as a word for a shell.
    var shellName: String { Self.shellWord(url.relativePath) }

    static func shellWord(_ text: String) -> String {
        let isPlain = text.allSatisfy { $0.isLetter || $0.isNumber || "/._-+~".contains($0) }
        return isPlain ? text : "'" + text.replacingEach("'", with: "'\\''") + "'"
    }

    /// Calls the body with each row of a query.
    func each(_ sql: String, _ body: (Statement) throws -> Void) throws {
        let statement = try connection.prepare(sql)
        while try statement.step() { try body(statement) }
    }

    func count(_ sql: String) throws -> Int { Int(try connection.value(sql)?.integerValue ?? 0) }

    /// Keys and entity numbers of rows as a tally. The query has the columns Z_PK and Z_ENT.
    func tally(_ sql: String, limit: Int) throws -> Tally {
        var tally = Tally(limit: limit)
        try each(sql) { row in
            let name = tables?.entity(number: row.int64(at: 1))?.name
            tally.add(name.map { uri($0, row.int64(at: 0)) })
        }
        return tally
    }

    /// `openCoreDataIsText(x)` is 0 for text that is no UTF-8.
    private static func addTextCheck(_ connection: Connection) throws {
        try connection.addTextFunction("openCoreDataIsText", options: .deterministic) { bytes in
            guard let bytes else { return nil }
            return String(validating: bytes, as: UTF8.self) == nil ? 0 : 1
        }
    }
}

/// A number of rows, and the URIs of the first of them.
struct Tally {
    let limit: Int
    private(set) var count = 0
    private(set) var objects: [String] = []

    init(limit: Int) { self.limit = limit }

    mutating func add(_ uri: String?) {
        count += 1
        if let uri, objects.count < limit { objects.append(uri) }
    }
}

extension String {
    /// A literal of SQL.
    var sqlLiteral: String { "'" + replacingEach("'", with: "''") + "'" }
    /// An identifier of SQL, in quotes.
    var sqlName: String { "\"" + replacingEach("\"", with: "\"\"") + "\"" }
}

extension Data {
    /// A literal of SQL.
    var sqlLiteral: String {
        "x'" + map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined() + "'"
    }
}

extension [Int64] {
    /// "(1, 2)" for SQL.
    var sqlList: String { "(" + map { "\($0)" }.joined(separator: ", ") + ")" }
}
