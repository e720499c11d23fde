// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Checks version hashes against those in files that Apple's tools wrote.

import CoreDataTestSupport
import FixtureFiles
import Foundation
import Testing

@testable import CoreData
@testable import CoreDataModelFiles

private struct Vectors: Decodable {
    struct Property: Decodable {
        let entity: String
        let property: String
        let kind: String
        let optional: Bool
        let transient: Bool?
        let type: UInt?
        let extra: String?
        let destination: String?
        let inverse: String?
        let maxCount: Int?
        let minCount: Int?
        let hash: String
    }
    struct Entity: Decodable {
        let model: String
        let entity: String
        let hash: String
    }
    let property_level: [Property]
    let entity_level: [Entity]

    static func load() throws -> Vectors {
        let url = FixtureFolder.own("version-hash-vectors.json")
        return try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: url))
    }
}

@Suite("Version hashes against Apple's", .enabled(if: ModelFixtures.areHere, FixtureFolder.reason))
struct VersionHashVectorTests {
    @Test("a property has the hash that Apple's compiler wrote")
    func properties() throws {
        let vectors = try Vectors.load().property_level
        #expect(vectors.count == 16)
        for vector in vectors {
            #expect(hash(vector).hex == vector.hash, "\(vector.entity).\(vector.property)")
        }
    }

    private func hash(_ vector: Vectors.Property) -> Data {
        if vector.kind == "attribute" {
            let attribute = NSAttributeDescription()
            attribute.name = vector.property
            attribute.isOptional = vector.optional
            attribute.isTransient = vector.transient ?? false
            attribute.attributeType = vector.type.flatMap(NSAttributeType.init) ?? .undefinedAttributeType
            attribute.preservesValueInHistoryOnDeletion = vector.extra == "preserveAfterDeletion"
            return attribute.versionHash
        }
        let destination = NSEntityDescription()
        destination.name = vector.destination
        let inverse = NSRelationshipDescription()
        inverse.name = vector.inverse ?? ""
        destination.properties = [inverse]
        let relationship = NSRelationshipDescription()
        relationship.name = vector.property
        relationship.isOptional = vector.optional
        relationship.maxCount = vector.maxCount ?? 0
        relationship.minCount = vector.minCount ?? 0
        relationship.destinationEntity = destination
        relationship.inverseRelationship = inverse
        // A relationship does not keep its destination alive.
        return withExtendedLifetime(destination) { relationship.versionHash }
    }

    @Test("an entity has the hash that Apple's compiler wrote")
    func entities() throws {
        let vectors = try Vectors.load().entity_level
        #expect(vectors.count == 5)
        for vector in vectors {
            let model = try ModelFixtures.source(vector.model)
            #expect(model.entitiesByName[vector.entity]?.versionHash.hex == vector.hash, "\(vector.entity)")
        }
    }

    @Test("every compiled model has the hashes of its bundle")
    func bundles() throws {
        var compared = 0
        for file in ModelFixtures.names(in: "mom", ending: "VersionInfo.plist") {
            let bundle = String(file.dropLast("VersionInfo.plist".count))
            let plist = try PropertyListSerialization.propertyList(
                from: try ModelFixtures.data("mom", file), format: nil)
            let info = try #require(plist as? [String: Any])
            let versions = try #require(info["NSManagedObjectModel_VersionHashes"] as? [String: [String: Data]])
            let checksums = info["NSManagedObjectModel_VersionChecksums"] as? [String: String] ?? [:]
            for (version, hashes) in versions {
                guard ModelFixtures.names(in: "mom", ending: ".mom").contains("\(bundle)\(version).mom") else {
                    continue
                }
                let model = try ModelFixtures.compiled("\(bundle)\(version).mom")
                for (entity, hash) in hashes {
                    #expect(model.entityVersionHashesByName[entity]?.hex == hash.hex, "\(bundle)\(version) \(entity)")
                    compared += 1
                }
                let checksum = model.versionChecksum
                #expect(checksum == checksums[version] ?? checksum, "\(bundle)\(version)")
            }
        }
        #expect(compared >= 20)
    }

    @Test("the model that a store keeps has the hashes of the store's metadata")
    func stores() throws {
        var compared = 0
        for store in try StoreFixtures.all() {
            let model = NSManagedObjectModel(
                document: try KeyedModelReader.read(try RawDeflate.inflate(store.modelCache)))
            let plist = try PropertyListSerialization.propertyList(from: store.metadata, format: nil)
            let metadata = try #require(plist as? [String: Any])
            let hashes = try #require(NSManagedObjectModel.versionHashes(inStoreMetadata: metadata))
            for (name, hash) in hashes {
                guard let entity = model.entitiesByName[name] else { continue }
                #expect(entity.versionHash.hex == hash.hex, "\(store.name) \(name)")
                compared += 1
            }
            // Older frameworks wrote neither.
            let (digest, checksum) = (VersionDigest.digest(hashes), VersionDigest.checksum(hashes))
            #expect(metadata["NSStoreModelVersionHashesDigest"] as? String ?? digest == digest, "\(store.name)")
            #expect(metadata["NSStoreModelVersionChecksumKey"] as? String ?? checksum == checksum, "\(store.name)")
        }
        #expect(compared > 100)
    }
}

@Suite("Version hashes of entities with derived attributes") struct DerivedHashTests {
    private func base64(_ entity: NSEntityDescription?) -> String? { entity?.versionHash.base64EncodedString() }

    @Test("a value over a to-one, declared and inherited, as a store of iOS 17 has them") func copied() {
        let (chat, event) = (NSEntityDescription("ManagedChat"), NSEntityDescription("ManagedEventBase"))
        let member = NSEntityDescription("ManagedMembership")
        event.derived("chatId", .stringAttributeType, "chat.serverId")
        event.attribute("createdAt", .dateAttributeType, optional: false)
        for name in ["eventId", "type"] { event.attribute(name, .stringAttributeType) }
        event.relate("chat", .one, to: chat, inverse: "events", .many)
        member.attribute("accountId", .stringAttributeType, optional: false)
        event.subentities = [member]
        let model = NSManagedObjectModel(chat, event, member)
        #expect(base64(model.entitiesByName["ManagedEventBase"]) == "iWt3fcgaMYOoNo3EIDA0ZV4UNXSkUy2X0ml+jVLKo4s=")
        #expect(base64(model.entitiesByName["ManagedMembership"]) == "UkQ15zcIocSgvLVmTbuMRITUjPF79zQS2bbX90Mjko8=")
    }

    @Test("a count, declared and inherited, as a store of macOS has them") func counted() {
        let (book, novel) = (NSEntityDescription("Book"), NSEntityDescription("GraphicNovel"))
        let (author, page) = (NSEntityDescription("Author"), NSEntityDescription("Page"))
        book.attribute("cover", .transformableAttributeType, optional: false)
        book.derived("pagesCount", .integer64AttributeType, "count:(pages)")
        book.attribute("price", .decimalAttributeType, optional: false)
        book.attribute("publishedAt", .dateAttributeType, optional: false)
        book.attribute("title", .stringAttributeType, optional: false)
        book.attribute("uniqueID", .UUIDAttributeType, optional: false)
        book.relate("author", .requiredOne, to: author, inverse: "books", .many)
        book.relate("pages", .many, to: page, inverse: "book", .one)
        for (name, least, most) in [("author", 1, 1), ("pages", 1, 10_000)] {
            let relationship = book.relationshipsByName[name]
            relationship?.isOptional = false
            relationship?.minCount = least
            relationship?.maxCount = most
        }
        book.uniquenessConstraints = [["uniqueID"]]
        novel.attribute("isBlackAndWhite", .booleanAttributeType, optional: false)
        book.subentities = [novel]
        let model = NSManagedObjectModel(book, novel, author, page)
        #expect(base64(model.entitiesByName["Book"]) == "AeTuF/GykD2wVgdBm0pxPXLfgMkLRRC4OmC5E1Mj9ec=")
        #expect(base64(model.entitiesByName["GraphicNovel"]) == "poY7Pr8Gve0MDZPr1BbnTvL035a2nLBwIGotOVkvMxY=")
    }

    @Test("only the expression counts: not the name, the type or spaces in the text") func expression() {
        func hash(_ name: String, _ type: NSAttributeType, _ text: String) -> Data {
            let attribute = NSDerivedAttributeDescription()
            (attribute.name, attribute.attributeType, attribute.derivationText) = (name, type, text)
            return attribute.versionHash
        }
        #expect(
            hash("a", .stringAttributeType, "uppercase:(name)") == hash("b", .URIAttributeType, "uppercase:( name )"))
        #expect(
            hash("a", .stringAttributeType, "uppercase:(name)") != hash("a", .stringAttributeType, "lowercase:(name)"))
    }
}

@Suite("Version hashes of entities with uniqueness constraints") struct ConstraintHashTests {
    /// Decided by the version hash of an entity with two uniqueness constraints in a model that `momc` compiled.
    @Test("the names of constraints are hashed in ascending order", .tags(.assumed)) func order() {
        let hash = VersionHashRule.entity(
            "Tag", isAbstract: false, superentityHash: Data(), properties: [], modifier: nil,
            uniquenessConstraints: [["name"], ["color", "shape"]])
        #expect(hash == SHA2.sha256(Data("Tag\0color.shapename".utf8)))
    }
}

@Suite("Version hashes of documents") struct DocumentHashTests {
    @Test("are those of the descriptions made of them", .enabled(if: ModelFixtures.areHere))
    func agreement() throws {
        for name in ModelFixtures.names(in: "models", ending: ".contents.xml") {
            let document = try ModelXMLReader.read(try ModelFixtures.data("models", name))
            #expect(
                document.entityHashes() == NSManagedObjectModel(document: document).entityVersionHashesByName, "\(name)"
            )
        }
    }
}
