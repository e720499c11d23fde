// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A store with a property of every kind that can be damaged: physicians, patients, wards and beds.

import CoreData
import Foundation
import SQLiteDriver
import Testing

@testable import CoreDataToolKit

/// A SQLite store with history, large data, inheritance, derived attributes, a spatial index, and relationships of all
/// shapes, in a separate folder.
///
/// Patient/1 to Patient/6 have the physician Physician/7; Ward/1 and Ward/2 have ordered patients; Patient/1 and
/// Patient/2 are friends and have passports; Patient/3 and Patient/4 have photos in files.
final class Clinic {
    let folder: TemporaryFolder
    let url: URL
    let model: URL

    init() throws {
        folder = try TemporaryFolder()
        url = folder.url.appendingPathComponent("Clinic.sqlite")
        model = folder.url.appendingPathComponent("Clinic.xcdatamodel")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        try Data(Self.source.utf8).write(to: model.appendingPathComponent("contents"))
        let coordinator = NSPersistentStoreCoordinator(
            managedObjectModel: try #require(NSManagedObjectModel(contentsOf: model)))
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url,
            options: [NSPersistentHistoryTrackingKey: true])
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        context.transactionAuthor = "clinic"
        try context.performAndWait { try Self.fill(context) }
        try coordinator.remove(store)
    }

    /// Makes the indexes that options of a store ask for.
    func makeIndexes() throws {
        let coordinator = NSPersistentStoreCoordinator(
            managedObjectModel: try #require(NSManagedObjectModel(contentsOf: model)))
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url,
            options: [NSFullTextIndexOption: true, NSValueIndexOption: true])
        try coordinator.remove(store)
    }

    private static func fill(_ context: NSManagedObjectContext) throws {
        func insert(_ entity: String, _ values: [String: Any]) throws -> NSManagedObject {
            let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
            for (key, value) in values { object.setValue(value, forKey: key) }
            try context.save()
            return object
        }
        var patients: [NSManagedObject] = []
        for number in 1...6 {
            let photo = Data(repeating: UInt8(number), count: number == 3 || number == 4 ? 150_000 : 10)
            patients.append(
                try insert(
                    "Patient",
                    [
                        "name": "patient \(number)", "code": "P\(number)", "age": 20 + number, "alive": true,
                        "born": Date(timeIntervalSinceReferenceDate: Double(number)), "key": UUID(),
                        "note": [["text": "note \(number)"]] as NSArray, "photo": photo, "weight": 60.5,
                    ]))
        }
        let physician = try insert("Physician", ["name": "physician", "code": "D1", "age": 50, "key": UUID()])
        physician.setValue(NSOrderedSet(array: patients), forKey: "patients")
        for patient in patients.prefix(2) { _ = try insert("Passport", ["number": "N", "holder": patient]) }
        patients[0].setValue(NSSet(array: [patients[1]]), forKey: "friends")
        for number in 1...2 {
            let bed = try insert(
                "Bed",
                [
                    "occupant": patients[number - 1], "code": "B\(number)", "east": 10.1 * Double(number),
                    "north": -48.123456789,
                ])
            _ = try insert(
                "Ward",
                [
                    "name": "ward \(number)", "beds": NSSet(array: [bed]),
                    "patients": NSOrderedSet(array: Array(patients.dropFirst(number).prefix(3))),
                ])
        }
        try context.save()
    }

    var largeData: URL { StoreTables.largeDataFolder(of: url) }

    /// Changes the database without the framework's knowledge.
    func execute(_ statements: String...) throws {
        let connection = try Connection(url: url, options: .init(access: .readWrite))
        try StoreTables.prepare(connection)
        for statement in statements { try connection.execute(statement) }
        _ = try connection.checkpoint(.truncate)
        try connection.close()
    }

    func value(_ sql: String) throws -> SQLiteValue? {
        let connection = try Connection(url: url, options: .init(access: .readOnly))
        defer { try? connection.close() }
        return try connection.value(sql)
    }

    func findings(_ options: Doctor.Options = Doctor.Options(), withModel: Bool = false) throws -> [Finding] {
        try Doctor(url, model: withModel ? model : nil).examine(options)
    }

    static let source = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" sourceLanguage="Swift">
            <entity name="Bed" representedClassName="NSManagedObject">
                <attribute name="code" optional="YES" attributeType="String" spotlightIndexingEnabled="YES"/>
                <attribute name="east" optional="YES" attributeType="Double" usesScalarValueType="YES"/>
                <attribute name="north" optional="YES" attributeType="Double" usesScalarValueType="YES"/>
                <attribute name="search" optional="YES" attributeType="String" derived="YES" derivationExpression="canonical:(code)"/>
                <relationship name="occupant" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Being" inverseName="bed" inverseEntity="Being"/>
                <relationship name="ward" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Ward" inverseName="beds" inverseEntity="Ward"/>
                <fetchIndex name="byPlace">
                    <fetchIndexElement property="east" type="RTree" order="ascending"/>
                    <fetchIndexElement property="north" type="RTree" order="ascending"/>
                </fetchIndex>
            </entity>
            <entity name="Being" representedClassName="NSManagedObject" isAbstract="YES">
                <attribute name="age" attributeType="Integer 16" defaultValueString="30" usesScalarValueType="YES" minValueString="0" maxValueString="200"/>
                <attribute name="alive" optional="YES" attributeType="Boolean" usesScalarValueType="YES"/>
                <attribute name="born" optional="YES" attributeType="Date"/>
                <attribute name="code" optional="YES" attributeType="String"/>
                <attribute name="key" optional="YES" attributeType="UUID"/>
                <attribute name="name" attributeType="String"/>
                <attribute name="note" optional="YES" attributeType="Transformable" valueTransformerName="NSSecureUnarchiveFromData">
                    <userInfo>
                        <entry key="indexedPaths" value="text"/>
                    </userInfo>
                </attribute>
                <attribute name="photo" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
                <attribute name="weight" optional="YES" attributeType="Double" usesScalarValueType="YES"/>
                <relationship name="bed" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Bed" inverseName="occupant" inverseEntity="Bed"/>
                <fetchIndex name="byName"><fetchIndexElement property="name" type="Binary" order="ascending"/></fetchIndex>
                <uniquenessConstraints><uniquenessConstraint><constraint value="code"/></uniquenessConstraint></uniquenessConstraints>
            </entity>
            <entity name="Passport" representedClassName="NSManagedObject">
                <attribute name="number" optional="YES" attributeType="String"/>
                <relationship name="holder" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Patient" inverseName="passport" inverseEntity="Patient"/>
            </entity>
            <entity name="Patient" representedClassName="NSManagedObject" parentEntity="Being">
                <relationship name="friends" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Patient" inverseName="friends" inverseEntity="Patient"/>
                <relationship name="passport" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Passport" inverseName="holder" inverseEntity="Passport"/>
                <relationship name="physician" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Physician" inverseName="patients" inverseEntity="Physician"/>
                <relationship name="wards" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Ward" inverseName="patients" inverseEntity="Ward"/>
            </entity>
            <entity name="Physician" representedClassName="NSManagedObject" parentEntity="Being">
                <attribute name="load" optional="YES" attributeType="Integer 64" usesScalarValueType="YES" derived="YES" derivationExpression="patients.@count"/>
                <relationship name="patients" optional="YES" toMany="YES" ordered="YES" deletionRule="Nullify" destinationEntity="Patient" inverseName="physician" inverseEntity="Patient"/>
            </entity>
            <composite name="Place">
                <attribute name="floor" optional="YES" attributeType="Integer 16"/>
                <attribute name="sign" optional="YES" attributeType="Composite" composite="Sign"/>
            </composite>
            <composite name="Sign"><attribute name="text" optional="YES" attributeType="String"/></composite>
            <entity name="Ward" representedClassName="NSManagedObject">
                <attribute name="name" optional="YES" attributeType="String"/>
                <attribute name="place" optional="YES" attributeType="Composite" composite="Place"/>
                <relationship name="beds" toMany="YES" minCount="1" deletionRule="Nullify" destinationEntity="Bed" inverseName="ward" inverseEntity="Bed"/>
                <relationship name="patients" optional="YES" toMany="YES" ordered="YES" deletionRule="Nullify" destinationEntity="Patient" inverseName="wards" inverseEntity="Patient"/>
            </entity>
        </model>
        """
}
