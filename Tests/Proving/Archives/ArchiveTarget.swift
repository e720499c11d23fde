// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The readers of archives, with the good archives that inputs are made of.

import CoreDataFoundation
import CoreDataModelFiles
import CoreDataTestSupport
import Foundation

/// A reader of archives or property lists. It may only return or throw.
enum ArchiveTarget: String, CaseIterable {
    /// Models (`.mom`), the models in SQLite stores, mapping models (`.cdm`).
    case compiled, caches, mappings
    /// Transformable values: without Foundation's classes, and by both transformers of them.
    case values, secure, unarchived
    /// The metadata of stores.
    case lists

    /// - Returns: whether the input was read.
    func feed(_ data: Data) throws -> Bool {
        switch self {
        case .compiled: _ = try KeyedModelReader.read(data)
        case .caches: _ = try KeyedModelReader.read(modelCache: data)
        case .mappings: _ = try MappingDocument(mappingFile: data)
        case .values: return try ArchivedValue.decode(data) != nil
        case .secure: return try NSSecureUnarchiveFromDataTransformer.object(from: data) != nil
        case .unarchived:
            return ValueTransformer(forName: .keyedUnarchiveFromDataTransformerName)?.transformedValue(data) != nil
        case .lists: _ = try PropertyListBounds.values(of: data)
        }
        return true
    }

    /// Good inputs of the reader.
    func good() throws -> [Data] {
        switch self {
        case .compiled, .caches: try Self.models().map { try KeyedModelWriter.data(for: $0) }
        case .mappings: [try ProvingModel.mapping().data()]
        case .values, .secure, .unarchived: try Self.values()
        case .lists:
            [
                try PropertyListSerialization.data(
                    fromPropertyList: [
                        "NSStoreModelVersionHashes": ["Thing": Data(count: 32), "Piece": Data(count: 32)],
                        "NSPersistenceFrameworkVersion": 1_000, "NSStoreModelVersionIdentifiers": ["", "one"],
                        "date": Date(timeIntervalSince1970: 0), "real": 2.5, "nested": [[["deep": [true, "é"]]]],
                    ], format: .binary, options: 0)
            ]
        }
    }

    /// An input of the reader that is made of a damaged archive.
    func input(_ archive: [UInt8]) -> Data {
        self == .caches ? Self.stored(archive) : Data(archive)
    }

    /// A deflate stream of blocks that are not compressed: compression would take longer than reading.
    private static func stored(_ bytes: [UInt8]) -> Data {
        var output: [UInt8] = []
        var rest = bytes[...]
        repeat {
            let block = rest.prefix(0xFFFF)
            rest = rest.dropFirst(0xFFFF)
            let (low, high) = (UInt8(block.count & 0xFF), UInt8(block.count >> 8))
            output += [rest.isEmpty ? 1 : 0, low, high, ~low, ~high] + block
        } while !rest.isEmpty
        return Data(output)
    }

    /// The model with all forms, and those of the examples.
    private static func models() throws -> [ModelDocument] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
        let folders = ["Examples", "Sources/coredata-demo"].map { root.appending(path: $0) }
        let files = folders.flatMap { folder in
            FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?
                .compactMap { $0 as? URL } ?? []
        }
        let sources = files.filter { $0.path.hasSuffix(".xcdatamodel/contents") }.sorted { $0.path < $1.path }
        return try [ModelXMLReader.read(Data(source.utf8))]
            + sources.map { try ModelXMLReader.read(Data(contentsOf: $0)) }
    }

    private static func values() throws -> [Data] {
        let plain: [Any] = [
            "text", "é𝄞" as NSString, 1, -2.5, true, Date(timeIntervalSinceReferenceDate: 1.5), Data([1, 2, 3]),
            NSNull(), UUID(uuidString: "00000000-0000-0000-0000-000000000001") as Any,
            URL(string: "https://example.com/a?b") as Any,
        ]
        let list = plain as NSArray
        let objects: [NSObject] = [
            list, [list, ["a": list, "b": [list, list] as NSArray] as NSDictionary] as NSArray,
            NSSet(array: ["one", "two", 3]), NSOrderedSet(array: ["one", 2, Date(timeIntervalSince1970: 0)]),
            ["key": NSSet(array: [Data([7])]), "other": ["inner": ["deep": [1]]]] as NSDictionary,
            "alone" as NSString, NSNumber(value: Int64.min),
        ]
        var archives = try objects.map {
            try NSKeyedArchiver.archivedData(withRootObject: $0, requiringSecureCoding: true)
        }
        if let list = ArchivedValue.encode([Decimal(string: "-12.5") as Any, 1, 1.0] as [Any]) {
            archives.append(list)
        }
        return archives
    }

    /// A short model with all that compiled models hold.
    private static let source = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" userDefinedModelVersionIdentifier="v1">
            <entity name="Thing" representedClassName="Thing" isAbstract="YES" versionHashModifier="m" elementID="Old">
                <attribute name="name" optional="YES" attributeType="String" regularExpressionString="a*b"
                    minValueString="1" maxValueString="20" defaultValueString="x"/>
                <attribute name="number" attributeType="Integer 64" minValueString="0" defaultValueString="3"/>
                <attribute name="amount" optional="YES" attributeType="Decimal" defaultValueString="2.5"/>
                <attribute name="date" optional="YES" attributeType="Date" defaultDateTimeInterval="77"/>
                <attribute name="id" optional="YES" attributeType="UUID"/>
                <attribute name="page" optional="YES" attributeType="URI"/>
                <attribute name="blob" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
                <attribute name="any" optional="YES" attributeType="Transformable"
                    valueTransformerName="NSSecureUnarchiveFromData"/>
                <attribute name="total" optional="YES" attributeType="Integer 64" derived="YES"
                    derivationExpression="children.@count"/>
                <relationship name="parent" optional="YES" maxCount="1" deletionRule="Nullify"
                    destinationEntity="Thing" inverseName="children" inverseEntity="Thing"/>
                <relationship name="children" optional="YES" toMany="YES" deletionRule="Cascade" ordered="YES"
                    destinationEntity="Thing" inverseName="parent" inverseEntity="Thing"/>
                <fetchedProperty name="near" optional="YES">
                    <fetchRequest name="fetchedPropertyFetchRequest" entity="Part"
                        predicateString="number &gt; $FETCH_SOURCE.number AND name LIKE[cd] 'x*'"/>
                </fetchedProperty>
                <fetchIndex name="byName"><fetchIndexElement property="name" type="Binary" order="ascending"/></fetchIndex>
                <fetchIndex name="byCase"><fetchIndexElement expression="lowercase:(name)" type="Binary"
                    order="descending"/></fetchIndex>
                <userInfo><entry key="one" value="two"/></userInfo>
            </entity>
            <entity name="Part" representedClassName="Part" parentEntity="Thing">
                <attribute name="width" attributeType="Double" usesScalarValueType="YES" defaultValueString="0.5"/>
                <uniquenessConstraints><uniquenessConstraint><constraint value="name"/><constraint value="number"/>
                </uniquenessConstraint></uniquenessConstraints>
            </entity>
            <fetchRequest name="All" entity="Thing" fetchLimit="7" predicateString="NOT (number BETWEEN {1, 2.5}) \
        OR SUBQUERY(children, $c, $c.amount &gt; 3 AND $c.name MATCHES 'a+').@count &gt; 0"/>
            <fetchRequest name="More" entity="Part" predicateString="TERNARY(TRUEPREDICATE, 1, 2) == sum:({1, 2}) + 3 ** 2 \
        AND ANY children.name IN {'a', nil} AND FUNCTION(name, 'uppercaseString') BEGINSWITH 'B'"/>
            <configuration name="Local"><memberEntity name="Thing"/></configuration>
        </model>
        """
}
