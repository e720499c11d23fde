// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Export, import and diff: an imported store equals the exported one, and every difference is found.

import CoreData
import CoreDataExchange
import Foundation
import SQLiteDriver
import Testing

@testable import CoreDataToolKit

@Suite("Export, import and diff") struct ExchangeTests {
    private func differences(_ one: URL, _ other: URL, keys: [String: [String]] = [:]) throws -> [DataDiff.Change] {
        var result: [DataDiff.Change] = []
        _ = try DataDiff(RowStore(one), RowStore(other), keys: keys).run { result.append($0) }
        return result
    }

    private func copy(_ url: URL, in folder: TemporaryFolder, _ format: ExchangeFormat) throws -> URL {
        let export = folder.url.appendingPathComponent("Export-\(format.rawValue)")
        let copy = folder.url.appendingPathComponent("Copy-\(format.rawValue).sqlite")
        _ = try StoreExport.write(RowStore(url), to: export, format: format)
        _ = try StoreImport.make(copy, from: ExchangeSource(export), model: nil)
        return copy
    }

    @Test("a store with every kind of value comes back equal, and sound", arguments: ExchangeFormat.allCases)
    func roundTrip(_ format: ExchangeFormat) throws {
        let clinic = try Clinic()
        let copy = try copy(clinic.url, in: clinic.folder, format)
        #expect(try differences(clinic.url, copy) == [])
        #expect(try ModelDiff(clinic.url, copy).changes == [])
        #expect(try Doctor(copy).examine() == [])
        let files = try FileManager.default.contentsOfDirectory(
            atPath: StoreTables.largeDataFolder(of: copy).path)
        #expect(files.count { UUID(uuidString: $0) != nil } == 2)
    }

    @Test("an empty text stays one, and no text stays none", arguments: ExchangeFormat.allCases)
    func emptyTexts(_ format: ExchangeFormat) throws {
        let clinic = try Clinic()
        try clinic.execute(
            "UPDATE ZWARD SET ZNAME = '' WHERE Z_PK = 1", "UPDATE ZWARD SET ZNAME = NULL WHERE Z_PK = 2")
        #expect(try differences(clinic.url, copy(clinic.url, in: clinic.folder, format)) == [])
    }

    @Test("a number of JSON keeps its sign, also if it is 0") func signs() throws {
        let zeros = try ["0", "-0", "-0.0"].map { try ExactJSON.value(Array($0.utf8)) as? NSNumber }
        #expect(zeros.map { $0?.doubleValue.sign } == [.plus, .minus, .minus])
    }

    @Test("stores of Apple's framework come back equal", .needsFixtures, arguments: FixtureStores.withModel)
    func fixtures(_ name: String) throws {
        let folder = try TemporaryFolder()
        let url = try folder.store(name)
        let copy = try copy(url, in: folder, .jsonl)
        let found = try differences(url, copy)
        #expect(found.isEmpty, "\(found.prefix(5).map { "\($0.object).\($0.property ?? "") \($0.old) \($0.new)" })")
    }

    @Test("an XML store is exported through a copy") func xml() throws {
        let garage = try Garage()
        let url = garage.folder.url.appendingPathComponent("Garage.xml")
        let model = try #require(NSManagedObjectModel(contentsOf: garage.model))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(type: .sqlite, at: garage.url)
        try coordinator.remove(try coordinator.migratePersistentStore(store, to: url, type: .xml))
        var lines = ""
        let summary = try StoreExport.write(
            RowStore(url, model: garage.model), entity: "Car", format: .jsonl
        ) { lines += $0 }
        #expect(summary.objects == 5 && lines.contains("\"name\": \"car 3\""), "\(lines)")
    }

    // MARK: Differences

    @Test("changed values, added and removed objects, links and orders are found") func changes() throws {
        let clinic = try Clinic()
        let copy = try copy(clinic.url, in: clinic.folder, .jsonl)
        try clinic.execute(
            "UPDATE ZBEING SET ZWEIGHT = 61.5 WHERE Z_PK = 1", "DELETE FROM ZPASSPORT WHERE Z_PK = 1",
            "INSERT INTO ZWARD (Z_PK, Z_ENT, Z_OPT, ZNAME) SELECT 9, Z_ENT, 1, 'new' FROM ZWARD LIMIT 1",
            "UPDATE ZBEING SET Z_FOK_PHYSICIAN = 9999999 WHERE Z_PK = 1",
            "DELETE FROM Z_3FRIENDS", "UPDATE ZBEING SET ZPHOTO = x'0102' WHERE Z_PK = 3")
        let found = try differences(copy, clinic.url)
        let texts = Set(found.map { "\($0.kind.rawValue) \($0.object).\($0.property ?? "")" })
        #expect(
            texts == [
                "changed Patient/1.weight", "removed Passport/1.", "added Ward/9.", "changed Physician/7.patients",
                "changed Patient/1.friends", "changed Patient/2.friends", "changed Patient/3.photo",
            ], "\(texts)")
        let weight = try #require(found.first { $0.property == "weight" })
        #expect(weight.old == .real(60.5) && weight.new == .real(61.5))
    }

    @Test("with keys objects are the same in any rows") func keys() throws {
        let clinic = try Clinic()
        let other = try copy(clinic.url, in: clinic.folder, .jsonl)
        let connection = try Connection(url: other, options: .init(access: .readWrite))
        // Patient/6 moves to another row, with all references to it.
        try StoreTables.prepare(connection)
        try connection.execute("UPDATE ZBEING SET Z_PK = 60, ZAGE = 99 WHERE Z_PK = 6")
        try connection.close()
        let found = try differences(clinic.url, other, keys: ["Being": ["code"]])
        #expect(found.map { "\($0.object).\($0.property ?? "")" } == ["P6.age"], "\(found)")
    }

    @Test("the models of two versions differ in the entities and properties that changed") func models() throws {
        let garage = try Garage()
        let other = garage.folder.url.appendingPathComponent("Other.xcdatamodel")
        try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
        let text = Garage.source.replacing(
            "<attribute name=\"price\" optional=\"YES\"", with: "<attribute name=\"cost\"")
        try Data(text.utf8).write(to: other.appendingPathComponent("contents"))
        let diff = try ModelDiff(garage.model, other)
        #expect(
            diff.changes.map { "\($0.kind) \($0.entity).\($0.property ?? "")" } == [
                "changed Car.", "added Car.cost", "removed Car.price",
            ])
        #expect(!diff.migration.isEmpty)
        #expect(try ModelDiff(garage.model, garage.model).changes.isEmpty)
    }

    @Test("a date of an export is the moment that Foundation reads") func datesOfExports() throws {
        var wrong: [String] = []
        for year in [
            1600, 1699, 1700, 1899, 1900, 1904, 1970, 2000, 2001, 2004, 2024, 2100, 2400, 9999,
        ] {
            for day in ["01-01T00:00:00Z", "02-28T23:59:59Z", "03-01T12:30:05Z", "12-31T01:02:03Z"] {
                let text = "\(year)-\(day)"
                let date = try Date(text, strategy: .iso8601)
                if DateText.seconds(text) != date.timeIntervalSinceReferenceDate { wrong.append(text) }
            }
        }
        #expect(wrong == [])
        #expect(DateText.seconds("2024-02-29T00:00:00.25Z") == 730_857_600.25)
        for text in [
            "2023-02-29T00:00:00Z", "2024-13-01T00:00:00Z", "2024-01-01T24:00:00Z",
            "2024-01-01T00:00:00.Z",
        ] {
            #expect(DateText.seconds(text) == nil, "\(text)")
        }
        // Forms that no export contains are read, too.
        #expect(DateText.seconds("2001-01-01") == 0)
        #expect(DateText.seconds("2001-01-01 02:00:00+02:00") == 0)
    }

    // MARK: Upsert

    @Test("an upsert updates the objects with the key, inserts others, and sets relationships") func upsert() throws {
        let clinic = try Clinic()
        let file = clinic.folder.url.appendingPathComponent("update.jsonl")
        try Data(
            """
            {"objectID": "Patient/100", "code": "P2", "name": "renamed", "age": 33}
            {"objectID": "Patient/101", "code": "P9", "name": "new", "age": 44, "born": "2024-05-01T12:00:00Z", "physician": "Physician/1"}
            {"objectID": "Physician/1", "code": "D1", "name": "physician", "age": 50}

            """.utf8
        ).write(to: file)
        let source = try ExchangeSource(file)
        let keys = ["Being": ["code"]]
        let dry = try StoreUpsert.run(clinic.url, from: source, keys: keys, isDry: true)
        #expect(dry.updated == 2 && dry.inserted == 1)
        #expect(try clinic.value("SELECT COUNT(*) FROM ZBEING") == 7)
        let summary = try StoreUpsert.run(clinic.url, from: source, keys: keys)
        #expect(summary.updated == 2 && summary.inserted == 1)
        #expect(try clinic.value("SELECT ZNAME FROM ZBEING WHERE Z_PK = 2") == "renamed")
        #expect(try clinic.value("SELECT ZPHYSICIAN FROM ZBEING WHERE ZCODE = 'P9'") == 7)
        #expect(try Doctor(clinic.url).examine() == [])
        // The same import again changes nothing more.
        #expect(try StoreUpsert.run(clinic.url, from: source, keys: keys).inserted == 0)
    }

    @Test(
        "an upsert inserts objects that need others, in any order of the records",
        arguments: [false, true])
    func upsertOfMandatoryReferences(_ isReversed: Bool) throws {
        let folder = try TemporaryFolder()
        let model = folder.url.appendingPathComponent("Books.xcdatamodel")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        try Data(Self.books.utf8).write(to: model.appendingPathComponent("contents"))
        let file = folder.url.appendingPathComponent("books.jsonl")
        func write(_ lines: [String]) throws {
            try Data((isReversed ? lines.reversed() : lines).map { $0 + "\n" }.joined().utf8).write(
                to: file)
        }
        let lines = [
            #"{"objectID": "Author/1", "name": "Ada"}"#,
            #"{"objectID": "Book/1", "title": "One", "author": "Author/1"}"#,
        ]
        let url = folder.url.appendingPathComponent("Books.sqlite")
        try write(lines)
        _ = try StoreImport.make(url, from: ExchangeSource(file), model: model)
        try write(
            lines + [
                #"{"objectID": "Author/7", "name": "Bob"}"#,
                #"{"objectID": "Book/7", "title": "Two", "author": "Author/7"}"#,
                #"{"objectID": "Page/7", "number": 1, "book": "Book/7"}"#,
            ])
        let summary = try StoreUpsert.run(
            url, from: ExchangeSource(file), keys: ["Author": ["name"], "Book": ["title"]], model: model)
        #expect(summary.updated == 2 && summary.inserted == 3)
        #expect(try Doctor(url, model: model).examine().filter { $0.severity == .error } == [])
        let found = try Query(entityName: "Page", selection: ["book.title", "book.author.name"])
            .run(on: OpenedStore(url, model: model)).rows.map { $0.cells.map(\.tableText) }
        #expect(found == [["Two", "Bob"]])
    }

    private static let books = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" sourceLanguage="Swift">
            <entity name="Author" representedClassName="NSManagedObject">
                <attribute name="name" attributeType="String"/>
                <relationship name="books" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Book" inverseName="author" inverseEntity="Book"/>
            </entity>
            <entity name="Book" representedClassName="NSManagedObject">
                <attribute name="title" attributeType="String"/>
                <relationship name="author" maxCount="1" deletionRule="Nullify" destinationEntity="Author" inverseName="books" inverseEntity="Author"/>
                <relationship name="pages" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="Page" inverseName="book" inverseEntity="Page"/>
            </entity>
            <entity name="Page" representedClassName="NSManagedObject">
                <attribute name="number" attributeType="Integer 16" usesScalarValueType="YES"/>
                <relationship name="book" maxCount="1" deletionRule="Nullify" destinationEntity="Book" inverseName="pages" inverseEntity="Book"/>
            </entity>
        </model>
        """

    @Test("unique values of entities without a key are checked before anything is changed")
    func uniqueValues() throws {
        let clinic = try Clinic()
        let file = clinic.folder.url.appendingPathComponent("update.jsonl")
        func message(_ lines: String, _ keys: [String: [String]]) throws -> String {
            try Data(lines.utf8).write(to: file)
            return OpeningTests.message {
                _ = try StoreUpsert.run(clinic.url, from: ExchangeSource(file), keys: keys, isDry: true)
            }
        }
        let new = { (key: Int, code: String) in
            #"{"objectID": "Patient/\#(key)", "code": "\#(code)", "name": "new", "age": 4}"# + "\n"
        }
        // Physicians and patients share one root entity with unique codes.
        let stored = try message(new(100, "P9") + new(101, "D1"), ["Ward": ["name"]])
        #expect(
            stored.contains(
                "Patient/101: Physician/7 of the store has the same unique value, code = \"D1\"."),
            "\(stored)")
        let twice = try message(new(100, "P9") + new(101, "P9"), ["Ward": ["name"]])
        #expect(
            twice.contains("The record Patient/100 has the same unique value, code = \"P9\"."), "\(twice)"
        )
        // By a key, the same two records are one object; without a value they are two.
        #expect(try message(new(100, "P9") + new(101, "P9"), ["Being": ["code"]]) == "")
        let none = #"{"objectID": "Patient/102", "name": "new", "age": 4}"# + "\n"
        #expect(try message(none + none.replacing("102", with: "103"), ["Ward": ["name"]]) == "")
        // A patient found by name takes the code of another.
        let taken = #"{"objectID": "Patient/1", "code": "P2", "name": "patient 1"}"# + "\n"
        #expect(try message(taken, ["Patient": ["name"]]).contains("Patient/2 of the store"))
        // A patient found by name may keep the code.
        let kept = taken.replacing("P2", with: "P1")
        #expect(try message(kept, ["Patient": ["name"]]) == "")
    }

    @Test("an upsert sets the relationships of all objects of a file, however many it has") func manyRecords() throws {
        let clinic = try Clinic()
        let file = clinic.folder.url.appendingPathComponent("update.jsonl")
        let lines = (1...600).map { number in
            #"{"objectID": "Patient/\#(number)", "code": "N\#(number)", "name": "new", "physician": "Physician/1"}"#
        }
        let physician = #"{"objectID": "Physician/1", "code": "D1", "name": "physician"}"#
        try Data(([physician] + lines).joined(separator: "\n").utf8).write(to: file)
        let summary = try StoreUpsert.run(clinic.url, from: ExchangeSource(file), keys: ["Being": ["code"]])
        #expect(summary.updated == 1 && summary.inserted == 600 && summary.unknownReferences == 0, "\(summary)")
        #expect(try clinic.value("SELECT COUNT(*) FROM ZBEING WHERE ZPHYSICIAN = 7 AND ZNAME = 'new'") == 600)
    }

    @Test(
        "an upsert empties no relationship to objects without a record", arguments: ["Bed", "Ward"])
    func upsertOfOneEntity(_ entity: String) throws {
        let clinic = try Clinic()
        let file = clinic.folder.url.appendingPathComponent("\(entity).jsonl")
        var lines = ""
        _ = try StoreExport.write(RowStore(clinic.url), entity: entity, format: .jsonl) { lines += $0 }
        try Data(lines.utf8).write(to: file)
        let before = clinic.folder.url.appendingPathComponent("Before.sqlite")
        try FileManager.default.copyItem(at: clinic.url, to: before)
        let key = entity == "Bed" ? "code" : "name"
        let summary = try StoreUpsert.run(clinic.url, from: ExchangeSource(file), keys: [entity: [key]])
        #expect(summary.updated == 2 && summary.inserted == 0 && summary.unknownReferences > 0, "\(summary)")
        // The copy has no files of large data.
        #expect(try differences(before, clinic.url).filter { $0.property != "photo" } == [])
        #expect(try Doctor(clinic.url).examine() == [])
    }

    @Test("an upsert sets the elements of composite attributes that a record has") func upsertOfElements() throws {
        let clinic = try Clinic()
        let file = clinic.folder.url.appendingPathComponent("update.csv")
        try Data("objectID,name,place.floor,place.sign.text\r\nWard/1,ward 1,4,north\r\nWard/2,ward 2,,\r\n".utf8)
            .write(to: file)
        let keys = ["Ward": ["name"]]
        #expect(try StoreUpsert.run(clinic.url, from: ExchangeSource(file), keys: keys).updated == 2)
        #expect(try clinic.value("SELECT ZFLOOR || ZTEXT FROM ZWARD WHERE Z_PK = 1") == "4north")
        try Data("objectID,name,place.floor\r\nWard/1,ward 1,5\r\n".utf8).write(to: file)
        #expect(try StoreUpsert.run(clinic.url, from: ExchangeSource(file), keys: keys).updated == 1)
        #expect(try clinic.value("SELECT ZFLOOR || ZTEXT FROM ZWARD WHERE Z_PK = 1") == "5north")
        #expect(try clinic.value("SELECT ZFLOOR FROM ZWARD WHERE Z_PK = 2") == .null)
    }

    @Test("a record that does not fit is named by file, line and object, and leaves no store") func misfits() throws {
        let clinic = try Clinic()
        let file = clinic.folder.url.appendingPathComponent("bad.jsonl")
        let new = clinic.folder.url.appendingPathComponent("New.sqlite")
        for (line, text) in [
            ("{\"objectID\": \"Ghost/1\"}", "no entity 'Ghost'"),
            ("{\"objectID\": \"Ward/1\", \"size\": 3}", "no property 'size'"),
            ("{\"objectID\": 3}", "no object with an 'objectID'"), ("{", "is no JSON"),
            ("{\"objectID\": \"Ward/1\"} {}", "is no JSON"),
            ("{\"objectID\": \"Patient/1\", \"born\": \"yesterday\"}", "born: 'yesterday'"),
            ("{\"objectID\": \"Patient/1\", \"photo\": {\"file\": \"../../etc/passwd\"}}", "outside of the export"),
        ] {
            try Data("\(line)\n".utf8).write(to: file)
            let message = OpeningTests.message {
                _ = try StoreImport.make(new, from: ExchangeSource(file), model: clinic.model)
            }
            #expect(message.contains(text), "\(line): \(message)")
            #expect(!FileManager.default.fileExists(atPath: new.path))
        }
    }

    @Test("lines of JSON may end with CR LF, and may be empty") func lineEnds() throws {
        let clinic = try Clinic()
        let file = clinic.folder.url.appendingPathComponent("update.jsonl")
        try Data("{\"objectID\": \"Ward/1\", \"name\": \"ward 1\"}\r\n\r\n".utf8).write(to: file)
        let summary = try StoreUpsert.run(clinic.url, from: ExchangeSource(file), keys: ["Ward": ["name"]])
        #expect(summary.updated == 1 && summary.inserted == 0)
    }

    @Test("a CSV file that ends within quotes is refused") func openQuote() throws {
        let clinic = try Clinic()
        let file = clinic.folder.url.appendingPathComponent("update.csv")
        try Data("objectID,name\r\nWard/1,\"ward 1".utf8).write(to: file)
        let message = OpeningTests.message {
            _ = try StoreUpsert.run(clinic.url, from: ExchangeSource(file), keys: ["Ward": ["name"]])
        }
        #expect(message.contains("update.csv:2: A quote has no end."), "\(message)")
    }

    @Test("dates of any number of digits are the same number after text") func dates() {
        for seconds in [
            0, 0.1, 346_852_361.600_12, 725_846_400.123_456_7, -1.5, 1e-7, 2e8, -63_113_903_999.5, 1e15, .infinity,
        ] {
            let json = ExchangeDate.json(seconds)
            guard case .string(let text) = json else {
                #expect(json.text.contains("seconds"))
                continue
            }
            #expect(DateText.seconds(text) == seconds, "\(text)")
        }
        #expect(DateText.seconds("2001-01-01T02:00:00+02:00") == 0)
        #expect(DateText.seconds("2001-01-02") == 86_400)
        #expect(DateText.seconds("soon") == nil)
    }
}

@Suite("Interrupted commands", .needsPrograms) struct InterruptionTests {
    @Test("a signal leaves no unfinished file", arguments: [SIGINT, SIGTERM]) func signals(
        _ number: Int32
    ) throws {
        let garage = try Garage(cars: 3000, photo: Data(repeating: 7, count: 2000))
        let export = try ToolProgram.process(
            "coredata-tool", ["export", "Garage.sqlite", "-o", "Given"], in: garage.folder)
        export.standardOutput = FileHandle.nullDevice
        try ToolProgram.start(export)
        ToolProgram.waitForEnd(of: export)
        #expect(export.terminationStatus == 0)
        for milliseconds in [30, 150] {
            for arguments in [
                ["export", "Garage.sqlite", "-o", "Out"], ["recover", "Garage.sqlite", "-o", "New.sqlite"],
                ["snapshot", "Garage.sqlite", "-o", "Copy.sqlite"], ["import", "Given", "-o", "New.sqlite"],
            ] {
                let process = try ToolProgram.process("coredata-tool", arguments, in: garage.folder)
                process.standardOutput = FileHandle.nullDevice
                try ToolProgram.start(process)
                usleep(UInt32(milliseconds) * 1000)
                kill(process.processIdentifier, number)
                ToolProgram.waitForEnd(of: process)
                let names = try FileManager.default.contentsOfDirectory(atPath: garage.folder.url.path)
                let hidden = names.filter { $0.hasPrefix(".") && !$0.hasSuffix("_SUPPORT") }
                #expect(hidden == [], "\(arguments) after \(milliseconds) ms")
                for name in ["Out", "New.sqlite", "Copy.sqlite"] {
                    try? FileManager.default.removeItem(at: garage.folder.url.appendingPathComponent(name))
                }
            }
        }
    }
}
