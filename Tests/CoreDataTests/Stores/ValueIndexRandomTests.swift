// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Random conditions on random values inside of values: the answers of an index, of a scan and of memory are equal.

import CoreDataTestSupport
import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

/// Proves: StructuredValues-8, StructuredValues-9
@Suite("Indexes of values and random conditions") struct ValueIndexRandomTests {
    private static let rounds = 14
    private static let conditions = 400

    private static func model(isIndexed: Bool) -> NSManagedObjectModel {
        let note = NSEntityDescription("Note")
        note.attribute("number", .integer64AttributeType, default: 0)
        let scan = NSEntityDescription("Scan")
        note.subentities = [scan]
        let folder = NSEntityDescription("Folder")
        folder.attribute("number", .integer64AttributeType, default: 0)
        folder.relate("notes", .many, to: note, inverse: "folder", .one)
        for (entity, name, type) in [
            (note, "meta", NSAttributeType.transformableAttributeType), (note, "json", .binaryDataAttributeType),
            (scan, "extra", .transformableAttributeType), (folder, "meta", .transformableAttributeType),
        ] {
            let attribute = entity.attribute(name, type)
            if isIndexed { attribute.userInfo = ["indexedPaths": "s, l, d.x, p.k"] }
        }
        return NSManagedObjectModel(note, scan, folder)
    }

    /// The numbers of the objects for which a condition holds.
    private func numbers(_ entity: String, _ predicate: NSPredicate, _ context: NSManagedObjectContext) throws -> [Int]
    {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = predicate
        return try context.fetch(request).map { $0.value(forKey: "number") as? Int ?? -1 }.sorted()
    }

    @Test("after writes of every kind, beside unsaved changes, an index, a scan and memory give one answer")
    func answers() throws {
        var random = RandomValues(seed: 44)
        let stack = try Stack(.sqlite, Self.model(isIndexed: true), options: [NSValueIndexOption: true])
        let file = ValueFile(url: stack.url)
        var (matches, narrowed) = (0, 0)
        for round in 0..<Self.rounds {
            try write(stack, &random, round)
            #expect(try file.faults(stack.model) == [], "round \(round)")
            if round % 3 == 0 { try stack.reopen() }
            let copy = stack.folder.appending(path: "Scan\(round).sqlite")
            try stack.coordinator.replacePersistentStore(
                at: copy, destinationOptions: nil, withPersistentStoreFrom: stack.url, sourceOptions: nil, type: .sqlite
            )
            let scanned = try Self.open(.sqlite, copy)
            edit(stack.context, &random, 4)
            let memory = try Self.open(.inMemory, copy)
            try Self.copyAll(stack.context, to: memory)
            let saved = stack.newContext()
            for _ in 0..<Self.conditions {
                let (entity, predicate) = random.condition()
                // A fetch judges an unchanged object by the saved values of related ones.
                if !random.isRelated {
                    let found = try numbers(entity, predicate, stack.context)
                    let expected = try numbers(entity, predicate, memory)
                    #expect(found == expected, "round \(round): \(entity) \(predicate)")
                }
                let stored = try numbers(entity, predicate, saved)
                let expected = try numbers(entity, predicate, scanned)
                #expect(stored == expected, "round \(round): \(entity) \(predicate)")
                matches += stored.count
                let request = NSFetchRequest<NSManagedObject>(entityName: entity)
                request.predicate = predicate
                narrowed += try request.explain(in: saved).stores[0].sql?.contains("OCD_VAL_") == true ? 1 : 0
            }
        }
        // Most conditions are of the kinds that an index answers, and many have results.
        #expect(narrowed > Self.rounds * Self.conditions / 2)
        #expect(matches > Self.rounds * Self.conditions)
    }

    private static func open(_ kind: StoreKind, _ url: URL) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model(isIndexed: false))
        try coordinator.addPersistentStore(
            ofType: kind.type, configurationName: nil, at: kind == .inMemory ? nil : url,
            options: [NSValueIndexOption: false])
        let context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    private static func copyAll(_ source: NSManagedObjectContext, to target: NSManagedObjectContext) throws {
        var folders: [NSManagedObjectID: NSManagedObject] = [:]
        for name in ["Folder", "Note"] {
            for object in try source.fetch(NSFetchRequest<NSManagedObject>(entityName: name)) {
                let copy = NSEntityDescription.insertNewObject(
                    forEntityName: object.entity.name ?? "", into: target)
                for key in object.entity.attributesByName.keys { copy.setValue(object.value(forKey: key), forKey: key) }
                if name == "Folder" {
                    folders[object.objectID] = copy
                } else if let folder = object.value(forKey: "folder") as? NSManagedObject {
                    copy.setValue(folders[folder.objectID], forKey: "folder")
                }
            }
        }
        try target.save()
    }

    // MARK: Writers

    private func edit(_ context: NSManagedObjectContext, _ random: inout RandomValues, _ count: Int) {
        let notes = (try? context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note"))) ?? []
        let folders = (try? context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Folder"))) ?? []
        for _ in 0..<count {
            if notes.count < 24 || random.number(0...3) == 0 && notes.count < 40 {
                let name = ["Note", "Note", "Scan", "Folder"][random.number(0...3)]
                let object = NSEntityDescription.insertNewObject(forEntityName: name, into: context)
                object.setValue(random.number(0...9999), forKey: "number")
                random.fill(object)
                if name != "Folder" {
                    object.setValue(folders.randomElement(using: &random.generator), forKey: "folder")
                }
            } else if let object = (notes + folders).randomElement(using: &random.generator), !object.isDeleted {
                if random.number(0...4) == 0 { context.delete(object) } else { random.fill(object) }
            }
        }
    }

    private func write(_ stack: Stack, _ random: inout RandomValues, _ round: Int) throws {
        stack.context.rollback()
        edit(stack.context, &random, round == 0 ? 30 : 6)
        try stack.context.save()
        let low = random.number(0...9000)
        switch random.number(0...4) {
        case 0:
            let update = NSBatchUpdateRequest(entityName: "Note")
            update.predicate = NSPredicate(format: "number BETWEEN %@", [low, low + 900])
            update.propertiesToUpdate = ["json": random.json()]
            _ = try stack.context.execute(update)
        case 1:
            let objects = (0..<3).map { _ in
                ["number": random.number(0...9999), "meta": random.document(isJSON: false)]
            }
            _ = try stack.context.execute(NSBatchInsertRequest(entityName: "Scan", objects: objects))
        case 2:
            let (second, context) = try stack.secondCoordinator()
            edit(context, &random, 4)
            try context.save()
            try second.remove(second.persistentStores[0])
        default:
            // Another program, whose rows stay pending.
            let (one, other) = (random.number(0...5), random.number(0...5))
            try ValueFile(url: stack.url).execute([
                "UPDATE ZNOTE SET ZMETA = (SELECT ZMETA FROM ZNOTE WHERE Z_PK % 6 = \(one) LIMIT 1), Z_OPT = Z_OPT + 1 "
                    + "WHERE Z_PK % 6 = \(other)",
                "UPDATE ZNOTE SET ZJSON = CAST('{\"s\": \"ab\", \"s\": 5, \"l\": [1' AS BLOB), Z_OPT = Z_OPT + 1 "
                    + "WHERE Z_PK % 11 = \(one)",
                "DELETE FROM ZNOTE WHERE Z_PK % 13 = \(other)",
            ])
        }
        stack.context.reset()
    }
}

/// Random documents and conditions on the paths s, l, d.x and p.k in them.
private struct RandomValues {
    var generator: SeededGenerator
    /// Whether the last condition is on values of related objects.
    private(set) var isRelated = false

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

    private static let texts = [
        "", "a", "A", "ab", "Ab", "abc", "é", "e\u{301}", "É", "éa", "e\u{301}a", "E", "straße", "STRASSE", "stra",
        "ß", "ss", "ﬁ", "fi", "\u{212A}", "k", "K", "ı", "İ", "i", "I", "i\u{307}", "\u{212B}", "å", "Å", "5", "-1",
        "1.5",
        "1", "a\u{323}\u{302}", "ậ", "日本", "日本語", "\u{2126}", "ω", "Σ", "ς", "σ", "Москва", "моск", "й", "и\u{306}",
        "inf", "true", String(repeating: "long", count: 200),
    ]

    private static let numbers: [NSNumber] = [
        0, 1, -1, 5, 2, 1.5, -0.0, 0.1, 1e300, -1e300, 9_007_199_254_740_993, 9_007_199_254_740_992,
        NSNumber(value: Int64.max), NSNumber(value: UInt64.max), NSNumber(value: true), NSNumber(value: false),
    ]

    private static var others: [Any] {
        [
            NSNumber(value: Double.infinity), NSNumber(value: Double.nan), NSDecimalNumber(string: "0.1"),
            NSDecimalNumber(string: "5"), NSDecimalNumber(string: "9007199254740993"),
            Date(timeIntervalSinceReferenceDate: 0), Date(timeIntervalSinceReferenceDate: 5.5),
            Date(timeIntervalSinceReferenceDate: -1e9), Data([1, 2]), [String: Any](),
        ]
    }

    private mutating func text() -> String { Self.texts[number(0...Self.texts.count - 1)] }

    private mutating func scalar(isJSON: Bool) -> Any {
        switch number(0...9) {
        case 0...4: return text()
        case 5...7:
            let value = Self.numbers[number(0...Self.numbers.count - 1)]
            // No archive holds an integer beyond 64 bits together with a decimal number.
            return isJSON || value.compare(NSNumber(value: Int64.max)) != .orderedDescending ? value : 7
        default:
            if isJSON { return number(0...1) == 0 ? NSNull() : [String: Any]() }
            return Self.others[number(0...Self.others.count - 1)]
        }
    }

    private mutating func list(_ isJSON: Bool, _ depth: Int = 0) -> [Any] {
        (0..<number(0...3)).map { _ in
            depth < 2 && number(0...5) == 0 ? list(isJSON, depth + 1) as Any : scalar(isJSON: isJSON)
        }
    }

    mutating func document(isJSON: Bool) -> [String: Any] {
        var document: [String: Any] = [:]
        if number(0...4) > 0 { document["s"] = scalar(isJSON: isJSON) }
        if number(0...3) > 0 { document["l"] = number(0...4) == 0 ? scalar(isJSON: isJSON) : list(isJSON) }
        switch number(0...4) {
        case 0: break
        case 1: document["d"] = scalar(isJSON: isJSON)
        default: document["d"] = number(0...4) == 0 ? [:] : ["x": scalar(isJSON: isJSON)]
        }
        document["p"] = (0..<number(0...2)).map { _ in
            number(0...4) == 0 ? scalar(isJSON: isJSON) : ["k": scalar(isJSON: isJSON)] as Any
        }
        return document
    }

    mutating func json() -> Data {
        if number(0...9) == 0 { return Data("[{\"s\": 1}, {\"s\": \"A\"}, 7]".utf8) }
        if number(0...9) == 0 { return Data("{\"s\": ".utf8) }
        return (try? JSONSerialization.data(withJSONObject: document(isJSON: true))) ?? Data()
    }

    mutating func fill(_ object: NSManagedObject) {
        let names = object.entity.attributesByName
        for key in ["meta", "extra"] where names[key] != nil && number(0...1) == 0 {
            object.setValue(number(0...9) == 0 ? nil : document(isJSON: false), forKey: key)
        }
        if names["json"] != nil, number(0...1) == 0 {
            object.setValue(number(0...9) == 0 ? nil : json(), forKey: "json")
        }
    }

    // MARK: Conditions

    private mutating func constant() -> Any {
        switch number(0...11) {
        case 0...5: text()
        case 6...9: Self.numbers[number(0...Self.numbers.count - 1)]
        case 10: Self.others[number(2...4)]
        default: Self.others[number(5...7)]
        }
    }

    private mutating func comparison(_ path: String) -> NSPredicate {
        let options = ["", "", "[c]", "[d]", "[cd]", "[n]"][number(0...5)]
        func made(_ format: String, _ arguments: [Any]) -> NSPredicate {
            NSPredicate(format: format, argumentArray: arguments)
        }
        switch number(0...13) {
        case 0...2: return made("\(path) ==\(options) %@", [constant()])
        case 3: return made("\(path) !=\(options) %@", [constant()])
        case 4, 5: return made("\(path) \(["<", "<=", ">", ">="][number(0...3)])\(options) %@", [constant()])
        case 6: return made("\(path) BETWEEN %@", [[constant(), constant()]])
        case 7, 8: return made("\(path) IN\(options) %@", [(0..<number(0...4)).map { _ in constant() }])
        case 9, 10: return made("\(path) BEGINSWITH\(options) %@", [text()])
        case 11: return made("\(path) \(number(0...1) == 0 ? "==" : "!=") nil", [])
        case 12: return made("%@ \(["==", "<", ">=", "!="][number(0...3)]) \(path)", [constant()])
        default: return made("ALL \(path) == %@", [constant()])
        }
    }

    private mutating func part(_ entity: String) -> NSPredicate {
        let names = ["s", "l", "d.x", "p.k", "other"]
        let name = names[number(0...19) == 0 ? 4 : number(0...3)]
        switch entity {
        case "Folder":
            if number(0...1) == 0 { return comparison("meta.\(name)") }
            isRelated = true
            let member = "ANY notes.\(number(0...1) == 0 ? "meta" : "json").\(name)"
            return NSPredicate(format: "\(member) == %@", argumentArray: [constant()])
        default:
            var attributes = ["meta", "meta", "json", "json", "folder.meta"]
            if entity == "Scan" { attributes.append("extra") }
            let attribute = attributes[number(0...attributes.count - 1)]
            let path = "\(attribute).\(name)"
            if attribute == "folder.meta" { isRelated = true }
            let isQuantified = number(0...2) == 0
            guard isQuantified else { return comparison(path) }
            let operation = ["==", "==[c]", "<", ">=", "BEGINSWITH", "BEGINSWITH[cd]", "IN"][number(0...6)]
            let value: Any =
                operation == "IN" ? [constant(), constant()] : operation.hasPrefix("B") ? text() : constant()
            return NSPredicate(format: "ANY \(path) \(operation) %@", argumentArray: [value])
        }
    }

    mutating func condition() -> (entity: String, predicate: NSPredicate) {
        let entity = ["Note", "Note", "Note", "Scan", "Folder"][number(0...4)]
        isRelated = false
        let one = part(entity)
        switch number(0...9) {
        case 0: return (entity, NSCompoundPredicate(notPredicateWithSubpredicate: one))
        case 1: return (entity, NSCompoundPredicate(andPredicateWithSubpredicates: [one, part(entity)]))
        case 2: return (entity, NSCompoundPredicate(orPredicateWithSubpredicates: [one, part(entity)]))
        case 3:
            let range = NSPredicate(format: "number > %ld", number(0...9999))
            let inner = NSCompoundPredicate(andPredicateWithSubpredicates: [one, range])
            return (entity, NSCompoundPredicate(orPredicateWithSubpredicates: [inner, part(entity)]))
        default: return (entity, one)
        }
    }
}
