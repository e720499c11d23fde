// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The sample for whole stores: every type of attribute, every form of relationship, and a text with all contents.

public import CoreData
import Foundation

/// Rooms have exhibits in order; exhibits, some of them paintings, have a value of every type, keywords, guests and a
/// place in tours.
public enum MuseumModel {
    public static func make() -> NSManagedObjectModel {
        let room = NSEntityDescription("Room")
        let exhibit = NSEntityDescription("Exhibit")
        let painting = NSEntityDescription("Painting")
        let keyword = NSEntityDescription("Keyword")
        let tour = NSEntityDescription("Tour")
        for entity in [room, exhibit, keyword, tour] { entity.attribute("name", .stringAttributeType, optional: false) }
        for (name, type) in types { exhibit.attribute(name, type) }
        exhibit.attribute("scan", .binaryDataAttributeType).allowsExternalBinaryDataStorage = true
        painting.attribute("painter", .stringAttributeType)
        exhibit.subentities = [painting]
        keyword.uniquenessConstraints = [["name"]]
        room.relate("exhibits", .ordered, .cascadeDeleteRule, to: exhibit, inverse: "room", .one)
        exhibit.relate("keywords", .many, to: keyword, inverse: "exhibits", .many)
        tour.relate("stops", .ordered, to: exhibit, inverse: "tours", .many)
        exhibit.relationship("guests", .many, to: room)
        exhibit.relationship("neighbour", .one, to: exhibit)
        return NSManagedObjectModel(room, exhibit, painting, keyword, tour)
    }

    /// The name and the type of an attribute of each type.
    public static let types: [(String, NSAttributeType)] = [
        ("small", .integer16AttributeType), ("medium", .integer32AttributeType), ("large", .integer64AttributeType),
        ("exact", .decimalAttributeType), ("real", .doubleAttributeType), ("single", .floatAttributeType),
        ("text", .stringAttributeType), ("flag", .booleanAttributeType), ("day", .dateAttributeType),
        ("bytes", .binaryDataAttributeType), ("uuid", .UUIDAttributeType), ("uri", .URIAttributeType),
        ("list", .transformableAttributeType),
    ]
}

/// A stack with the museum's model.
public final class Museum {
    public let stack: Stack
    public var context: NSManagedObjectContext { stack.context }
    public var coordinator: NSPersistentStoreCoordinator { stack.coordinator }
    public var store: NSPersistentStore { stack.store }

    public init(in kind: StoreKind) throws {
        stack = try Stack(kind, MuseumModel.make())
        if !kind.isPersistent {
            try FileManager.default.createDirectory(at: stack.folder, withIntermediateDirectories: true)
        }
    }

    /// A place in the store's folder.
    public func place(_ name: String) -> URL { stack.folder.appending(path: name) }

    /// The names of the files in the folder.
    public func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: stack.folder.path).sorted()
    }

    public func insert(_ entity: String, _ name: String, in other: NSManagedObjectContext? = nil) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: other ?? context)
        object.setValue(name, forKey: "name")
        return object
    }

    public func object(_ entity: String, _ name: String, in other: NSManagedObjectContext? = nil) throws
        -> NSManagedObject?
    {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = NSPredicate(format: "name == %@", name)
        return try (other ?? context).fetch(request).first
    }

    /// Fills the store and saves: some objects are saved twice, so that versions differ.
    ///
    /// - Parameter scans: bytes of large data of each third exhibit.
    public func fill(exhibits count: Int = 20, scans: Int = 0) throws {
        let rooms = ["hall", "attic"].map { insert("Room", $0) }
        let keywords = try ["old", "rare", "blue"].map { try object("Keyword", $0) ?? insert("Keyword", $0) }
        let exhibits = (0..<count).map { exhibit($0, scans) }
        for (number, exhibit) in exhibits.enumerated() {
            exhibit.setValue(NSSet(array: keywords.filter { _ in number % 3 != 0 }), forKey: "keywords")
            exhibit.setValue(exhibits[(number + 1) % count], forKey: "neighbour")
        }
        // Guests, each of one exhibit, through a one-way relationship.
        exhibits.first?.setValue(NSSet(array: rooms), forKey: "guests")
        rooms[0].setValue(NSOrderedSet(array: exhibits.reversed()), forKey: "exhibits")
        let tour = insert("Tour", "short")
        tour.setValue(NSOrderedSet(array: stride(from: 0, to: count, by: 2).map { exhibits[$0] }), forKey: "stops")
        try context.save()
        for exhibit in exhibits.prefix(3) { exhibit.setValue("changed", forKey: "text") }
        try context.save()
    }

    private func exhibit(_ number: Int, _ scans: Int) -> NSManagedObject {
        let exhibit = insert(number % 4 == 0 ? "Painting" : "Exhibit", "exhibit \(number)")
        if number % 5 == 4 { return exhibit }  // all values are nil
        exhibit.setValue(number, forKey: "small")
        exhibit.setValue(-number * 1000, forKey: "medium")
        exhibit.setValue(Int64(number) << 40, forKey: "large")
        exhibit.setValue(Decimal(number) / 8, forKey: "exact")
        exhibit.setValue(Double(number) / 3, forKey: "real")
        exhibit.setValue(Float(number) / 2, forKey: "single")
        exhibit.setValue("text \(number) äöü", forKey: "text")
        exhibit.setValue(number % 2 == 0, forKey: "flag")
        exhibit.setValue(Date(timeIntervalSinceReferenceDate: Double(number) / 4), forKey: "day")
        exhibit.setValue(Data(repeating: UInt8(number & 255), count: 30), forKey: "bytes")
        exhibit.setValue(UUID(), forKey: "uuid")
        exhibit.setValue(URL(string: "https://example.org/\(number)"), forKey: "uri")
        exhibit.setValue(["a", "\(number)"] as NSArray, forKey: "list")
        if scans > 0, number % 3 == 0 {
            exhibit.setValue(Data(repeating: UInt8(number & 255), count: scans), forKey: "scan")
        }
        if exhibit.entity.name == "Painting" { exhibit.setValue("painter \(number)", forKey: "painter") }
        return exhibit
    }

    /// All stored data as lines of text: equal lines mean equal data.
    public static func account(_ coordinator: NSPersistentStoreCoordinator) throws -> [String] {
        let context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
        context.stalenessInterval = 0
        var lines: [String] = []
        for entity in ["Room", "Exhibit", "Keyword", "Tour"] {
            let objects = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity))
            lines += objects.map(line)
        }
        return lines.sorted()
    }

    public func account() throws -> [String] { try Self.account(coordinator) }

    private static func line(_ object: NSManagedObject) -> String {
        let properties = object.entity.propertiesByName.values.sorted { $0.name < $1.name }
        let values = properties.map { "\($0.name)=\(text(object.value(forKey: $0.name)))" }
        return "\(object.entity.name ?? ""): \(values.joined(separator: ", "))"
    }

    private static func text(_ value: Any?) -> String {
        switch value {
        case nil: "nil"
        case let object as NSManagedObject: name(object)
        case let set as NSOrderedSet: set.array.map { name($0 as? NSManagedObject) }.joined(separator: "<")
        case let set as Set<NSManagedObject>: set.map(name).sorted().joined(separator: "+")
        case let date as Date: "\(date.timeIntervalSinceReferenceDate)"
        case let data as Data: "\(data.count) bytes of \(data.first ?? 0)"
        case let list as NSArray: list.map { "\($0)" }.joined(separator: ";")
        case let value?: "\(value)"
        }
    }

    private static func name(_ object: NSManagedObject?) -> String { object?.value(forKey: "name") as? String ?? "-" }
}
