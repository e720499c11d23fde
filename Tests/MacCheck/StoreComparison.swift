// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Opens each store of a folder, compares its objects with an export of coredata-tool, and saves a change in a copy.

import CoreData
import Foundation

/// One store, `Name.sqlite` or `Name.xml`, with its export in `Name.export` if it has one.
struct StoreComparison {
    private let folder: URL
    private let name: String
    private let counts: [String: Int]?
    private var differences: [String] = []
    private var compared = 0

    /// Prints a line for each store, and its differences.
    ///
    /// - Returns: false if a store does not open or differs, or if the folder has no stores.
    static func compareAll(in folder: URL) throws -> Bool {
        let countsURL = folder.appendingPathComponent(SampleStores.countsName)
        let known = (try? Data(contentsOf: countsURL)).flatMap { try? JSONSerialization.jsonObject(with: $0) }
        let counts = known as? [String: [String: Int]] ?? [:]
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".sqlite") || $0.hasSuffix(".xml") }.sorted()
        var isSound = !names.isEmpty
        if names.isEmpty { print("mac-check: \(folder.path) has no stores") }
        for name in names {
            var comparison = StoreComparison(folder: folder, name: name, counts: counts[name])
            do {
                try comparison.run()
            } catch {
                comparison.differences.append("\((error as NSError).localizedDescription) (\((error as NSError).code))")
            }
            let isEqual = comparison.differences.isEmpty
            print("\(isEqual ? "ok  " : "FAIL") \(name): \(comparison.compared) counts and values compared")
            for line in comparison.differences.prefix(20) { print("     \(line)") }
            isSound = isSound && isEqual
        }
        return isSound
    }

    private init(folder: URL, name: String, counts: [String: Int]?) {
        self.folder = folder
        self.name = name
        self.counts = counts
    }

    private var stem: String { (name as NSString).deletingPathExtension }
    private var type: String { name.hasSuffix(".xml") ? NSXMLStoreType : NSSQLiteStoreType }
    private var export: URL { folder.appendingPathComponent("\(stem).export") }
    private var hasExport: Bool { type == NSSQLiteStoreType && FileManager.default.fileExists(atPath: export.path) }

    private mutating func run() throws {
        let copy = FileManager.default.temporaryDirectory.appendingPathComponent("mac-check-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: copy) }
        for part in [name, "\(name)-wal", ".\(stem)_SUPPORT"] {
            let source = folder.appendingPathComponent(part)
            guard FileManager.default.fileExists(atPath: source.path) else { continue }
            try FileManager.default.copyItem(at: source, to: copy.appendingPathComponent(part))
        }
        let url = copy.appendingPathComponent(name)
        let model = try model()
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: url, options: nil)
        note(
            model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata),
            "The version hashes of the model differ from those of the store.")
        try withContext(model, url) { context in
            if let counts { try compare(counts, context, model) }
            if hasExport { try compareRecords(context, model) }
        }
        try saveAndReadAgain(model, url)
    }

    /// The model of the export, as the tool wrote it, or that of the samples.
    private func model() throws -> NSManagedObjectModel {
        if hasExport {
            let url = export.appendingPathComponent("Model.mom")
            guard let model = NSManagedObjectModel(contentsOf: url) else {
                throw CocoaError(
                    .fileReadCorruptFile, userInfo: [NSLocalizedDescriptionKey: "\(url.path) is not a model."])
            }
            return model
        }
        return stem == "Derived" ? SampleModel.makeDerived() : SampleModel.make()
    }

    private mutating func note(_ holds: Bool, _ difference: @autoclosure () -> String) {
        compared += 1
        if !holds { differences.append(difference()) }
    }

    private func withContext<Result>(
        _ model: NSManagedObjectModel, _ url: URL, _ body: (NSManagedObjectContext) throws -> Result
    ) throws -> Result {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        var options: [String: Any] = [:]
        if counts?["transactions"] != nil { options[NSPersistentHistoryTrackingKey] = NSNumber(value: true) }
        let store = try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: url, options: options)
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        defer {
            context.reset()
            try? coordinator.remove(store)
        }
        return try body(context)
    }

    private mutating func compare(
        _ expected: [String: Int], _ context: NSManagedObjectContext, _ model: NSManagedObjectModel
    ) throws {
        let found = try SampleStores.counts(in: context, model)
        for (name, count) in expected.sorted(by: { $0.key < $1.key }) {
            note(found[name] == count, "\(name): \(found[name] ?? 0) in place of \(count)")
        }
    }

    /// Inserts an object, changes another one, and reads both in a second stack.
    private mutating func saveAndReadAgain(_ model: NSManagedObjectModel, _ url: URL) throws {
        let entities = model.entities.filter { !$0.isAbstract }.sorted { ($0.name ?? "") < ($1.name ?? "") }
        let found = entities.compactMap { entity -> (String, String)? in
            let text = entity.attributesByName.values.filter {
                $0.attributeType == .stringAttributeType && !$0.isTransient && !($0 is NSDerivedAttributeDescription)
            }
            guard entity.uniquenessConstraints.isEmpty, let key = text.map(\.name).min() else { return nil }
            return (entity.name ?? "", key)
        }
        guard let (entity, key) = found.first else { return }
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        let before = try withContext(model, url) { context in
            let count = try context.count(for: request)
            for object in try context.fetch(request).prefix(1) {
                object.setValue("changed on this system", forKey: key)
            }
            NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
                .setValue("made on this system", forKey: key)
            // A store of another program may have rules that this object does not meet: then its changes are not saved.
            do { try context.save() } catch { return -1 }
            return count
        }
        guard before >= 0 else { return }
        let values = try withContext(model, url) { try $0.fetch(request).map { $0.value(forKey: key) as? String } }
        note(values.count == before + 1, "\(entity): \(values.count) objects after an insertion, before it \(before)")
        note(values.contains("made on this system"), "\(entity): the inserted object is not found again")
        note(before == 0 || values.contains("changed on this system"), "\(entity): the change is not found again")
    }

    // MARK: Records

    private mutating func compareRecords(_ context: NSManagedObjectContext, _ model: NSManagedObjectModel) throws {
        for entity in model.entities.sorted(by: { ($0.name ?? "") < ($1.name ?? "") }) where !entity.isAbstract {
            let name = entity.name ?? ""
            let url = export.appendingPathComponent("\(name).jsonl")
            guard FileManager.default.fileExists(atPath: url.path) else { continue }
            let request = NSFetchRequest<NSManagedObject>(entityName: name)
            request.includesSubentities = false
            var objects: [String: NSManagedObject] = [:]
            for object in try context.fetch(request) { objects[Self.id(object)] = object }
            let lines = try Data(contentsOf: url).split(separator: UInt8(ascii: "\n"))
            note(objects.count == lines.count, "\(name): \(objects.count) objects in place of \(lines.count)")
            for line in lines {
                let record = try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any] ?? [:]
                let id = record["objectID"] as? String ?? ""
                guard let object = objects[id] else {
                    note(false, "\(id) is missing")
                    continue
                }
                for (key, expected) in record where key != "objectID" {
                    let isEqual = isEqual(object, key, expected)
                    note(isEqual, "\(id).\(key): \(object.value(forKey: key) ?? "nil") in place of \(expected)")
                }
            }
        }
    }

    /// Entity and key, as exports name objects.
    private static func id(_ object: NSManagedObject) -> String {
        "\(object.entity.name ?? "")/\(object.objectID.uriRepresentation().lastPathComponent.dropFirst())"
    }

    private func isEqual(_ object: NSManagedObject, _ key: String, _ expected: Any) -> Bool {
        let value = object.value(forKey: key)
        if let relationship = object.entity.relationshipsByName[key] {
            if let target = value as? NSManagedObject { return Self.id(target) == expected as? String }
            guard relationship.isToMany else { return value == nil && expected is NSNull }
            let ids = expected as? [String] ?? []
            if let members = value as? NSOrderedSet {
                return members.array.compactMap { ($0 as? NSManagedObject).map(Self.id) } == ids
            }
            let members = (value as? NSSet)?.allObjects ?? []
            return Set(members.compactMap { ($0 as? NSManagedObject).map(Self.id) }) == Set(ids)
        }
        if expected is NSNull { return value == nil }
        guard let attribute = object.entity.attributesByName[key] else { return false }
        return isEqual(value, expected, attribute.attributeType)
    }

    private func isEqual(_ value: Any?, _ expected: Any, _ type: NSAttributeType) -> Bool {
        switch type {
        case .stringAttributeType: return value as? String == expected as? String
        case .UUIDAttributeType: return (value as? UUID)?.uuidString == expected as? String
        case .URIAttributeType: return (value as? URL)?.absoluteString == expected as? String
        case .binaryDataAttributeType: return value as? Data == data(expected)
        case .dateAttributeType:
            guard let date = value as? Date, let seconds = Self.seconds(expected) else { return false }
            return abs(date.timeIntervalSinceReferenceDate - seconds) < 0.000_001
        case .transformableAttributeType:
            let classes: [AnyClass] = [
                NSArray.self, NSDictionary.self, NSSet.self, NSString.self, NSNumber.self, NSDate.self, NSData.self,
            ]
            // Of a value of another class only the presence is compared.
            guard let archive = data(expected),
                let other = try? NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: archive) as? NSObject
            else { return value != nil }
            return other.isEqual(value)
        default:
            guard let number = value as? NSNumber, let other = expected as? NSNumber else {
                return "\(value ?? "")" == "\(expected)"
            }
            // Foundation's reader of JSON rounds the last digit of some numbers.
            let (one, two) = (number.doubleValue, other.doubleValue)
            return one == two || abs(one - two) <= 4 * max(one.magnitude, two.magnitude).ulp
        }
    }

    /// The bytes of `{"base64": …}` or `{"file": …}`.
    private func data(_ expected: Any) -> Data? {
        let object = expected as? [String: Any]
        if let text = object?["base64"] as? String { return Data(base64Encoded: text) }
        return (object?["file"] as? String).flatMap { try? Data(contentsOf: export.appendingPathComponent($0)) }
    }

    /// Seconds since 2001 of a date such as `2024-05-01T12:30:00.25Z`, or of `{"seconds": …}`.
    private static func seconds(_ expected: Any) -> Double? {
        if let object = expected as? [String: Any] { return (object["seconds"] as? NSNumber)?.doubleValue }
        guard let text = expected as? String, text.hasSuffix("Z") else { return nil }
        let parts = text.dropLast().split(separator: ".", maxSplits: 1)
        guard let first = parts.first, let date = ISO8601DateFormatter().date(from: "\(first)Z") else { return nil }
        let fraction = parts.count > 1 ? Double("0.\(parts[1])") ?? 0 : 0
        return date.timeIntervalSinceReferenceDate + fraction
    }
}
