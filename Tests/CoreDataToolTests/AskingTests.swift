// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Predicates, selections and groups as users write them on a command line.

import CoreData
import Foundation
import Testing

@testable import CoreDataToolKit

@Suite("Asking a store") struct AskingTests {
    @Test("a date is written as text, with or without time and zone")
    func dates() throws {
        let garage = try Garage()
        // Car/1 was built on 2001-01-02, at midnight.
        #expect(try garage.cars("built == '2001-01-02'") == ["car 1"])
        #expect(try garage.cars("built < '2001-01-03T00:00:00.5Z'") == ["car 1", "car 2"])
        #expect(try garage.cars("built == '2001-01-02T02:00:00+02:00'") == ["car 1"])
        #expect(try garage.cars("'2001-01-05 00:00' <= built") == ["car 4", "car 5"])
        #expect(try garage.cars("built IN {'2001-01-02', '2001-01-04'}") == ["car 1", "car 3"])
        #expect(try garage.cars("built BETWEEN {'2001-01-03', '2001-01-04'}") == ["car 2", "car 3"])
        for wrong in ["yesterday", "2001-02-30", "2001-01-01T25:00", "5"] {
            let message = garage.message(Query(entityName: "Car", format: "built > '\(wrong)'"))
            #expect(
                message == "'built' holds dates: write \"2024-05-01\" or \"2024-05-01T12:30:00Z\", not \"\(wrong)\".")
        }
    }

    @Test("a UUID is written as text")
    func uuids() throws {
        let garage = try Garage()
        #expect(try garage.cars("key == '\(Garage.key.lowercased())'") == ["car 2"])
        #expect(garage.message(Query(entityName: "Car", format: "key == 'x'")).hasPrefix("'key' holds UUIDs: write"))
    }

    @Test("an object is written as its entity and key, or as a URI")
    func objects() throws {
        let garage = try Garage()
        #expect(try garage.cars("SELF == 'Car/3'") == ["car 3"])
        #expect(try garage.cars("objectID == 'Car/3'") == ["car 3"])
        #expect(try garage.cars("SELF IN {'Car/1', 'car/5'}") == ["car 1", "car 5"])
        let ada = try garage.rows(Query(entityName: "Person", format: "name == 'Ada'", selection: ["objectID"]))[0][0]
        #expect(try garage.cars("owner == '\(ada)'") == ["car 1", "car 2", "car 3"])
        #expect(try garage.cars("owner.objectID == '\(ada)'").count == 3)
        let store = try garage.open()
        let identifier = try #require(store.file.uuid)
        #expect(try garage.cars("SELF == 'x-coredata://\(identifier)/Car/p2'") == ["car 2"])
        let owners = Query(entityName: "Person", format: "ANY cars == 'Car/4'", selection: ["name"])
        #expect(try garage.rows(owners) == [["Bob"]])
        let message = garage.message(Query(entityName: "Car", format: "owner == 'Ada'"))
        #expect(message == "'owner' is an object: write \"Person/3\" or its URI, not \"Ada\".")
    }

    @Test("values of another kind are refused in plain words")
    func otherKinds() throws {
        let message = try Garage().message(Query(entityName: "Car", format: "built == 5"))
        #expect(message.contains("holds dates: they cannot be compared with numbers"), "\(message)")
    }

    @Test("objectID can be selected, and sorted by")
    func ids() throws {
        let garage = try Garage()
        let result = try Query(entityName: "Car", selection: ["name", "objectID", "owner.objectID"]).run(
            on: garage.open())
        #expect(result.rows[0].cells[1].tableText == result.rows[0].id)
        #expect(result.rows[0].cells[2].tableText.hasPrefix("Person/"))
        #expect(result.text(.csv).hasPrefix("name,objectID,owner.objectID\r\n"))
        #expect(result.text(.table).hasSuffix("5 objects\n"))
        let down = try garage.rows(
            Query(entityName: "Car", sortKeys: ["-objectID"], selection: ["objectID"], limit: 2, offset: 1))
        #expect(down == [["Car/4"], ["Car/3"]])
        #expect(garage.message(Query(entityName: "Car", sortKeys: ["name", "objectID"])).contains("sort by it alone"))
    }

    @Test("a to-many is counted")
    func counts() throws {
        let query = Query(entityName: "Person", sortKeys: ["name"], selection: ["name", "cars.@count"])
        #expect(try Garage(cars: 200).rows(query) == [["Ada", "3"], ["Bob", "197"]])
    }

    @Test("sums, extremes and means are computed over a to-many")
    func operators() throws {
        let garage = try Garage()
        let selection = ["cars.@sum.seats", "cars.@max.seats", "cars.@min.name", "cars.@avg.seats", "cars.@max.built"]
        let rows = try garage.rows(Query(entityName: "Person", sortKeys: ["name"], selection: selection))
        #expect(rows[0] == ["6", "3", "car 1", "2", "2001-01-04T00:00:00Z"])
        #expect(rows[1] == ["9", "5", "car 4", "4.5", "2001-01-06T00:00:00Z"])
        let message = garage.message(Query(entityName: "Person", selection: ["cars.@sum"]))
        #expect(message.contains("lacks the attribute"))
        let unknown = garage.message(Query(entityName: "Person", selection: ["cars.@median.seats"]))
        #expect(unknown.contains("no operator '@median'"))
    }

    @Test("groups are counted, summed and sorted by computed columns")
    func groups() throws {
        let garage = try Garage()
        let columns = ["owner.name", "@count", "@sum.seats", "@avg.seats", "@max.built"]
        let query = Query(entityName: "Car", sortKeys: ["-@count"], selection: columns, groupKeys: ["owner.name"])
        let rows = try garage.rows(query)
        #expect(rows.first == ["Ada", "3", "6", "2", "2001-01-04T00:00:00Z"])
        #expect(rows.last == ["Bob", "2", "9", "4.5", "2001-01-06T00:00:00Z"])
        #expect(try query.run(on: garage.open()).text(.csv).hasPrefix("owner.name,@count,"))
        let byOwner = try garage.rows(Query(entityName: "Car", sortKeys: ["@count"], groupKeys: ["owner"]))
        #expect(byOwner.map { $0[1] } == ["2", "3"] && byOwner[0][0].hasPrefix("Person/"))
        let whole = Query(entityName: "Car", format: "seats > 1", selection: ["@count", "@min.seats"])
        #expect(try garage.rows(whole) == [["4", "2"]])
        #expect(garage.message(Query(entityName: "Car", selection: ["name", "@count"])).contains("--group-by"))
        let loose = Query(entityName: "Car", selection: ["name", "@count"], groupKeys: ["owner"])
        #expect(garage.message(loose).contains("'name' may differ among the objects of a group"))
    }

    @Test("offset and limit cut a window, and count counts it")
    func windows() throws {
        let garage = try Garage()
        var query = Query(entityName: "Car", sortKeys: ["name"], selection: ["name"], limit: 2, offset: 1)
        #expect(try garage.rows(query) == [["car 2"], ["car 3"]])
        #expect(try query.count(on: garage.open()) == 2)
        query.limit = 0
        query.offset = 4
        #expect(try garage.rows(query) == [["car 5"]])
    }

    @Test("offset and limit cut a window of groups, after they are sorted")
    func windowsOfGroups() throws {
        let garage = try Garage()
        var query = Query(entityName: "Car", sortKeys: ["-seats"], limit: 2, offset: 1, groupKeys: ["seats"])
        #expect(try garage.rows(query) == [["4", "1"], ["3", "1"]])
        query.limit = 0
        #expect(try garage.rows(query) == [["4", "1"], ["3", "1"], ["2", "1"], ["1", "1"]])
        query.offset = 0
        query.sortKeys = ["seats"]
        #expect(try garage.rows(query).map { $0[0] } == ["1", "2", "3", "4", "5"])
    }

    @Test("objects are not grouped by a to-many, nor by their id")
    func groupKeys() throws {
        let garage = try Garage()
        for key in ["cars", "cars.seats", "cars.@count", "objectID"] {
            let message = garage.message(Query(entityName: "Person", selection: ["@count"], groupKeys: [key]))
            #expect(
                message == "Objects cannot be grouped by '\(key)': name attributes and to-one relationships.")
        }
    }

    @Test("an operator without its attribute is refused with a hint, alone and in groups")
    func missingOperand() throws {
        let garage = try Garage()
        let alone = garage.message(Query(entityName: "Car", selection: ["@sum"]))
        #expect(alone.contains("'@sum' lacks the attribute"), "\(alone)")
        let grouped = garage.message(Query(entityName: "Car", selection: ["@avg"], groupKeys: ["owner"]))
        #expect(grouped.contains("'@avg' may differ among the objects of a group"), "\(grouped)")
    }

    @Test("a key path may begin with self")
    func keysOfSelf() throws {
        let garage = try Garage()
        for key in ["self.seats", "SELF.seats", "#self.seats", "#SELF.seats"] {
            #expect(try garage.cars("\(key) == 2") == ["car 2"], "\(key)")
        }
        #expect(try garage.cars("SELF.owner.name == 'Bob'") == ["car 4", "car 5"])
        let message = garage.message(Query(entityName: "Car", format: "self.seat == 2"))
        #expect(message.contains("There is no key 'seat' in Car."))
    }

    @Test("a subquery over self is refused in words of the language")
    func subqueryOverSelf() throws {
        let message = try Garage().message(
            Query(entityName: "Car", format: "SUBQUERY(self, $x, $x.seats > 1).@count > 0"))
        #expect(message.hasPrefix("SUBQUERY looks at the members of a to-many relationship"), "\(message)")
    }
}

@Suite("Values in JSON and CSV") struct ValueFormTests {
    private func object(_ garage: Garage, _ selection: [String], number: Int = 1) throws -> [String: Any] {
        let query = Query(entityName: "Car", format: "seats == \(number)", selection: selection)
        let text = try query.run(on: garage.open()).text(.ndjson)
        #expect(text.split(separator: "\n").count == 1)
        return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    @Test("binary data is base64, for any bytes")
    func binary() throws {
        let garage = try Garage()
        #expect(try object(garage, ["blob"])["blob"] as? String == Data("[1]".utf8).base64EncodedString())
        #expect(try object(garage, ["blob"], number: 2)["blob"] as? String == "AQI=")
    }

    @Test("an archive is marked as one")
    func archives() throws {
        let tags = try #require(try object(try Garage(), ["tags"])["tags"] as? [String: Any])
        #expect(tags["archive"] as? String == "NSArray")
        #expect(tags["value"] as? [String] == ["fast", "number 1"])
    }

    @Test("no value prints an address", .needsFixtures, arguments: FixtureStores.names)
    func addresses(name: String) throws {
        let folder = try TemporaryFolder()
        let opened = try OpenedStore(try folder.store(name))
        for entity in opened.entities where entity.superentity == nil {
            let text = try Query(entityName: entity.name ?? "").run(on: opened).text(.json)
            #expect(text.firstMatch(of: #/<[A-Za-z_.]+: ?0x[0-9a-f]+>/#) == nil)
        }
    }

    @Test("not a number is not null")
    func notANumber() throws {
        let garage = try Garage()
        #expect(Cell.real(.nan).json == .string("NaN") && Cell.real(-.infinity).json == .string("-Infinity"))
        #expect(Cell.decimal(.nan).json == .string("NaN"))
        #expect(Cell.real(.infinity).csvText == "Infinity" && Cell.null.csvText.isEmpty)
        #expect(try garage.cars("seats == 4") == ["car 4"])
    }

    @Test("large data without its file is reported as missing, and nil stays nil")
    func missingFile() throws {
        let garage = try Garage(cars: 1, photo: Data(repeating: 7, count: 200_000))
        let support = garage.folder.url.appendingPathComponent(".Garage_SUPPORT/_EXTERNAL_DATA")
        let files = try FileManager.default.contentsOfDirectory(atPath: support.path)
        #expect(files.count == 1)
        #expect(try object(garage, ["photo"])["photo"] is String)
        for file in files { try FileManager.default.removeItem(at: support.appendingPathComponent(file)) }
        let photo = try #require(try object(garage, ["photo"])["photo"] as? [String: Any])
        let file = try #require(files.first)
        #expect(photo["missingFile"] as? String == file)
        #expect(try garage.rows(Query(entityName: "Car", selection: ["photo"])) == [["missing file \(file)"]])
        #expect(try object(Garage(cars: 1), ["photo"])["photo"] is NSNull)
    }

    @Test("the members of a to-many are separated in CSV")
    func lists() throws {
        let garage = try Garage()
        let query = Query(entityName: "Person", format: "name == 'Bob'", selection: ["cars.name", "cars"])
        let text = try query.run(on: garage.open()).text(.csv)
        #expect(text.contains(#""[""car 4"", ""car 5""]","[""Car/4"", ""Car/5""]""#), "\(text)")
    }
}
