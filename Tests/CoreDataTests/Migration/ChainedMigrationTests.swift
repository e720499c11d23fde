// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tests migrations through the versions between a store and its destination.

import CoreDataModelFiles
import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

@Suite("Migration through several versions") struct ChainedMigrationTests {
    /// Each version renames the attribute and knows only the name of the one before.
    private let renamed = [
        version { $0.entity("Book") { $0.attribute("a", .stringAttributeType) } },
        version {
            $0.entity("Book") {
                $0.attribute("b", .stringAttributeType).renamingIdentifier = "a"
                $0.attribute("rating", .integer16AttributeType, default: 3)
            }
        },
        version {
            $0.entity("Book") {
                $0.attribute("c", .stringAttributeType).renamingIdentifier = "b"
                $0.attribute("rating", .integer16AttributeType, default: 5)
                $0.attribute("pages", .integer32AttributeType, default: 100)
            }
        },
    ]

    /// The same name with another type, and a version without it.
    private let retyped = [
        version { $0.entity("Book") { $0.attribute("year", .integer16AttributeType) } },
        version { $0.entity("Book") { $0.attribute("title", .stringAttributeType, default: "?") } },
        version {
            $0.entity("Book") {
                $0.attribute("title", .stringAttributeType)
                $0.attribute("year", .stringAttributeType)
            }
        },
    ]

    private func library(
        _ model: NSManagedObjectModel, _ kind: StoreKind = .sqlite, _ values: [[String: Any]]
    ) throws -> MigratingStore {
        try MigratingStore(model, in: kind) { context in for row in values { context.make("Book", row) } }
    }

    private func options(_ versions: [NSManagedObjectModel], allowsLoss: Bool = false) -> [AnyHashable: Any] {
        MigratingStore.migrating.merging([
            MigrationOption.versions: versions, MigrationOption.allowsLoss: allowsLoss,
        ]) { $1 }
    }

    private func report(_ context: NSManagedObjectContext) throws -> MigrationReport {
        try #require(context.persistentStoreCoordinator?.persistentStores.first?.migrationReport)
    }

    /// Proves: G62, G73, G74
    @Test(
        "a value that only the way through the versions keeps comes along",
        arguments: AutomaticObjectMigrationTests.files)
    func keeping(kind: StoreKind) throws {
        let library = try library(renamed[0], kind, [["a": "Emma"], ["a": "Dune"], [:]])
        let plan = try MigrationPlan(
            forStoreAt: library.url, type: NSPersistentStore.StoreType(rawValue: kind.type), to: renamed[2],
            options: options(renamed))
        let checksums = renamed.map(\.versionChecksum)
        #expect(plan.steps.map(\.sourceChecksum) == Array(checksums.dropLast()))
        #expect(plan.steps.map(\.destinationChecksum) == Array(checksums.dropFirst()))
        #expect(plan.warnings.isEmpty)
        #expect(plan.countedSteps == 2)
        #expect(!plan.description.contains("counted for"))
        let context = try library.open(renamed[2], options: options(renamed))
        #expect(try context.values("Book", "c") == ["Emma", "Dune", nil])
        #expect(try context.values("Book", "rating") == ["3", "3", "3"])
        #expect(try context.values("Book", "pages") == ["100", "100", "100"])
        let report = try report(context)
        #expect(report.steps == plan.steps && report.isVerified)
        #expect(report.rowsBefore == ["Book": 3] && report.rowsAfter == ["Book": 3])
        try library.close(context)
        if kind == .sqlite {
            #expect(report.steps[0].statements.isEmpty)
            #expect(report.steps[1].statements.count { $0.hasPrefix("UPDATE") } == 1)
            #expect(try library.differences(from: renamed[2]) == [])
        }
    }

    /// Proves: G73
    @Test("the direct way is taken if it loses nothing that the longer one keeps") func direct() throws {
        let library = try library(renamed[1], .sqlite, [["b": "Emma"]])
        let context = try library.open(renamed[2], options: options(renamed))
        #expect(try report(context).steps.count == 1)
        try library.close(context)
        // Without the versions between, the former name is unknown.
        let lost = try self.library(renamed[0], .sqlite, [["a": "Emma"]])
        let opened = try lost.open(renamed[2], options: options([renamed[0]]))
        #expect(try report(opened).steps.count == 1)
        #expect(try opened.values("Book", "c") == [nil])
        try lost.close(opened)
    }

    /// Proves: G7, G63, G73
    @Test(
        "a path that loses more than a direct step is taken if a loss is allowed",
        arguments: AutomaticObjectMigrationTests.files)
    func detour(kind: StoreKind) throws {
        let library = try library(retyped[0], kind, [["year": 1815], ["year": 1965]])
        let refused = try library.failure(retyped[2], options: options([retyped[0]]))
        #expect(refused.code == NSMigrationMissingMappingModelError)
        let plan = try MigrationPlan(
            forStoreAt: library.url, type: NSPersistentStore.StoreType(rawValue: kind.type), to: retyped[2],
            options: options(retyped, allowsLoss: true))
        #expect(
            plan.warnings.map { "\($0.kind) \($0.entity).\($0.property ?? "") \($0.rows)" } == ["dataLoss Book.year 2"])
        let context = try library.open(retyped[2], options: options(retyped, allowsLoss: true))
        #expect(try context.values("Book", "year") == [nil, nil])
        #expect(try context.values("Book", "title") == ["?", "?"])
        #expect(try report(context).steps.count == 2)
        try library.close(context)
    }

    /// Proves: G7, G71, G73
    @Test(
        "a path that loses more than a direct step is refused, and the store is as before: 134140",
        arguments: AutomaticObjectMigrationTests.files)
    func lossy(kind: StoreKind) throws {
        let library = try library(retyped[0], kind, [["year": 1815]])
        retyped[1].versionIdentifiers = ["Middle"]
        let before = try library.bytes()
        let error = try library.failure(retyped[2], options: options(retyped))
        #expect(error.code == NSMigrationMissingMappingModelError)
        #expect(error.userInfo["lost"] as? [String] == ["Book.year"])
        #expect(error.localizedDescription.contains("The way through Middle would lose Book.year"))
        #expect((error.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == NSInferredMappingModelError)
        let type = NSPersistentStore.StoreType(rawValue: kind.type)
        let planned = #expect(throws: NSError.self) {
            try MigrationPlan(forStoreAt: library.url, type: type, to: retyped[2], options: options(retyped))
        }
        #expect(planned?.code == error.code)
        #expect(try library.bytes() == before)
    }

    /// Three versions, oldest first. The one in the middle has no entities, and no mapping skips it.
    private let offices = [("2.7", NSAttributeType.stringAttributeType), ("3", nil), ("5", .integer32AttributeType)].map
    {
        name, type in
        version { model in
            model.versionIdentifiers = [name]
            guard let type else { return }
            model.entity("Document") { $0.attribute("title", .stringAttributeType) }
            model.entity("Partner") { $0.attribute("rank", type) }
        }
    }

    /// Proves: G5, G73
    @Test("a store goes back to an earlier version directly, or not at all") func backwards() throws {
        let store = try MigratingStore(offices[2]) { context in
            for number in 0..<15 { context.make("Document", ["title": "\(number)"]) }
        }
        let before = try store.bytes()
        for allowsLoss in [false, true] {
            let error = try store.failure(offices[0], options: options(offices, allowsLoss: allowsLoss))
            #expect(error.code == NSMigrationMissingMappingModelError)
            #expect(!error.localizedDescription.contains("through"), "\(error.localizedDescription)")
        }
        #expect(try store.bytes() == before)
        let earlier = version { $0.entity("Document") { $0.attribute("title", .stringAttributeType) } }
        let context = try store.open(earlier, options: options([earlier] + offices))
        #expect(try report(context).steps.count == 1)
        #expect(try context.all("Document").count == 15)
        try store.close(context)
    }

    /// Proves: G73
    @Test("versions lie between two others in the order of the list, and never after the wanted one") func between() {
        func names(_ list: [Int], _ from: Int, _ to: Int) -> [String] {
            let versions = VersionList([MigrationOption.versions: list.map { renamed[$0] }], configuration: nil)
            let ends = [from, to].map { SchemaVersion(model: renamed[$0], entities: renamed[$0].entities) }
            return versions.between(ends[0], ends[1]).map { $0.model.entities[0].attributesByName.keys.sorted()[0] }
        }
        #expect(names([0, 1, 2], 0, 2) == ["b"])
        #expect(names([0, 1, 2], 2, 0) == [])
        #expect(names([1], 0, 2) == ["b"])
        #expect(names([1, 0], 0, 2) == [])
        #expect(names([2, 1, 0], 0, 2) == [])
        #expect(names([0, 1, 0, 2], 0, 2) == [])
        #expect(names([0, 2, 1], 0, 2) == [])
    }

    /// Proves: G25, G73
    @Test(
        "no way leads through a version in which members of a relationship would be lost",
        arguments: AutomaticObjectMigrationTests.files)
    func narrowed(kind: StoreKind) throws {
        let versions = (0..<3).map { number in
            version { model in
                let shelf = model.entity("Shelf") {
                    let name = $0.attribute(["a", "b", "c"][number], .stringAttributeType)
                    if number > 0 { name.renamingIdentifier = ["a", "b"][number - 1] }
                }
                let book = model.entity("Book")
                shelf.relate("books", number == 1 ? .one : .many, to: book, inverse: "shelf", .one)
            }
        }
        let store = try MigratingStore(versions[0], in: kind) { context in
            let shelf = context.make("Shelf", ["a": "top"])
            for _ in 0..<3 { context.make("Book", ["shelf": shelf]) }
        }
        let context = try store.open(versions[2], options: options(versions))
        let shelf = try #require(try context.all("Shelf").first)
        #expect((shelf.value(forKey: "books") as? Set<NSManagedObject>)?.count == 3)
        // Statements migrate through all versions at once, so the name is kept together with the members.
        #expect(shelf.value(forKey: "c") as? String == (kind == .sqlite ? "top" : nil))
        try store.close(context)
    }

    /// Proves: G73
    @Test("the shortest of the ways that lose least is taken") func shortest() throws {
        // Two versions of the four between are needed: those in which the attribute has its middle names.
        var versions = [renamed[0]]
        for number in 0..<2 {
            versions.append(
                version {
                    $0.entity("Book") {
                        $0.attribute("a", .stringAttributeType)
                        $0.attribute("extra\(number)", .stringAttributeType)
                    }
                })
        }
        versions.append(renamed[1])
        versions.append(
            version {
                $0.entity("Book") {
                    $0.attribute("b", .stringAttributeType)
                    $0.attribute("other", .stringAttributeType)
                }
            })
        let library = try library(renamed[0], .sqlite, [["a": "Emma"]])
        let context = try library.open(renamed[2], options: options(versions))
        #expect(try context.values("Book", "c") == ["Emma"])
        #expect(
            try report(context).steps.map(\.destinationChecksum)
                == [renamed[1].versionChecksum, renamed[2].versionChecksum])
        try library.close(context)
    }

    /// Proves: G73, G71
    @Test("without any way the error names the versions") func noWay() throws {
        let middle = version { $0.entity("Book") { $0.attribute("year", .booleanAttributeType) } }
        middle.versionIdentifiers = ["Middle"]
        let library = try library(retyped[0], .sqlite, [["year": 1815]])
        let last = version { $0.entity("Book") { $0.attribute("year", .dateAttributeType) } }
        let before = try library.bytes()
        for _ in 0..<2 {
            let error = try library.failure(last, options: options([retyped[0], middle]))
            #expect(error.code == NSMigrationMissingMappingModelError)
            #expect(error.localizedDescription.contains("Middle"), "\(error.localizedDescription)")
            let beneath = try #require(error.userInfo[NSUnderlyingErrorKey] as? NSError)
            #expect(beneath.code == NSInferredMappingModelError)
        }
        #expect(try library.bytes() == before)
    }

    /// Two steps by statements, one by objects, one by statements.
    private let zoo = [
        version { model in
            model.entity("Animal") { $0.attribute("name", .stringAttributeType) }
            model.entity("Cat") { $0.attribute("called", .stringAttributeType) }
        },
        version { model in
            model.entity("Animal") { $0.attribute("name", .stringAttributeType) }
            model.entity("Cat") { $0.attribute("alias", .stringAttributeType).renamingIdentifier = "called" }
        },
        version { model in
            let animal = model.entity("Animal") { $0.attribute("name", .stringAttributeType) }
            model.entity("Cat", parent: animal) {
                $0.attribute("nick", .stringAttributeType).renamingIdentifier = "alias"
            }
        },
        version { model in
            let animal = model.entity("Animal") {
                $0.attribute("name", .stringAttributeType)
                $0.attribute("legs", .integer16AttributeType, default: 4)
            }
            model.entity("Cat", parent: animal) {
                $0.attribute("title", .stringAttributeType).renamingIdentifier = "nick"
            }
        },
    ]

    private func animals() throws -> MigratingStore {
        try MigratingStore(zoo[0]) { context in
            context.make("Animal", ["name": "Leo"])
            for name in ["Tom", "Kit"] { context.make("Cat", ["called": name]) }
        }
    }

    /// Proves: G62, G65, G73, G75
    @Test("steps by objects lie between steps by statements") func mixed() throws {
        let store = try animals()
        let plan = try MigrationPlan(forStoreAt: store.url, type: .sqlite, to: zoo[3], options: options(zoo))
        #expect(plan.steps.map(\.way) == [.statements, .objects, .statements])
        #expect(plan.steps.last?.statements.isEmpty == false)
        let progress = MigrationProgressTests.NotedProgress()
        let report = try plan.run(progress: progress)
        #expect(progress.fractionCompleted == 1)
        #expect(report.steps.prefix(2) == plan.steps.prefix(2))
        #expect(report.steps.map(\.destinationChecksum) == plan.steps.map(\.destinationChecksum))
        // The greatest keys are known at the start of the step.
        let texts = [report.steps, plan.steps].map { $0[2].statements }
        #expect(texts[0].filter { !$0.contains("Z_PRIMARYKEY") } == texts[1].filter { !$0.contains("Z_PRIMARYKEY") })
        #expect(report.rowsBefore["Cat"] == 2 && report.rowsAfter["Cat"] == 2)
        let context = try store.open(zoo[3], options: nil)
        #expect(Set(try context.values("Cat", "title")) == ["Kit", "Tom"])
        #expect(try context.values("Animal", "legs") == ["4", "4", "4"])
        try store.close(context)
        #expect(try store.differences(from: zoo[3]) == [])
    }

    /// In place of names animals have ages, which are mandatory.
    private let aged = version { model in
        let animal = model.entity("Animal") { $0.attribute("age", .integer16AttributeType, optional: false) }
        model.entity("Cat", parent: animal) {
            $0.attribute("title", .stringAttributeType).renamingIdentifier = "nick"
        }
    }

    /// Proves: G62, G63, G64
    @Test("a plan counts the rows of a step after a step by objects") func countedLater() throws {
        let store = try animals()
        let versions = Array(zoo.prefix(3))
        let plan = try MigrationPlan(forStoreAt: store.url, type: .sqlite, to: aged, options: options(versions))
        #expect(plan.steps.map(\.way) == [.statements, .objects, .statements] && plan.countedSteps == 3)
        let texts = plan.warnings.map { "\($0.kind) \($0.entity).\($0.property ?? "") \($0.rows)" }
        #expect(texts == ["dataLoss Animal.name 1", "missingValue Animal.age 1", "missingValue Cat.age 2"])
        // Both entities by objects, then their table, which loses a column.
        #expect(plan.costs.map { "\($0.table) \($0.rows)" } == ["Animal 1", "Cat 2", "ZANIMAL 3"])
        #expect(plan.description.contains("counted for") == false)
        // The migration follows the plan.
        #expect(throws: NSError.self) { try plan.run() }
        let other = try animals()
        let mild = try MigrationPlan(forStoreAt: other.url, type: .sqlite, to: zoo[3], options: options(zoo))
        #expect(mild.warnings.isEmpty && mild.countedSteps == 3)
    }

    /// Proves: G62, G63, G73
    @Test("a plan counts no step after a mapping model of the program") func countedToMapping() throws {
        let strict = version {
            $0.entity("Book") { $0.attribute("c", .stringAttributeType, optional: false).renamingIdentifier = "b" }
        }
        let library = try library(renamed[0], .sqlite, [["a": "Emma"], ["a": "Dune"], [:]])
        // The mapping model fills the values whose absence the second step would refuse.
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: renamed[0], destinationModel: renamed[1])
        let book = try #require(mapping.entityMappings.first?.attributeMappings?.first { $0.name == "b" })
        book.valueExpression = NSExpression(forConstantValue: "given")
        let file = library.folder.appending(path: "own.cdm")
        try mapping.document().data().write(to: file)
        let known = options(Array(renamed.prefix(2))).merging([storeMappingFilesOption: [file]]) { $1 }
        let plan = try MigrationPlan(forStoreAt: library.url, type: .sqlite, to: strict, options: known)
        #expect(plan.steps.map(\.way) == [.objects, .statements] && plan.countedSteps == 1)
        #expect(plan.warnings.isEmpty && plan.costs.map(\.table) == ["Book"])
        #expect(plan.description.contains("Rows and warnings are counted for 1 of 2 steps."))
        let report = try plan.run()
        #expect(report.steps.map(\.way) == [.objects, .statements])
        let context = try library.open(strict, options: nil)
        #expect(try context.values("Book", "c") == ["given", "given", "given"])
        try library.close(context)
    }

    /// Proves: G62, G63
    @Test("a property that an earlier step loses is counted once") func countedOnce() throws {
        let last = version {
            $0.entity("Volume", former: "Book") { $0.attribute("c", .stringAttributeType).renamingIdentifier = "b" }
        }
        let middle = version {
            $0.entity("Book") { $0.attribute("b", .stringAttributeType).renamingIdentifier = "a" }
        }
        let first = version {
            $0.entity("Book") {
                $0.attribute("a", .stringAttributeType)
                $0.attribute("size", .integer16AttributeType)
            }
        }
        let library = try library(first, .xml, [["a": "Emma", "size": 3], ["a": "Dune"]])
        let plan = try MigrationPlan(
            forStoreAt: library.url, type: NSPersistentStore.StoreType(rawValue: StoreKind.xml.type), to: last,
            options: options([first, middle]))
        #expect(plan.steps.count == 2 && plan.countedSteps == 2)
        let texts = plan.warnings.map { "\($0.kind) \($0.entity).\($0.property ?? "") \($0.rows)" }
        #expect(texts == ["dataLoss Book.size 1"])
        #expect(plan.costs.map(\.table) == ["Book", "Volume"])
    }

    /// Proves: G65, G71, G75
    @Test("a step that is done stays done, and the next attempt goes on from there") func resumed() throws {
        let strict = version { model in
            let animal = model.entity("Animal") { $0.attribute("name", .stringAttributeType, optional: false) }
            model.entity("Cat", parent: animal) {
                $0.attribute("title", .stringAttributeType).renamingIdentifier = "nick"
            }
        }
        let store = try animals()
        let versions = Array(zoo.prefix(3))
        for _ in 0..<2 {
            #expect(try store.failure(strict, options: options(versions)).code == NSMigrationError)
            let names = try FileManager.default.contentsOfDirectory(atPath: store.folder.path)
            #expect(names.allSatisfy { $0.hasPrefix("store.sqlite") }, "\(names)")
        }
        let middle = try store.open(zoo[2], options: nil)
        #expect(Set(try middle.values("Cat", "nick")) == ["Kit", "Tom"])
        for cat in try middle.all("Cat") { cat.setValue("cat", forKey: "name") }
        try middle.save()
        try store.close(middle)
        let context = try store.open(strict, options: options(versions))
        #expect(try report(context).steps.map(\.way) == [.statements])
        #expect(Set(try context.values("Cat", "title")) == ["Kit", "Tom"])
        try store.close(context)
    }

    /// Proves: G74
    @Test("joined steps give the rows of single steps", arguments: 0..<6) func joined(first: Int) throws {
        let steps = Array(Self.steps.dropFirst(first))
        let fill: (NSManagedObjectContext) throws -> Void = { context in
            let model = try #require(context.persistentStoreCoordinator?.managedObjectModel)
            let names = try ["Shelf", "Book"].map { try #require(model.entitiesByName[$0]).attributesByName }
            let shelf = context.make("Shelf", [names[0]["label"] == nil ? "title" : "label": "A"])
            for number in 0..<5 {
                let book = context.make("Book")
                if number != 3 {
                    if names[1]["title"] != nil { book.setValue("Book \(number)", forKey: "title") }
                    book.setValue(number * 100, forKey: names[1]["pages"] == nil ? "length" : "pages")
                }
                book.setValue(shelf, forKey: "shelf")
            }
        }
        let alone = try MigratingStore(steps[0], fill)
        for model in steps.dropFirst() { try alone.close(alone.open(model)) }
        let joined = try MigratingStore(steps[0], fill)
        let last = try #require(steps.last)
        let graph = VersionGraph(
            steps.map { SchemaVersion(model: $0, entities: $0.entities) }, infers: true, mapping: { _, _ in nil })
        let pairing = (1..<steps.count).map { graph.pairing($0 - 1, $0) }.reduce(nil) { whole, next in
            (whole as ModelPairing?)?.followed(by: next) ?? next
        }
        let target = try #require(last.copy() as? NSManagedObjectModel)
        let source = try #require(steps[0].copy() as? NSManagedObjectModel)
        source.freeze()
        let migration = SQLiteMigration(
            url: joined.url, options: try SQLiteStoreOptions(nil), source: source,
            sourceLayout: ModelLayout(entities: source.entities),
            target: MigrationTarget(layout: try target.compiledLayout(), entities: target.entities), pairing: pairing)
        #expect(try migration.run { _, _ in } != nil)
        let queries = ["SELECT group_concat(quote(Z_PK) || quote(Z_ENT)) FROM ZBOOK"]
        for query in queries { #expect(try joined.column(query) == alone.column(query)) }
        let (one, other) = (try alone.open(last, options: nil), try joined.open(last, options: nil))
        for entity in last.entities.compactMap(\.name) {
            for key in (last.entitiesByName[entity]?.attributesByName.keys).map(Array.init) ?? [] {
                #expect(try one.values(entity, key) == other.values(entity, key), "\(entity).\(key)")
            }
            #expect(try one.all(entity).map(\.objectID.rowKey) == other.all(entity).map(\.objectID.rowKey))
        }
        let shelved = try one.all("Book").map { ($0.value(forKey: "shelf") as? NSManagedObject)?.objectID.rowKey }
        #expect(
            try other.all("Book").map { ($0.value(forKey: "shelf") as? NSManagedObject)?.objectID.rowKey } == shelved)
        #expect(shelved.contains { $0 != nil })
        try alone.close(one)
        try joined.close(other)
        #expect(try joined.differences(from: last) == [])
    }

    /// Eight versions of a shop of books: each changes names, types, defaults, or the numbers of entities.
    private static let steps: [NSManagedObjectModel] = (0..<8).map { number in
        version { model in
            if number >= 2 { model.entity("Aisle") { $0.attribute("name", .stringAttributeType) } }
            let shelf = model.entity("Shelf") {
                let label = $0.attribute(number < 4 ? "label" : "title", .stringAttributeType)
                if number == 4 { label.renamingIdentifier = "label" }
            }
            let book = model.entity("Book") {
                if number != 5 { $0.attribute("title", .stringAttributeType) }
                let pages = $0.attribute(
                    number < 3 ? "pages" : "length", number < 6 ? .integer32AttributeType : .doubleAttributeType,
                    optional: number != 1, default: number == 1 ? 7 : nil)
                if number == 3 { pages.renamingIdentifier = "pages" }
                if number >= 1 { $0.attribute("rating", .integer16AttributeType, default: number) }
            }
            shelf.relate("books", .many, to: book, inverse: "shelf", .one)
        }
    }

    /// Proves: G73, G74
    @Test("a hundred versions are passed in one transaction") func hundred() throws {
        let versions = (0..<100).map { number in
            version { model in
                model.entity("Book") {
                    $0.attribute("name\(number)", .stringAttributeType).renamingIdentifier = "name\(max(number - 1, 0))"
                    for extra in 0..<(number % 7) {
                        $0.attribute("extra\(extra)", .integer16AttributeType, default: extra)
                    }
                }
                for other in 0..<(number / 10) { model.entity("Other\(other)") }
            }
        }
        let library = try library(versions[0], .sqlite, [["name0": "Emma"], ["name0": "Dune"]])
        let context = try library.open(versions[99], options: options(versions))
        #expect(try context.values("Book", "name99") == ["Emma", "Dune"])
        let report = try report(context)
        #expect(report.steps.count == 99 && report.steps.dropLast().allSatisfy { $0.statements.isEmpty })
        try library.close(context)
        #expect(try library.differences(from: versions[99]) == [])
    }
}
