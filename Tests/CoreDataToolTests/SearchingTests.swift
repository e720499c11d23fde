// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Queries for the words of texts: order, columns, formats, errors, and the index of a store.

import CoreData
import CoreDataModelFiles
import Foundation
import SQLiteDriver
import Testing

@testable import CoreDataToolKit

@Suite("Searching a store") struct SearchingTests {
    /// Ada owns "red car", a longer text and "car"; Bob owns "blue car" and "École".
    private func garage(hasIndex: Bool = false) throws -> Garage {
        let garage = try Garage()
        if hasIndex {
            let coordinator = NSPersistentStoreCoordinator(
                managedObjectModel: try #require(NSManagedObjectModel(contentsOf: garage.model)))
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: garage.url,
                options: [NSFullTextIndexOption: true])
            try coordinator.remove(store)
        }
        try garage.execute(
            "UPDATE ZCAR SET ZNAME = 'red car' WHERE Z_PK = 1",
            "UPDATE ZCAR SET ZNAME = 'a car that is as \"red\" as any other, with a very long name' WHERE Z_PK = 2",
            "UPDATE ZCAR SET ZNAME = 'car' WHERE Z_PK = 3", "UPDATE ZCAR SET ZNAME = 'blue car' WHERE Z_PK = 4",
            "UPDATE ZCAR SET ZNAME = 'École' WHERE Z_PK = 5")
        return garage
    }

    private func ids(_ garage: Garage, _ query: Query) throws -> [String] {
        try query.run(on: garage.open()).rows.map(\.id)
    }

    @Test("the best objects come first, within conditions and limits", arguments: [false, true])
    func order(hasIndex: Bool) throws {
        let garage = try garage(hasIndex: hasIndex)
        func found(_ text: String, _ change: (inout Query) -> Void = { _ in }) throws -> [String] {
            var query = Query(entityName: "Car", selection: ["name"], search: text)
            change(&query)
            return try ids(garage, query)
        }
        #expect(try found("red") == ["Car/1", "Car/2"])
        #expect(try found("ecole OR blue") == ["Car/5", "Car/4"])
        #expect(try found("car NOT red") == ["Car/3", "Car/4"])
        #expect(try found("red") { $0.limit = 1 } == ["Car/1"])
        #expect(try found("red") { ($0.limit, $0.offset) = (5, 1) } == ["Car/2"])
        #expect(try found("car") { $0.format = "owner.name == 'Bob'" } == ["Car/4"])
        #expect(try found("car") { $0.sortKeys = ["-price"] } == ["Car/4", "Car/3", "Car/2", "Car/1"])
        #expect(try found("car") { ($0.sortKeys, $0.offset) = (["-objectID"], 1) } == ["Car/3", "Car/2", "Car/1"])
        #expect(try found("zebra") == [])
        #expect(try Query(entityName: "Car", search: "car").count(on: garage.open()) == 4)
        let groups = Query(
            entityName: "Car", sortKeys: ["owner.name"], selection: ["owner.name", "@count"],
            groupKeys: ["owner.name"], search: "car")
        #expect(try garage.rows(groups) == [["Ada", "3"], ["Bob", "1"]])
    }

    @Test("relevance and matches are columns in each format") func columns() throws {
        let garage = try garage()
        let columns = try Query(entityName: "Car", search: "red").run(on: garage.open()).columns
        #expect(columns == ["@relevance", "@match"] + Query.everything(of: try garage.open().entity(named: "Car")))
        let query = Query(entityName: "Car", selection: ["@match", "@relevance", "owner.name"], search: "red car")
        let result = try query.run(on: garage.open())
        #expect(
            result.rows.map(\.cells[0].tableText) == [
                "[red] [car]", "a [car] that is as \"[red]\" as any other, with a very…",
            ])
        #expect(result.rows.map(\.cells[2].tableText) == ["Ada", "Ada"])
        let lines = result.text(.csv).split(separator: "\r\n")
        #expect(lines[0] == "objectID,@match,@relevance,owner.name")
        #expect(lines[1].hasPrefix("Car/1,[red] [car],0."))
        let rows = try #require(
            try JSONSerialization.jsonObject(with: Data(result.text(.json).utf8)) as? [[String: Any]])
        let match = try #require(rows[0]["@match"] as? [String: Any])
        #expect(match["attribute"] as? String == "name" && match["text"] as? String == "red car")
        #expect(match["matches"] as? [[Int]] == [[0, 3], [4, 7]])
        let relevance = try #require(rows.map { $0["@relevance"] as? Double } as? [Double])
        #expect(relevance[0] > relevance[1] && relevance[1] > 0)
    }

    @Test("a query that is none, an entity without texts and a wrong column are explained") func errors() throws {
        let garage = try garage()
        let place = garage.message(Query(entityName: "Car", search: "red AND (car"))
        #expect(place.contains("    red AND (car\n") && place.hasSuffix("^"))
        #expect(garage.message(Query(entityName: "Car", search: "color: red")).contains("'Car.color' is not searched"))
        #expect(
            garage.message(Query(entityName: "Person", search: "Ada"))
                == "Person has no attributes that are searched: its model marks none of its texts with Index in Spotlight."
        )
        #expect(garage.message(Query(entityName: "Car", selection: ["nmae"], search: "a")).contains("no key 'nmae'"))
        #expect(garage.message(Query(entityName: "Car", selection: ["@match"])).contains("no operator '@match'"))
        try garage.execute("DROP TABLE Z_MODELCACHE")
        #expect(garage.message(Query(entityName: "Car", search: "red")).hasSuffix("name its model with --model."))
        #expect(
            try Query(entityName: "Car", search: "red").run(on: OpenedStore(garage.url, model: garage.model)).rows.count
                == 2)
    }

    @Test("a store without a model tells by its indexes what is searched", arguments: [false, true])
    func inferredModel(isKept: Bool) throws {
        let garage = try garage(hasIndex: true)
        try garage.execute("DROP TABLE Z_MODELCACHE")
        // An index that no trigger keeps is not read, and its columns are searched nevertheless.
        if !isKept { try garage.execute("DROP TRIGGER OCD_FTS_ZCAR_UPDATE") }
        #expect(try garage.open().origin == .schema)
        let query = Query(entityName: "Car", selection: ["name", "@match"], limit: 5, search: "red NOT car")
        #expect(try ids(garage, query) == [])
        #expect(try ids(garage, Query(entityName: "Car", limit: 1, search: "name: red")) == ["Car/1"])
        #expect(try ids(garage, Query(entityName: "Car", format: "name MATCHING 'ecole'")) == ["Car/5"])
        #expect(garage.message(Query(entityName: "Car", search: "color: red")).contains("'Car.color' is not searched"))
        #expect(garage.message(Query(entityName: "Person", search: "Ada")).hasSuffix("name its model with --model."))
        let store = try garage.open()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Car")
        request.predicate = try Query(entityName: "Car", format: "SELF MATCHING 'red'").predicate(
            store.entity(named: "Car"), store)
        #expect(try store.ask { try request.explain(in: $0) }.isAnsweredBySQL == isKept)
    }

    @Test("the inferred model has the tokenizer of each index") func inferredTokenizers() throws {
        let place = FileManager.default.temporaryDirectory.appending(path: "Inferred-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: place) }
        let url = place.appending(path: "Notes.sqlite")
        let note = NSEntityDescription()
        note.name = "Note"
        for (name, info) in [("text", [:]), ("place", ["search": "trigram"]), ("code", nil)]
            as [(String, [String: String]?)]
        {
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = .stringAttributeType
            attribute.isOptional = true
            attribute.isIndexedBySpotlight = info != nil
            attribute.userInfo = info
            note.properties.append(attribute)
        }
        let model = NSManagedObjectModel()
        model.entities = [note]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: [NSFullTextIndexOption: true])
        try coordinator.remove(store)
        let connection = try Connection(url: url)
        try connection.execute("DROP TABLE Z_MODELCACHE")
        try connection.close()
        let searched = try OpenedStore(url).entity(named: "Note").searchedAttributes
        #expect(searched.map(\.name) == ["place", "text"])
        #expect(searched.map(\.tokenizer) == [.trigrams, .words])
    }

    @Test("a predicate has searches as well, and the index answers them") func predicates() throws {
        let garage = try garage(hasIndex: true)
        let query = Query(entityName: "Car", format: "SELF MATCHING 'red' AND price < 2", selection: ["name"])
        #expect(try garage.rows(query) == [["red car"]])
        let store = try garage.open()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Car")
        request.predicate = try query.predicate(store.entity(named: "Car"), store)
        let explanation = try store.ask { try request.explain(in: $0) }
        #expect(explanation.isAnsweredBySQL, "\(explanation)")
    }

    @Test("a working model keeps what a search reads", arguments: [false, true]) func workingModel(isEditable: Bool)
        throws
    {
        var document = ModelDocument()
        var entity = ModelDocument.Entity(name: "Note")
        for (name, isSearched, info) in [
            ("text", true, ["search": "trigram"]), ("title", true, [:]), ("code", false, [:]),
        ] {
            var attribute = ModelDocument.Attribute(name: name, type: AttributeKind.string.rawValue)
            attribute.traits.isIndexedBySpotlight = isSearched
            attribute.traits.userInfo = info.mapValues { .string($0) }
            entity.attributes.append(attribute)
        }
        document.entities = [entity]
        let working = WorkingModel.document(for: document, entities: ["Note"], isEditable: isEditable)
        let searched = NSManagedObjectModel(document: working).entitiesByName["Note"]?.searchedAttributes ?? []
        #expect(searched.map(\.name) == ["text", "title"])
        #expect(searched.map(\.tokenizer) == [.trigrams, .words])
    }
}
