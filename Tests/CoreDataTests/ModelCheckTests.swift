// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Checks that good models pass and that every fault of a broken one is named.

import FixtureFiles
import Foundation
import Testing

@testable import CoreData
@testable import CoreDataModelFiles

@Suite("Checking a model") struct ModelCheckTests {
    @Test(
        "every model source of Apple's tools passes",
        .enabled(if: ModelFixtures.areHere, FixtureFolder.reason))
    func sources() throws {
        let names = ModelFixtures.names(in: "models", ending: ".contents.xml")
        #expect(names.count > 100)
        // A sample of every kind of attribute, one of them a composite without elements.
        let flawed = [
            "phimage_MomXML__Model--Model.contents.xml": [
                "Produit.attribute1: its element 'three': a composite attribute needs elements"
            ]
        ]
        for name in names {
            let faults = faults(try ModelFixtures.source(name))
            #expect(faults == flawed[name] ?? [], "\(name)")
        }
    }

    @Test(
        "every compiled model of Apple's tools passes",
        .enabled(if: ModelFixtures.areHere, FixtureFolder.reason))
    func compiled() throws {
        let names = ModelFixtures.names(in: "mom", ending: ".mom")
        #expect(names.count > 5)
        for name in names {
            let faults = faults(try ModelFixtures.compiled(name))
            #expect(faults == [], "\(name)")
        }
    }

    @Test(
        "every model in a store of Apple's passes",
        .enabled(if: ModelFixtures.areHere, FixtureFolder.reason))
    func caches() throws {
        let stores = try StoreFixtures.all()
        #expect(stores.count > 10)
        for store in stores {
            let document = try KeyedModelReader.read(try RawDeflate.inflate(store.modelCache))
            let faults = faults(NSManagedObjectModel(document: document))
            #expect(faults == [], "\(store.name)")
        }
    }

    @Test(
        "every model of the oldest editors passes",
        .enabled(if: ModelFixtures.areHere, FixtureFolder.reason))
    func editors() throws {
        for name in ModelFixtures.names(in: "models", ending: ".elements.bplist") {
            let document = try ModelDocument(modelFile: try ModelFixtures.data("models", name))
            let faults = faults(NSManagedObjectModel(document: document))
            #expect(faults == [], "\(name)")
        }
    }

    private func faults(_ model: NSManagedObjectModel) -> [String] { ModelCheck(model).faults().map(\.description) }
}
