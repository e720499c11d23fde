// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the output of the build plug-in's tool for a whole target.

import CAllocationCounter
import CoreDataModelFiles
import Foundation
import ModelFilesTestSupport
import Testing

@testable import CoreDataGeneration

@Suite("A target") struct TargetTests {
    /// A folder with files, and the input that names them.
    private func input(
        _ model: String, _ source: String, dependency: String? = nil, in folder: TemporaryFolder
    ) throws -> TargetGeneration.Input {
        var files = ["M.xcdatamodel/contents": "<model>\n\(model)\n</model>", "A.swift": source]
        files["Kernel/K.swift"] = dependency
        try AtomicWrite.folder(files.mapValues { Data($0.utf8) }, to: folder.url.appendingPathComponent("t"))
        let root = folder.url.appendingPathComponent("t")
        return TargetGeneration.Input(
            module: "App", models: [root.appendingPathComponent("M.xcdatamodel")],
            sources: [root.appendingPathComponent("A.swift")],
            dependencies: dependency == nil
                ? []
                : [.init(module: "Kernel", models: [], sources: [root.appendingPathComponent("Kernel/K.swift")])])
    }

    @Test("the compiled model names classes with their modules, nested ones too") func classNames() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let entities = ["Book", ".Page", "Person", "Made", "Elsewhere"].map {
            "<entity name=\"E\($0.drop { $0 == "." })\" representedClassName=\"\($0)\" codeGenerationType=\"\($0 == "Made" ? "class" : "")\"/>"
        }
        let input = try input(
            entities.joined(separator: "\n"),
            """
            import CoreData
            class Book: NSManagedObject {}
            enum Outer { class Page: NSManagedObject {} }
            enum Other { class Loose: NSManagedObject { @NSManaged var age: Int } }
            class Bare: NSManagedObject {}
            private class Hidden: NSManagedObject { @NSManaged var age: Int }
            """,
            dependency: "import CoreData\nopen class Person: NSManagedObject {}", in: folder)
        let result = try TargetGeneration(input)
        let document = try ModelDocument(modelFile: try #require(result.models["M.momd"]?["M.mom"]))
        let names = Dictionary(uniqueKeysWithValues: document.entities.map { ($0.name, $0.className) })
        #expect(names["EBook"] == "App.Book" && names["EPage"] == "App.Outer.Page")
        #expect(
            names["EPerson"] == "Kernel.Person" && names["EMade"] == "App.Made" && names["EElsewhere"] == "Elsewhere")
        let list = try #require(result.sources[TargetGeneration.listFile])
        for name in ["Book", "Outer.Page", "Made"] { #expect(list.contains("classes.append((\(name).self, ")) }
        #expect(!list.contains("Person") && !list.contains("Bare"))
        // Another file cannot name it.
        #expect(!list.contains("Hidden"))
        #expect(list.contains("classes.append((Other.Loose.self, \"\"))"))
    }

    @Test("accessors use the slots of the entity, and types of other modules bring imports") func accessors() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let input = try input(
            """
            <entity name="Book" representedClassName="Book"><attribute name="title" attributeType="String"/>
            <attribute name="box" attributeType="Transformable"/></entity>
            """,
            """
            import CoreData
            import Kernel
            public class Book: NSManagedObject {
                @NSManaged public var title: String?
                @NSManaged public var box: Box?
                @NSManaged var gone: Int
            }
            """, dependency: "import CoreData\npublic final class Box: NSObject {}", in: folder)
        let result = try TargetGeneration(input)
        let text = try #require(result.sources[TargetGeneration.accessorFile])
        #expect(text.contains("\nimport CoreData\npublic import Kernel\n"))
        #expect(
            text.contains("\"$s3App4BookC5titleSSSgvg\") public func _App_get0() -> String? { _string(1, \"title\") }"))
        #expect(text.contains("$s3App4BookC3box6Kernel3BoxCSgvg"))
        #expect(result.diagnostics.map(\.severity) == [.warning])
        #expect(result.diagnostics.first?.message == "'Book.gone': the entity 'Book' has no property of this name.")
        #expect(result.diagnostics.first?.line == 6)
    }

    @Test("a property of a type that the model's can never be is an error with file and line, all of them at once")
    func wrongTypes() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let input = try input(
            """
            <entity name="Note" representedClassName="Note">
            <attribute name="body" attributeType="String"/><attribute name="day" attributeType="Date"/>
            <attribute name="count" attributeType="Integer 16"/><attribute name="state" attributeType="Integer 16"/>
            <attribute name="blob" attributeType="Transformable"/>
            <relationship name="next" maxCount="1" destinationEntity="Note"/>
            <relationship name="parts" toMany="YES" destinationEntity="Note"/></entity>
            """,
            """
            import CoreData
            enum State: Int16 { case open }
            class Note: NSManagedObject {
                @NSManaged var body: String
                @NSManaged var day: TimeInterval
                @NSManaged var count: Bool
                @NSManaged var state: State
                @NSManaged var blob: [String]?
                @NSManaged var next: Note?
                @NSManaged var parts: NSSet?
            }
            class Reply: NSManagedObject {}
            extension Note {
                @NSManaged var primitiveBody: String
            }
            """, in: folder)
        #expect(try errors(input).isEmpty)
        let wrong = input
        let source = try String(contentsOf: wrong.sources[0], encoding: .utf8)
            .replacing("var body: String", with: "var body: Int64").replacing(
                "var day: TimeInterval", with: "var day: String?"
            )
            .replacing("var next: Note?", with: "var next: String?")
            .replacing("var count: Bool", with: "var count: Date?")
        try Data(source.utf8).write(to: wrong.sources[0])
        #expect(try errors(wrong).map(\.line) == [4, 5, 6, 9])
        #expect(try errors(wrong).first?.message.contains("'Note.body' is declared as Int64") == true)
    }

    private func errors(_ input: TargetGeneration.Input) throws -> [Diagnostic] {
        do {
            _ = try TargetGeneration(input)
        } catch let failure as GenerationFailure {
            return failure.diagnostics.filter { $0.severity == .error }
        }
        return []
    }

    @Test("a class by hand in addition to the one that Codegen writes is an error at the class, and names the setting")
    func writtenTwice() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        func input(_ codegen: String, _ source: String) throws -> TargetGeneration.Input {
            try self.input(
                "<entity name=\"Book\" representedClassName=\"Book\" codeGenerationType=\"\(codegen)\"/>", source,
                in: folder)
        }
        let source = "import CoreData\n\nclass Book: NSManagedObject {}"
        let found = try errors(try input("class", source))
        #expect(found.map(\.line) == [3] && found.first?.file.hasSuffix("A.swift") == true)
        #expect(found.first?.message.contains("Codegen of the entity 'Book' in M.xcdatamodel") == true)
        #expect(try errors(try input("category", source)).isEmpty)
        #expect(try errors(try input("", source)).isEmpty)
        #expect(try errors(try input("class", "import CoreData\nextension Book {}")).isEmpty)
    }

    @Test("names that Foundation has as well mean ours in the whole module, unless the module declares them")
    func sharedNames() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let plain = try TargetGeneration(try input("", "import CoreData", in: folder))
        let list = try #require(plain.sources[TargetGeneration.listFile])
        #expect(list.contains("public typealias NSExpression = CoreData.NSExpression\n"))
        #expect(list.contains("public typealias NSComparisonPredicate = CoreData.NSComparisonPredicate\n"))
        let own = try TargetGeneration(
            try input("", "import CoreData\ntypealias NSExpression = CoreData.NSExpression", in: folder))
        #expect(own.sources[TargetGeneration.listFile]?.contains("typealias NSExpression") == false)
    }

    @Test("a module with a type CoreData, which hides the framework's name, has a list that compiles")
    func typeWithNameOfFramework() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let made = try TargetGeneration(try input("", "import CoreData\nfinal class CoreData {}", in: folder))
        let list = try #require(made.sources[TargetGeneration.listFile])
        #expect(list.contains("_OpenCoreDataClasses") && !list.contains("CoreData."))
    }

    @Test("a fault of a model is an error, and nothing is made") func faults() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let broken = try input("<entity name=\"A\" parentEntity=\"B\"/>", "", in: folder)
        #expect(throws: GenerationFailure.self) { try TargetGeneration(broken) }
        let unreadable = try input("<entity", "", in: folder)
        do {
            _ = try TargetGeneration(unreadable)
            Issue.record("It was made.")
        } catch let failure as GenerationFailure {
            // The model is read for classes and for compiling, but reported once.
            #expect(failure.diagnostics.count == 1)
            #expect(failure.description.contains("M.xcdatamodel/contents:"))
        }
    }

    @Test("the change of an entity changes one file of classes") func shards() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        func entities(_ extra: String) -> String {
            (0..<20).map {
                "<entity name=\"E\($0)\" representedClassName=\"E\($0)\" codeGenerationType=\"class\">\($0 == 7 ? extra : "")</entity>"
            }.joined(separator: "\n")
        }
        let before = try TargetGeneration(try input(entities(""), "", in: folder)).sources
        let extra = "<attribute name=\"x\" attributeType=\"String\"/>"
        let after = try TargetGeneration(try input(entities(extra), "", in: folder)).sources
        #expect(before.count == TargetGeneration.shardCount + 2)
        let changed = before.keys.filter { before[$0] != after[$0] && $0.contains("Classes-") }
        #expect(changed.count == 1)
    }

    @Test("options are read from JSON; nonsense is an error") func options() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let url = folder.url.appendingPathComponent("o.json")
        try Data("{\"style\": \"modern\"}".utf8).write(to: url)
        let options = try GenerationOptions(contentsOf: url)
        #expect(options.style == .modern && options.access == .public)
        try Data("{\"style\": \"baroque\"}".utf8).write(to: url)
        #expect(throws: GenerationFailure.self) { try GenerationOptions(contentsOf: url) }
    }

    @Test("one class for entities of two models is an error; two entities of two models are not") func twoModels()
        throws
    {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        func input(_ second: String) throws -> TargetGeneration.Input {
            let entity = "<entity name=\"Shelf\" representedClassName=\"Shelf\" codeGenerationType=\"class\"/>"
            let files = ["A.xcdatamodel/contents": "<model>\n\(entity)\n</model>", "B.xcdatamodel/contents": second]
            let root = folder.url.appendingPathComponent("t")
            try AtomicWrite.folder(files.mapValues { Data($0.utf8) }, to: root)
            let models = ["A.xcdatamodel", "B.xcdatamodel"].map { root.appendingPathComponent($0) }
            return TargetGeneration.Input(module: "App", models: models, sources: [])
        }
        var found: [Diagnostic] = []
        let twin =
            "<model>\n\n<entity name=\"Rack\" representedClassName=\"Shelf\" codeGenerationType=\"category\"/></model>"
        do { _ = try TargetGeneration(try input(twin)) } catch let failure as GenerationFailure {
            found = failure.diagnostics
        }
        #expect(found.map(\.line) == [3])
        #expect(found.first?.file.hasSuffix("B.xcdatamodel/contents") == true)
        #expect(
            found.first?.message.hasPrefix("'Rack': Its class 'Shelf' is generated for 'Shelf' in A.xcdatamodel")
                == true)
        let manual = try TargetGeneration(try input(twin.replacing("category", with: "")))
        #expect(manual.diagnostics.isEmpty && manual.models.count == 2)
    }

    @Test("a model may name a class as Objective-C does") func objectiveCNames() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let source = """
            #if canImport(ObjectiveC)
                @objc(CDBook)
            #endif
            final class Book: NSManagedObject { @NSManaged var title: String? }
            """
        let entity =
            "<entity name=\"Book\" representedClassName=\"CDBook\"><attribute name=\"title\" attributeType=\"String\"/></entity>"
        let result = try TargetGeneration(try input(entity, source, in: folder))
        let document = try ModelDocument(modelFile: try #require(result.models["M.momd"]?["M.mom"]))
        #expect(document.entities.map(\.className) == ["App.Book"])
        #expect(result.sources[TargetGeneration.accessorFile]?.contains("{ _string(0, \"title\") }") == true)
        #expect(result.sources[TargetGeneration.listFile]?.contains("classes.append((Book.self, ") == true)
    }

    @Test("a public class with properties of the standard library's types needs no public import")
    func imports() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        func text(_ type: String) throws -> String {
            let source = "public class A: NSManagedObject { @NSManaged public var x: \(type) }"
            let result = try TargetGeneration(try input("", source, in: folder))
            return try #require(result.sources[TargetGeneration.accessorFile])
        }
        #expect(try text("String?").contains("\nimport CoreData\n"))
        #expect(try text("Date?").contains("\npublic import CoreData\n"))
    }

    @Test(
        "the allocations for a model grow with its entities, not with their square",
        .enabled(if: ocd_counts_allocations()))
    func growth() throws {
        let few = try blocks(entities: 40)
        let many = try blocks(entities: 160)
        #expect(Double(many) < Double(few) * 4 * 1.3, "\(few) blocks for 40 entities, \(many) for 160")
    }

    /// The heap blocks of all the tool's work for a model.
    private func blocks(entities count: Int) throws -> Int64 {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let entities = (0..<count).map { number in
            let attributes = (0..<15).map { "<attribute name=\"a\($0)\" optional=\"YES\" attributeType=\"String\"/>" }
            return
                "<entity name=\"E\(number)\" representedClassName=\"E\(number)\" codeGenerationType=\"class\">\(attributes.joined())"
                + "<relationship name=\"next\" maxCount=\"1\" destinationEntity=\"E\((number + 1) % count)\" inverseName=\"last\"/>"
                + "<relationship name=\"last\" toMany=\"YES\" destinationEntity=\"E\((number + count - 1) % count)\" inverseName=\"next\"/></entity>"
        }
        let input = try input(entities.joined(separator: "\n"), "", in: folder)
        let start = ocd_allocations()
        let result = try TargetGeneration(input)
        let blocks = ocd_allocations() - start
        let classes = result.sources.filter { $0.key.contains("Classes-") }.values.joined()
        #expect(classes.components(separatedBy: ": NSManagedObject {").count == count + 1)
        return blocks
    }
}
