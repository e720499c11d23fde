// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Malformed and contradictory models are refused with a list of all their faults.

import CoreData
import CoreDataTestSupport
import FixtureFiles
import Foundation
import Testing

@Suite("Malformed models") struct WrongModelTests {
    private static let fixtures = FixtureFolder.url.appending(path: "models")

    private func model(_ content: Data, _ name: String) throws -> NSManagedObjectModel? {
        let folder = FileManager.default.temporaryDirectory.appending(path: "OpenCoreData-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let bundle = folder.appending(path: name)
        var file = bundle
        if name.hasSuffix(".xcdatamodel") { file = bundle.appending(path: "contents") }
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try content.write(to: file)
        let error = failure { _ = try NSManagedObjectModel.load(contentsOf: bundle) }
        #expect([nil, NSCocoaErrorDomain].contains(error?.domain), "\(String(describing: error))")
        let model = NSManagedObjectModel(contentsOf: bundle)
        #expect(error != nil || model != nil)
        return error == nil ? model : nil
    }

    @Test(
        "other text is refused as a model",
        arguments: [
            "", "x", "<", "<model", "<model>", "<model/>", "<?xml version=\"1.0\"?>", "<model><entity></model>",
            "<model><entity/></model>",
            "<model><entity name=\"A\"><attribute/></entity></model>", "<other/>",
            "<model><entity name=\"A\"><attribute name=\"a\"/></entity></model>",
            "<model><entity name=\"A\"><attribute name=\"a\" attributeType=\"Nonsense\"/></entity></model>",
            "<model><entity name=\"A\" parentEntity=\"A\"/></model>",
            "<model><entity name=\"A\" parentEntity=\"B\"/></model>",
            "<model><entity name=\"A\"/><entity name=\"A\"/></model>", "<model><entity name=\"\"/></model>",
            "<model><entity name=\"A\"><relationship name=\"r\" destinationEntity=\"Z\"/></entity></model>",
            "<model><entity name=\"A\"><relationship name=\"r\"/></entity></model>",
            "<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;\">]><model>&b;</model>",
            "<model><entity name=\"A\"><attribute name=\"a\" attributeType=\"Integer 16\" defaultValueString=\"x\" minValueString=\"99999999999999999999\"/></entity></model>",
            "<model><entity name=\"A\"><attribute name=\"a\" attributeType=\"String\"/><attribute name=\"a\" attributeType=\"String\"/></entity></model>",
            "<model><entity name=\"A\"><relationship name=\"r\" destinationEntity=\"A\" minCount=\"x\" maxCount=\"-1\"/></entity></model>",
            "<model><entity name=\"A\"><fetchIndex name=\"i\"><fetchIndexElement property=\"z\"/></fetchIndex></entity></model>",
            "<model><entity name=\"A\"><uniquenessConstraints><uniquenessConstraint><constraint value=\"z\"/></uniquenessConstraint></uniquenessConstraints></entity></model>",
            "<model><fetchRequest name=\"f\" entity=\"Z\" predicateString=\"a == \"/></model>",
            "<model><configuration name=\"c\"><memberEntity name=\"Z\"/></configuration></model>",
        ])
    func text(content: String) throws {
        for name in ["A.xcdatamodel", "A.mom"] {
            guard let model = try model(Data(content.utf8), name) else { continue }
            try use(model, content)
        }
    }

    @Test("nothing, a folder and a folder without a version are no models") func missing() throws {
        let warehouse = try Warehouse(boxes: nil)
        for name in ["none.mom", "none.momd", "none.xcdatamodeld", "none.xcdatamodel", "none"] {
            let url = warehouse.folder.appending(path: name)
            #expect(NSManagedObjectModel(contentsOf: url) == nil)
            #expect(
                failure { _ = try NSManagedObjectModel.load(contentsOf: url) }?.code
                    == CocoaError.fileReadNoSuchFile.rawValue)
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            #expect(NSManagedObjectModel(contentsOf: url) == nil, "\(name)")
            #expect(failure { _ = try NSManagedObjectModel.load(contentsOf: url) }?.domain == NSCocoaErrorDomain)
        }
    }

    @Test(
        "models with a change at random are refused or work",
        .disabled(if: FixtureFolder.isMissing, FixtureFolder.reason))
    func random() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.fixtures.path).filter {
            $0.hasSuffix(".xml")
        }.sorted()
        var random = Seeded(state: 20_261_121)
        var usable = 0
        var refused = 0
        for _ in 0..<80 {
            let name = try #require(names.randomElement(using: &random))
            let text = try String(contentsOf: Self.fixtures.appending(path: name), encoding: .utf8)
            guard text.count < 20_000 else { continue }
            var lines = text.split(separator: "\n").map(String.init)
            for _ in 0..<Int.random(in: 1...3, using: &random) { change(&lines, &random) }
            if let model = try model(Data(lines.joined(separator: "\n").utf8), "A.xcdatamodel") {
                usable += 1
                try use(model, "\(name): \(lines.joined(separator: "\n"))")
            } else {
                refused += 1
            }
        }
        #expect(usable > 10 && refused > 10, "\(usable) usable, \(refused) refused")
    }

    private func change(_ lines: inout [String], _ random: inout Seeded) {
        let place = Int.random(in: 0..<lines.count, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: lines.remove(at: place)
        case 1: lines.insert(lines[place], at: place)
        case 2: lines.swapAt(place, Int.random(in: 0..<lines.count, using: &random))
        default:
            // Another value for one of the attributes.
            let parts = lines[place].split(separator: "\"", omittingEmptySubsequences: false).map(String.init)
            guard parts.count > 2 else { return }
            let values = [
                "", "YES", "NO", "-1", "99999999999", "String", "Integer 32", "x", "A.b", "SELF ==", "Nullify",
                "Transformable", "Derived",
            ]
            var changed = parts
            changed[Int.random(in: 0..<(parts.count - 1) / 2, using: &random) * 2 + 1] =
                values.randomElement(using: &random) ?? ""
            lines[place] = changed.joined(separator: "\"")
        }
        if lines.isEmpty { lines = [""] }
    }

    /// A model that was not refused has to work in a stack.
    private func use(_ model: NSManagedObjectModel, _ source: String) throws {
        for kind in StoreKind.all {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            let warehouse = try Warehouse(boxes: nil)
            let opening = failure {
                try coordinator.addPersistentStore(
                    ofType: kind.type, configurationName: nil, at: kind == .inMemory ? nil : warehouse.url)
            }
            if let opening {
                #expect(opening.domain == NSCocoaErrorDomain, "\(source): \(opening)")
                continue
            }
            let context = NSManagedObjectContext(concurrencyType: .confined)
            context.persistentStoreCoordinator = coordinator
            for entity in model.entities where !entity.isAbstract {
                _ = NSManagedObject(entity: entity, insertInto: context)
            }
            let saving = failure { try context.save() }
            #expect([nil, NSCocoaErrorDomain].contains(saving?.domain), "\(source): \(String(describing: saving))")
            for entity in model.entities {
                let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
                let fetching = failure { _ = try context.fetch(request) }
                #expect(
                    [nil, NSCocoaErrorDomain].contains(fetching?.domain), "\(source): \(String(describing: fetching))")
            }
            for store in coordinator.persistentStores { try coordinator.remove(store) }
        }
    }
}
