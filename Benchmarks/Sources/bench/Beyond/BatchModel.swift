// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The model of the scenarios of batch requests, history and results controllers, and the same work in plain SQL.

import CoreData
import Foundation

final class Measurement: NSManagedObject {
    override class var _slots: StaticString { "code:s date:t isValid:b number:i text:s value:d weight:d" }

    var code: String {
        get { _string(0, "code") ?? "" }
        set { _setString(newValue, 0, "code") }
    }
    var date: Date {
        get { _date(1, "date") ?? .distantPast }
        set { _setDate(newValue, 1, "date") }
    }
    var isValid: Bool {
        get { _boolean(2, "isValid") ?? false }
        set { _setBoolean(newValue, 2, "isValid") }
    }
    var number: Int64 {
        get { _integer(3, "number") ?? 0 }
        set { _setInteger(newValue, 3, "number") }
    }
    var text: String {
        get { _string(4, "text") ?? "" }
        set { _setString(newValue, 4, "text") }
    }
    var value: Double {
        get { _double(5, "value") ?? 0 }
        set { _setDouble(newValue, 5, "value") }
    }
    var weight: Double {
        get { _double(6, "weight") ?? 0 }
        set { _setDouble(newValue, 6, "weight") }
    }

    /// Sets all attributes to those of a row.
    func take(_ row: MeasurementRow) {
        number = row.number
        code = row.code
        text = row.text
        value = row.value
        weight = row.weight
        date = Date(timeIntervalSinceReferenceDate: row.date)
        isValid = row.isValid
    }
}

/// The values of a measurement, by formulas.
struct MeasurementRow {
    static let codes = (0..<100).map { "code \(1_000 + $0)" }
    static let texts = (0..<64).map { "a measurement of the kind \($0)" }

    let number: Int64

    init(_ number: Int) { self.number = Int64(number) }

    var code: String { Self.codes[Int(number % 100)] }
    var text: String { Self.texts[Int(number % 64)] }
    var value: Double { Double(number) * 0.5 }
    var weight: Double { Double(number % 1_000) }
    var date: Double { Double(number * 60) }
    var isValid: Bool { number % 3 != 0 }

    var dictionary: [String: Any] {
        [
            "number": number, "code": code, "text": text, "value": value, "weight": weight,
            "date": Date(timeIntervalSinceReferenceDate: date), "isValid": isValid,
        ]
    }
}

enum BatchModel {
    /// One entity of seven attributes.
    static let plain = measurements(isUnique: false)
    /// The same; the number is unique.
    static let unique = measurements(isUnique: true)
    /// Folders with files (cascade), readers (nullify) and labels (a join table).
    static let folders = makeFolders()

    private static func measurements(isUnique: Bool) -> NSManagedObjectModel {
        let entity = LibraryModel.entity(Measurement.self)
        let types: [(String, NSAttributeType)] = [
            ("code", .stringAttributeType), ("date", .dateAttributeType), ("isValid", .booleanAttributeType),
            ("number", .integer64AttributeType), ("text", .stringAttributeType), ("value", .doubleAttributeType),
            ("weight", .doubleAttributeType),
        ]
        entity.properties = types.map { LibraryModel.attribute($0.0, $0.1) }
        if isUnique { entity.uniquenessConstraints = [["number"]] }
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return model
    }

    private static func makeFolders() -> NSManagedObjectModel {
        let names = ["File", "Folder", "Label", "Reader"]
        let entities = names.map { name in
            let entity = NSEntityDescription()
            entity.name = name
            entity.properties = [LibraryModel.attribute("number", .integer64AttributeType)]
            return entity
        }
        let (file, folder, label, reader) = (entities[0], entities[1], entities[2], entities[3])
        LibraryModel.connect(folder, "files", many: true, file, "folder", many: false, rule: .cascadeDeleteRule)
        LibraryModel.connect(folder, "readers", many: true, reader, "folder", many: false)
        LibraryModel.connect(folder, "labels", many: true, label, "folders", many: true)
        let model = NSManagedObjectModel()
        model.entities = entities
        return model
    }
}

/// Plain SQL on a file that the framework made.
struct RawMeasurements {
    let database: RawDatabase

    init(_ file: URL) throws { database = try RawDatabase(file, tuning: .asFramework) }

    private static let columns = "Z_PK, Z_ENT, Z_OPT, ZCODE, ZDATE, ZISVALID, ZNUMBER, ZTEXT, ZVALUE, ZWEIGHT"

    /// - Parameter upsert: the conflict clause for rows with an existing number.
    func insert(_ rows: some Sequence<MeasurementRow>, count: Int, upsert: String = "") throws {
        let batch = database.tuning.rowsPerInsert
        try database.transaction {
            let many = try statement(batch, upsert)
            var (place, key) = (0, 1)
            for row in rows {
                bind(row, key, many, Int32(place * 10))
                (place, key) = (place + 1, key + 1)
                if place == batch {
                    try many.run()
                    place = 0
                }
            }
            if place > 0 {
                let last = try statement(place, upsert)
                for rest in 0..<place {
                    bind(MeasurementRow(count - place + rest), count - place + rest + 1, last, Int32(rest * 10))
                }
                try last.run()
            }
            try database.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = \(count) WHERE Z_ENT = 1")
        }
    }

    private func statement(_ rows: Int, _ upsert: String) throws -> RawStatement {
        let places = Array(repeating: "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", count: rows).joined(separator: ", ")
        let conflict = upsert.isEmpty ? "OR ROLLBACK " : ""
        return try database.prepare("INSERT \(conflict)INTO ZMEASUREMENT (\(Self.columns)) VALUES \(places) \(upsert)")
    }

    private func bind(_ row: MeasurementRow, _ key: Int, _ statement: RawStatement, _ offset: Int32) {
        statement.bind(Int64(key), offset + 1)
        statement.bind(1 as Int64, offset + 2)
        statement.bind(1 as Int64, offset + 3)
        statement.bind(row.code, offset + 4)
        statement.bind(row.date, offset + 5)
        statement.bind(row.isValid ? 1 : 0 as Int64, offset + 6)
        statement.bind(row.number, offset + 7)
        statement.bind(row.text, offset + 8)
        statement.bind(row.value, offset + 9)
        statement.bind(row.weight, offset + 10)
    }
}

extension Stage {
    /// A file with the tables of a model.
    func emptyStore(_ model: NSManagedObjectModel, history: Bool = false) throws -> URL {
        let file = newFile()
        _ = try self.coordinator(file, model, history: history)
        return file
    }

    func coordinator(_ file: URL, _ model: NSManagedObjectModel, history: Bool) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(
            type: .sqlite, at: file, options: [NSPersistentHistoryTrackingKey: history as NSNumber])
        return coordinator
    }

    /// A file with measurements 0 to `count`.
    func measurements(_ model: NSManagedObjectModel, _ count: Int, history: Bool = false) throws -> URL {
        let file = newFile()
        let context = context(try coordinator(file, model, history: history))
        try context.performAndWait { try insertMeasurements(count, in: context) }
        return file
    }

    /// Inserts by a handler.
    func insertMeasurements(
        _ count: Int, from first: Int = 0, in context: NSManagedObjectContext, _ each: (Int) -> Void = { _ in }
    ) throws {
        try withoutActuallyEscaping(each) { each in
            var number = first
            let request = NSBatchInsertRequest(
                entityName: "Measurement",
                managedObjectHandler: { object in
                    guard number < first + count else { return true }
                    (object as? Measurement)?.take(MeasurementRow(number))
                    each(number)
                    number += 1
                    return false
                })
            _ = try context.execute(request)
        }
    }

    /// A copy of a file that is not open.
    func copy(_ file: URL) throws -> URL {
        let copy = newFile()
        try FileManager.default.copyItem(at: file, to: copy)
        return copy
    }

    /// The ratio of the processor time of work in a context to that of plain SQL, each on a separate copy of a file.
    func ratio(
        on file: URL, _ model: NSManagedObjectModel, _ work: (NSManagedObjectContext) throws -> Void,
        toPlain plain: (RawMeasurements) throws -> Void
    ) throws -> Double {
        try ratio {
            let copy = try copy(file)
            defer { remove(copy) }
            let context = context(try coordinator(copy, model, history: false))
            return try context.performAndWait { try time { try work(context) } }
        } to: {
            let copy = try copy(file)
            defer { remove(copy) }
            let database = try RawMeasurements(copy)
            return try time { try plain(database) }
        }
    }
}
