// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A store with a value of every kind that commands read: cars and their owners.

import CoreData
import Foundation
import SQLiteDriver
import Testing

@testable import CoreDataToolKit

/// A SQLite store in a separate folder. Ada owns Car/1 to Car/3, Bob the rest.
final class Garage {
    let folder: TemporaryFolder
    let url: URL
    /// The source of the model.
    let model: URL

    static let key = "7A4F6E0C-3B5D-4C8E-9F1A-2B3C4D5E6F70"

    /// - Parameter classes: whether the model names a class for each entity, as Xcode does.
    init(cars: Int = 5, photo: Data? = nil, classes: Bool = false) throws {
        folder = try TemporaryFolder()
        url = folder.url.appendingPathComponent("Garage.sqlite")
        model = folder.url.appendingPathComponent("Garage.xcdatamodel")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        var source = Self.source
        if classes {
            for name in ["Car", "Person"] {
                let entity = "entity name=\"\(name)\" representedClassName="
                source = source.replacing("\(entity)\"NSManagedObject\"", with: "\(entity)\"Garages.\(name)\"")
            }
        }
        try Data(source.utf8).write(to: model.appendingPathComponent("contents"))
        let coordinator = NSPersistentStoreCoordinator(
            managedObjectModel: try #require(NSManagedObjectModel(contentsOf: model)))
        let store = try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            let owners = ["Ada", "Bob"].map { name in
                let owner = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
                owner.setValue(name, forKey: "name")
                return owner
            }
            try context.save()
            for number in 1...cars {
                let car = NSEntityDescription.insertNewObject(forEntityName: "Car", into: context)
                car.setValue("car \(number)", forKey: "name")
                car.setValue(Date(timeIntervalSinceReferenceDate: Double(number) * 86_400), forKey: "built")
                car.setValue(number == 2 ? UUID(uuidString: Self.key) : UUID(), forKey: "key")
                car.setValue(Double(number) * 1.5, forKey: "price")
                car.setValue(Int64(number), forKey: "seats")
                car.setValue(Data((number == 1 ? "[1]" : "\u{1}\u{2}").utf8), forKey: "blob")
                car.setValue(["fast", "number \(number)"] as NSArray, forKey: "tags")
                car.setValue(photo, forKey: "photo")
                car.setValue(owners[number <= 3 ? 0 : 1], forKey: "owner")
                // One after the other, so that keys follow names.
                if cars < 100 { try context.save() }
            }
            try context.save()
        }
        try coordinator.remove(store)
    }

    /// Changes the database without the framework's knowledge.
    func execute(_ statements: String...) throws {
        let connection = try Connection(url: url, options: .init(access: .readWrite))
        for statement in statements { try connection.execute(statement) }
        try connection.close()
    }

    func open() throws -> OpenedStore { try OpenedStore(url) }

    func rows(_ query: Query) throws -> [[String]] {
        try query.run(on: open()).rows.map { $0.cells.map(\.tableText) }
    }

    /// The names of the cars that a predicate finds, in order.
    func cars(_ format: String) throws -> [String] {
        try rows(Query(entityName: "Car", format: format, sortKeys: ["name"], selection: ["name"])).map { $0[0] }
    }

    func message(_ query: Query) -> String { OpeningTests.message { try query.run(on: open()) } }

    static let source = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" sourceLanguage="Swift" userDefinedModelVersionIdentifier="">
            <entity name="Car" representedClassName="NSManagedObject">
                <attribute name="blob" optional="YES" attributeType="Binary"/>
                <attribute name="built" optional="YES" attributeType="Date" usesScalarValueType="NO"/>
                <attribute name="key" optional="YES" attributeType="UUID" usesScalarValueType="NO"/>
                <attribute name="name" optional="YES" attributeType="String" spotlightIndexingEnabled="YES"/>
                <attribute name="photo" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
                <attribute name="price" optional="YES" attributeType="Double" usesScalarValueType="YES"/>
                <attribute name="seats" optional="YES" attributeType="Integer 64" usesScalarValueType="YES"/>
                <attribute name="tags" optional="YES" attributeType="Transformable" valueTransformerName="NSSecureUnarchiveFromData"/>
                <relationship name="owner" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Person" inverseName="cars" inverseEntity="Person"/>
            </entity>
            <entity name="Person" representedClassName="NSManagedObject">
                <attribute name="name" optional="YES" attributeType="String"/>
                <relationship name="cars" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Car" inverseName="owner" inverseEntity="Car"/>
            </entity>
        </model>
        """
}
