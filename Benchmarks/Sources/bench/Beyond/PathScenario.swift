// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The scenario of paths into values, with an index, by a scan, and with a column and an index made by hand.

import CoreData
import Foundation

enum PathScenario: Scenario {
    static let name = "paths into values"
    private static let saved = 1_000

    static func run(_ stage: Stage) throws -> [Finding] {
        let count = stage.size(100_000)
        let documents = Documents(count: count)
        let (scan, index) = (try stage.store(), try stage.store(isIndexed: true))
        for context in [scan, index] { try write(0..<count, of: documents, to: context) }
        let plain = try PlainDocuments(stage.newFile(), documents)
        let tags = documents.tags
        func lookUps(_ context: NSManagedObjectContext, _ many: Int) throws -> Double {
            try context.performAndWait {
                let time = try stage.time {
                    for number in 0..<many { try lookUp("tag \(number * 37 % tags)", context) }
                }
                context.reset()
                return time / Double(many)
            }
        }
        let (looked, few) = (min(tags, 200), 3)
        let byIndex = try stage.median { try lookUps(index, looked) }
        let byScan = try stage.median { try lookUps(scan, few) }
        let bySQL = try stage.median {
            try stage.time { for number in 0..<looked { try plain.lookUp("tag \(number * 37 % tags)") } }
                / Double(looked)
        }
        var next = count
        func save(_ context: NSManagedObjectContext) throws -> Double {
            next += saved
            return try stage.time { try write(next..<next + saved, of: documents, to: context) }
        }
        let (without, with) = (try stage.median { try save(scan) }, try stage.median { try save(index) })
        let savedBySQL = try stage.median {
            next += saved
            return try stage.time { try plain.insert(next..<next + saved) }
        }
        Console.say(
            "a look-up: \(byIndex) ms by the index, \(byScan) by a scan, \(bySQL) in SQL; a save: \(with) ms with the "
                + "index, \(without) without, \(savedBySQL) in SQL")
        return [
            finding(
                "a look-up of 10 of 100,000 rows, to a column with an index", byIndex / bySQL, "×", atMost: 15,
                because: "10 JSON texts are parsed and 10 objects made, and the statement is prepared each time"),
            finding(
                "the same, to a scan", byIndex / byScan, "×", atMost: 0.01,
                because: "the scan parses 10,000 times as many texts"),
            finding(
                "a save of 1,000 objects, to the same without an index", with / without, "×", atMost: 3,
                because: "each text is parsed once more, and each row writes to three further trees"),
        ]
    }

    private static func lookUp(_ tag: String, _ context: NSManagedObjectContext) throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Document")
        request.predicate = NSPredicate(format: "meta.tag == %@", tag)
        let found = try context.fetch(request)
        guard found.count == Documents.perTag, found.allSatisfy({ $0.value(forKey: "number") is NSNumber }) else {
            throw BenchmarkFailure("\(found.count) rows of \(tag)")
        }
    }

    private static func write(_ numbers: Range<Int>, of documents: Documents, to context: NSManagedObjectContext) throws
    {
        try context.performAndWait {
            for number in numbers {
                let document = NSEntityDescription.insertNewObject(forEntityName: "Document", into: context)
                document.setValue(number, forKey: "number")
                document.setValue(Data(documents.json(number).utf8), forKey: "meta")
            }
            try context.save()
            context.reset()
        }
    }
}

/// Documents in JSON, with a tag that ten of the first ones share.
private struct Documents {
    static let perTag = 10
    let count: Int
    var tags: Int { count / Self.perTag }

    func tag(_ number: Int) -> String { number < count ? "tag \(number % tags)" : "new \(number)" }

    func json(_ number: Int) -> String {
        #"{"tag": "\#(tag(number))", "size": \#(number), "source": {"host": "example.org", "port": 8080}, "#
            + #""title": "Document number \#(number)"}"#
    }
}

extension Stage {
    fileprivate func store(isIndexed: Bool = false) throws -> NSManagedObjectContext {
        let document = NSEntityDescription()
        (document.name, document.managedObjectClassName) = ("Document", "NSManagedObject")
        let (number, meta) = (NSAttributeDescription(), NSAttributeDescription())
        (number.name, number.attributeType, number.isOptional) = ("number", .integer64AttributeType, true)
        (meta.name, meta.attributeType, meta.isOptional) = ("meta", .binaryDataAttributeType, true)
        meta.userInfo = ["indexedPaths": "tag"]
        document.properties = [number, meta]
        let model = NSManagedObjectModel()
        model.entities = [document]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: newFile(), options: [NSValueIndexOption: isIndexed])
        return context(coordinator)
    }
}

/// The same documents in a table with a column for the tag, and an index of it.
private final class PlainDocuments {
    private let database: RawDatabase
    private let query: RawStatement
    private let insertion: RawStatement

    private let documents: Documents

    init(_ file: URL, _ documents: Documents) throws {
        self.documents = documents
        database = try RawDatabase(file, tuning: .asFramework)
        try database.execute("CREATE TABLE document (id INTEGER PRIMARY KEY, number INTEGER, meta TEXT, tag TEXT)")
        try database.execute("CREATE INDEX tags ON document (tag)")
        query = try database.prepare("SELECT id, number, meta FROM document WHERE tag = ?")
        insertion = try database.prepare("INSERT INTO document (id, number, meta, tag) VALUES (?, ?, ?, ?)")
        try insert(0..<documents.count)
    }

    func insert(_ numbers: Range<Int>) throws {
        try database.transaction {
            for number in numbers {
                insertion.bind(Int64(number), 1)
                insertion.bind(Int64(number), 2)
                insertion.bind(documents.json(number), 3)
                insertion.bind(documents.tag(number), 4)
                try insertion.run()
            }
        }
    }

    func lookUp(_ tag: String) throws {
        var count = 0
        query.bind(tag, 1)
        while try query.step() {
            guard query.text(2).utf8.count > 0 else { throw BenchmarkFailure("no text") }
            count += query.integer(0) >= 0 && query.integer(1) >= 0 ? 1 : 0
        }
        query.reset()
        guard count == Documents.perTag else { throw BenchmarkFailure("\(count) rows of \(tag)") }
    }
}
