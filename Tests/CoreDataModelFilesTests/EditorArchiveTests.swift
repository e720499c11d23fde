// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Model sources from before 2011 are read.

import Foundation
import ModelFilesTestSupport
import Testing

@testable import CoreDataModelFiles

@Suite("Reading old editor archives") struct EditorArchiveTests {
    @Test("every editor archive of the fixtures is read, and its relationships agree", .needsFixtures)
    func fixtures() throws {
        let names = Fixtures.files("models", suffix: ".bplist")
        #expect(names.count == 6)
        for name in names {
            let document = try EditorArchiveReader.read(try Fixtures.data("models/\(name)"))
            let entities = Dictionary(uniqueKeysWithValues: document.entities.map { ($0.name, $0) })
            #expect(!entities.isEmpty)
            for entity in document.entities {
                #expect(entity.superentityName.map { entities[$0] != nil } ?? true)
                for relationship in entity.relationships {
                    #expect(relationship.isToMany == (relationship.maxCount != 1))
                    let destination = try #require(entities[relationship.destinationEntityName])
                    guard let inverse = relationship.inverseName else { continue }
                    #expect(relationship.inverseEntityName == destination.name)
                    let other = try #require(destination.relationships.first { $0.traits.name == inverse })
                    #expect(other.inverseName == relationship.traits.name)
                }
            }
            #expect(try KeyedModelReader.read(try KeyedModelWriter.data(for: document)) == CompiledForm.of(document))
        }
    }

    @Test("an entity in an archive equals the entity in XML", .needsFixtures)
    func book() throws {
        let file = "models/Lax_Learn-iOS-Swift-by-Examples__CoreDataBooks--CoreDataBooks.elements.bplist"
        let document = try EditorArchiveReader.read(try Fixtures.data(file))
        let xml = """
            <model><entity name="Book" representedClassName="Book">
                <attribute name="author" attributeType="String" defaultValueString="Author" minValueString="1"/>
                <attribute name="copyright" optional="YES" attributeType="Date"/>
                <attribute name="title" attributeType="String" defaultValueString="Title" minValueString="1"/>
            </entity></model>
            """
        #expect(document == (try ModelXMLReader.read(Data(xml.utf8))))
    }
}
