// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Cut, overwritten and mistyped files give errors or values, and never trap.

import CoreData
import CoreDataTestSupport
import FixtureFiles
import Foundation
import SQLiteDriver
import Testing

@Suite("Damaged stores") struct DamagedFileTests {
    private let cocoa = NSCocoaErrorDomain

    @Test("a file cut off anywhere is refused, or gives errors when it is read") func truncated() throws {
        let whole = try Warehouse()
        let bytes = try whole.bytes()
        var refused = 0
        var failed = 0
        for part in 1..<24 {
            let warehouse = try Warehouse(boxes: nil)
            try warehouse.write(Array(bytes.prefix(bytes.count * part / 24)))
            if let error = try warehouse.refusal() {
                #expect(error.domain == cocoa)
                refused += 1
                continue
            }
            let errors = try warehouse.withContext { Warehouse.readEverything($0) }
            for error in errors { #expect(error.domain == cocoa) }
            if !errors.isEmpty { failed += 1 }
        }
        #expect(refused + failed >= 20, "\(refused) refused, \(failed) failed")
    }

    @Test("a damaged page anywhere gives errors", arguments: [UInt8(0), 0xFF, 0x5A])
    func pages(filling: UInt8) throws {
        let whole = try Warehouse()
        let bytes = try whole.bytes()
        var noticed = 0
        for page in 0..<bytes.count / 4096 {
            var damaged = bytes
            for place in page * 4096..<(page + 1) * 4096 { damaged[place] = filling }
            let warehouse = try Warehouse(boxes: nil)
            try warehouse.write(damaged)
            if let error = try warehouse.refusal() {
                #expect(error.domain == cocoa)
                noticed += 1
                continue
            }
            let errors = try warehouse.withContext { context in
                var errors = Warehouse.readEverything(context)
                Warehouse.fill(context, 1)
                errors += [failure { try context.save() }].compactMap { $0 }
                return errors
            }
            for error in errors { #expect(error.domain == cocoa, "\(error)") }
            if !errors.isEmpty { noticed += 1 }
        }
        #expect(noticed > 5)
    }

    @Test("random damage never ends the program", arguments: 0..<2)
    func random(seed: Int) throws {
        let bytes = try Warehouse().bytes()
        var random = Seeded(state: UInt64(seed) &+ 20_261_121)
        for _ in 0..<25 {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...40, using: &random) {
                damaged[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            let warehouse = try Warehouse(boxes: nil)
            try warehouse.write(damaged)
            if let error = try warehouse.refusal() {
                #expect(error.domain == cocoa)
                continue
            }
            let errors = try warehouse.withContext { context in
                var errors = Warehouse.readEverything(context)
                Warehouse.fill(context, 1)
                errors += [failure { try context.save() }].compactMap { $0 }
                return errors
            }
            for error in errors { #expect(error.domain == cocoa, "\(error)") }
        }
    }

    @Test(
        "values of other types in columns are read as something or nothing",
        arguments: [
            "NULL", "'text'", "''", "7", "-1", "2.5", "x'00FF'", "x''", "9223372036854775807", "-9223372036854775808",
            "1e308", "-1e308", "'12'",
            "CAST(x'FFFEC328' AS TEXT)", "zeroblob(100000)", "'https://example.org/ %%'", "9e999",
            "x'62706C6973743030'",
        ])
    func values(value: String) throws {
        let warehouse = try Warehouse(boxes: 3)
        let columns = MuseumModel.types.map { "Z\($0.0.uppercased()) = \(value)" }
        try warehouse.edit("UPDATE ZBOX SET " + columns.joined(separator: ", "))
        let errors = try warehouse.withContext { context in
            var errors = Warehouse.readEverything(context)
            let boxes = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Box"))
            for box in boxes { box.setValue(1, forKey: "small") }
            errors += [failure { try context.save() }].compactMap { $0 }
            return errors
        }
        for error in errors { #expect(error.domain == cocoa, "\(error)") }
    }

    @Test(
        "invalid numbers and keys, and dangling links do no harm",
        arguments: [
            "UPDATE ZBOX SET Z_ENT = 99", "UPDATE ZBOX SET Z_ENT = NULL", "UPDATE ZBOX SET Z_ENT = 'x'",
            "UPDATE ZBOX SET Z_OPT = NULL",
            "UPDATE ZBOX SET Z_OPT = 'x'", "UPDATE ZBOX SET Z_OPT = -3", "UPDATE ZBOX SET ZSHELF = 4711",
            "UPDATE ZBOX SET ZSHELF = 'x'",
            "UPDATE ZBOX SET ZSHELF = -1", "UPDATE ZBOX SET ZSHELF = -9223372036854775808",
            "UPDATE ZBOX SET Z_PK = -9223372036854775808 WHERE Z_PK = 1",
            "UPDATE ZBOX SET ZSHELF = 0", "UPDATE ZBOX SET Z_FOK_SHELF = NULL",
            "UPDATE ZBOX SET Z_FOK_SHELF = 0",
            "UPDATE ZBOX SET Z_FOK_SHELF = 'x'", "UPDATE ZBOX SET Z_PK = -Z_PK",
            "UPDATE ZBOX SET Z_PK = 0 WHERE Z_PK = 1", "DELETE FROM ZLABEL",
            "DELETE FROM ZSHELF", "DELETE FROM ZBOX WHERE Z_PK = 2", "UPDATE ZSHELF SET ZNAME = NULL",
            "UPDATE ZSHELF SET Z_ENT = (SELECT MAX(Z_ENT) FROM ZBOX)",
            "UPDATE ZBOX SET Z_OPT = 9223372036854775807",
            "UPDATE ZBOX SET Z_FOK_SHELF = 9223372036854775807 WHERE Z_PK = 2",
            "UPDATE ZBOX SET Z_FOK_SHELF = -9223372036854775808", "UPDATE ZBOX SET Z_FOK_SHELF = 2048",
        ])
    func links(statement: String) throws {
        let warehouse = try Warehouse(boxes: 6)
        try warehouse.edit(statement)
        let errors = try warehouse.withContext { context in
            var errors = Warehouse.readEverything(context)
            for entity in ["Box", "Shelf", "Label"] {
                let found = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity))
                for object in found {
                    object.setValue(
                        object.entity.name == "Shelf" ? "x" : nil, forKey: entity == "Shelf" ? "name" : "text")
                }
                guard entity == "Shelf" else { continue }
                for shelf in found {
                    let boxes = shelf.mutableOrderedSetValue(forKey: "boxes")
                    boxes.add(NSEntityDescription.insertNewObject(forEntityName: "Box", into: context))
                    boxes.insert(NSEntityDescription.insertNewObject(forEntityName: "Box", into: context), at: 0)
                }
            }
            errors += [failure { try context.save() }].compactMap { $0 }
            context.reset()
            for object in (try? context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Shelf"))) ?? [] {
                context.delete(object)
            }
            errors += [failure { try context.save() }].compactMap { $0 }
            return errors
        }
        for error in errors { #expect(error.domain == cocoa, "\(error)") }
    }

    @Test(
        "a key that is not positive belongs to no object, and a reference with such a key is nil",
        arguments: [Int64.min, -5, -1, 0])
    func impossibleKeys(key: Int64) throws {
        let warehouse = try Warehouse(boxes: 6)
        try warehouse.edit(
            "UPDATE ZBOX SET Z_PK = \(key) WHERE Z_PK = 1", "UPDATE ZBOX SET ZSHELF = \(key) WHERE Z_PK = 2",
            "UPDATE Z_PRIMARYKEY SET Z_MAX = \(key)")
        let opened = try warehouse.open()
        let context = opened.context
        let boxes = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Box"))
        #expect(Self.keys(boxes).sorted() == ["p2", "p3", "p4", "p5", "p6"])
        for box in boxes { #expect((box.value(forKey: "shelf") == nil) == (Self.keys([box]) == ["p2"])) }
        let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Box")
        ids.resultType = .managedObjectIDResultType
        #expect(Set(try context.fetch(ids)) == Set(boxes.map(\.objectID)))
        let rows = NSFetchRequest<NSDictionary>(entityName: "Box")
        rows.resultType = .dictionaryResultType
        rows.propertiesToFetch = ["shelf"]
        let named = try context.fetch(rows).compactMap { $0["shelf"] as? NSManagedObjectID }
        #expect(named.allSatisfy { !$0.isTemporaryID } && named.count >= 4)
        for entity in ["Shelf", "Label"] {
            for owner in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity)) {
                for member in Self.members(owner.value(forKey: "boxes")) { #expect(boxes.contains(member)) }
            }
        }
        for box in boxes { context.delete(box) }
        try context.save()
        let new = NSEntityDescription.insertNewObject(forEntityName: "Box", into: context)
        let label = NSEntityDescription.insertNewObject(forEntityName: "Label", into: context)
        try context.save()
        #expect(!new.objectID.isTemporaryID && !label.objectID.isTemporaryID)
    }

    @Test(
        "a member or destination of another entity is not taken for one of the relationship's own",
        arguments: ["(SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Label')", "99", "NULL"])
    func otherEntities(number: String) throws {
        let warehouse = try Warehouse(boxes: 4)
        try warehouse.edit("UPDATE ZBOX SET Z_ENT = \(number) WHERE Z_PK = 2")
        let opened = try warehouse.open()
        for entity in ["Shelf", "Label"] {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            let owner = try #require(try opened.context.fetch(request).first)
            #expect(Set(Self.keys(Self.members(owner.value(forKey: "boxes")))) == ["p1", "p3", "p4"])
        }
    }

    private static func keys(_ objects: [NSManagedObject]) -> [String] {
        objects.map { $0.objectID.uriRepresentation().lastPathComponent }
    }

    private static func boxes(_ limit: Int, _ format: String? = nil, offset: Int = 0) -> NSFetchRequest<NSManagedObject>
    {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Box")
        request.sortDescriptors = [NSSortDescriptor(key: "small", ascending: true)]
        request.fetchLimit = limit
        request.fetchOffset = offset
        request.predicate = format.map { NSPredicate(format: $0) }
        return request
    }

    @Test(
        "rows that belong to no object count neither against a limit nor against an offset, and are counted",
        arguments: [
            "UPDATE ZBOX SET Z_ENT = 99 WHERE Z_PK < 5", "UPDATE ZBOX SET Z_ENT = NULL WHERE Z_PK < 5",
            "UPDATE ZBOX SET Z_ENT = (SELECT Z_ENT FROM ZSHELF) WHERE Z_PK < 5",
            "UPDATE ZBOX SET Z_PK = -Z_PK WHERE Z_PK < 5",
        ])
    func foreignRows(statement: String) throws {
        let warehouse = try Warehouse(boxes: 12)
        try warehouse.edit(statement)
        // Each request is the first one of its store: none of them may rely on the findings of another.
        let sorted = try warehouse.open()
        #expect(Self.keys(try sorted.context.fetch(Self.boxes(3))) == ["p5", "p6", "p7"])
        let chosen = try warehouse.open()
        #expect(Self.keys(try chosen.context.fetch(Self.boxes(2, "small >= 0"))) == ["p5", "p6"])
        let looked = try warehouse.open()
        for _ in 0..<2 {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Box")
            request.predicate = NSPredicate(format: "small < 6")
            request.fetchLimit = 1
            #expect(Self.keys(try looked.context.fetch(request)) == ["p5"])
        }
        let named = try warehouse.open()
        let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Box")
        ids.resultType = .managedObjectIDResultType
        ids.sortDescriptors = [NSSortDescriptor(key: "small", ascending: true)]
        ids.fetchLimit = 2
        #expect(try named.context.fetch(ids).map { $0.uriRepresentation().lastPathComponent } == ["p5", "p6"])
        let counted = try warehouse.open()
        #expect(try counted.context.count(for: Self.boxes(0)) == 8)
        let countedByCondition = try warehouse.open()
        #expect(try countedByCondition.context.count(for: Self.boxes(0, "small >= 0")) == 8)
        let countedByLimit = try warehouse.open()
        #expect(try countedByLimit.context.count(for: Self.boxes(10)) == 8)
        let skipped = try warehouse.open()
        #expect(Self.keys(try skipped.context.fetch(Self.boxes(2, offset: 5))) == ["p10", "p11"])
        let explained = try warehouse.open()
        let explanation = try Self.boxes(3).explain(in: explained.context)
        #expect(explanation.stores.map(\.skippedRows) == [4])
        #expect(explanation.description.contains("4 rows"))
        #expect(Self.keys(try explained.context.fetch(Self.boxes(2, offset: 1))) == ["p6", "p7"])
        #expect(try explained.context.count(for: Self.boxes(0, "small >= 0")) == 8)
    }

    @Test("metadata and archived values that unfold without end are refused at once") func endlessLists() throws {
        let text = BinaryList.unfolding(levels: 50, key: "k").map { String(format: "%02x", $0) }.joined()

        let warehouse = try Warehouse(boxes: 1)
        try warehouse.edit("UPDATE ZBOX SET ZLIST = x'\(text)'")
        let opened = try warehouse.open()
        let box = try #require(try opened.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Box")).first)
        #expect(box.value(forKey: "list") == nil)
        let damaged = try Warehouse(boxes: 1)
        try damaged.edit("UPDATE Z_METADATA SET Z_PLIST = x'\(text)'")
        #expect(try damaged.refusal()?.domain == cocoa)
    }

    @Test("a sound store has no conditions against foreign rows") func soundRows() throws {
        let warehouse = try Warehouse(boxes: 3)
        let opened = try warehouse.open()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Box")
        request.fetchLimit = 2
        #expect(try opened.context.fetch(request).count == 2)
        let store = try #require(try request.explain(in: opened.context).stores.first)
        #expect(store.skippedRows == 0)
        #expect(store.sql?.contains("WHERE") == false)
    }

    private static func members(_ value: Any?) -> [NSManagedObject] {
        if let set = value as? NSOrderedSet { return set.array.compactMap { $0 as? NSManagedObject } }
        return (value as? Set<NSManagedObject>).map(Array.init) ?? []
    }

    @Test("dangling rows of the table between boxes and labels do no harm") func joinTable() throws {
        let warehouse = try Warehouse(boxes: 3)
        let connection = try Connection(url: warehouse.url)
        let tables = try connection.schema().filter {
            $0.name.hasPrefix("Z_") && $0.sql?.contains("LABELS") == true && $0.type == "table"
        }
        let table = try #require(tables.first?.name)
        let columns = try connection.columns(of: table).map(\.name)
        for values in ["4711, 4712", "NULL, NULL", "'x', 'y'", "-1, -1", "0, 0"] {
            try connection.execute(
                "INSERT OR IGNORE INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(values))")
        }
        try connection.close()
        let errors = try warehouse.withContext { context in
            var errors = Warehouse.readEverything(context)
            for box in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Box")) {
                box.setValue(NSSet(), forKey: "labels")
            }
            errors += [failure { try context.save() }].compactMap { $0 }
            return errors
        }
        for error in errors { #expect(error.domain == cocoa, "\(error)") }
    }

    @Test("a file that is cut, overwritten or taken away while it is open gives errors", arguments: 0..<4)
    func changedWhileOpen(kind: Int) throws {
        let warehouse = try Warehouse(boxes: 200)
        let errors = try warehouse.withContext(options: [NSPersistentStoreTimeoutOption: 0.2]) { context in
            let first = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Shelf"))
            switch kind {
            case 0: try warehouse.write([])
            case 1: try warehouse.write(Array(repeating: 0xA5, count: 8192))
            case 2: try FileManager.default.removeItem(at: warehouse.url)
            default:
                let handle = try FileHandle(forWritingTo: warehouse.url)
                try handle.truncate(atOffset: 8192)
                try handle.close()
            }
            _ = first.map { $0.value(forKey: "name") }
            var errors = Warehouse.readEverything(context)
            Warehouse.fill(context, 2)
            errors += [failure { try context.save() }].compactMap { $0 }
            return errors
        }
        for error in errors { #expect(error.domain == cocoa, "\(error)") }
    }

    @Test("an object with a row that was deleted underneath is an error to fetch, and reads as nil") func vanishedRow()
        throws
    {
        let warehouse = try Warehouse(boxes: 2)
        try warehouse.withContext { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Box")
            request.includesPropertyValues = false
            let boxes = try context.fetch(request)
            try warehouse.edit("DELETE FROM ZBOX")
            let id = try #require(boxes.first?.objectID)
            let other = NSManagedObjectContext(concurrencyType: .confined)
            other.persistentStoreCoordinator = context.persistentStoreCoordinator
            other.stalenessInterval = 0
            let error = failure { _ = try other.existingObject(with: id) }
            expectMissing(error)
            let value = boxes.last?.value(forKey: "text")
            expectNothing(value)
        }
    }

    private func expectMissing(_ error: NSError?) {
        #expect(error?.domain == cocoa)
        #expect(error?.code == NSManagedObjectReferentialIntegrityError)
    }

    private func expectNothing(_ value: Any?) { #expect(value == nil) }
}
