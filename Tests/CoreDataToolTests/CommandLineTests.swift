// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The command line: exit codes, refusals, and the output on each stream.

import CoreDataModelFiles
import Foundation
import SQLiteDriver
import Testing

@testable import CoreDataToolKit

@Suite("The command line") struct CommandLineTests {
    private func run(_ arguments: String..., in folder: TemporaryFolder) throws -> ToolProgram.Outcome {
        try ToolProgram.run(arguments, in: folder)
    }

    // MARK: Ends

    @Test("a closed pipe ends the program without a word", .needsPrograms)
    func closedPipe() throws {
        let garage = try Garage(cars: 3000)
        let process = try ToolProgram.process(
            "coredata-tool", ["query", "Garage.sqlite", "Car", "--format", "ndjson"], in: garage.folder)
        let pipe = Pipe()
        process.standardOutput = pipe
        try ToolProgram.start(process)
        let start = try pipe.fileHandleForReading.read(upToCount: 10)
        #expect(start?.count == 10)
        try pipe.fileHandleForReading.close()
        ToolProgram.waitForEnd(of: process)
        #expect([SIGPIPE, 128 + SIGPIPE].contains(process.terminationStatus))
        #expect(try ToolProgram.errors(in: garage.folder) == "")
    }

    @Test("a signal leaves neither a copy of the store nor a half-written file", .needsPrograms)
    func signals() throws {
        let garage = try Garage(cars: 3000)
        let folder = try TemporaryFolder()
        let temporary = try TemporaryFolder()
        try StreamingTests.kill(garage.url, copiedTo: folder.url.appendingPathComponent("Garage.sqlite"))
        // An unread pipe holds the program in the midst of its answer.
        let process = try ToolProgram.process(
            "coredata-tool", ["query", "Garage.sqlite", "Car", "--format", "ndjson"], in: folder)
        process.environment = ["TMPDIR": temporary.url.path]
        let pipe = Pipe()
        process.standardOutput = pipe
        try ToolProgram.start(process)
        _ = try pipe.fileHandleForReading.read(upToCount: 10)
        #expect(try temporary.contents.count == 1)
        process.terminate()
        ToolProgram.waitForEnd(of: process)
        #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGTERM)
        #expect(try temporary.contents.isEmpty)
    }

    @Test("stores that keep no model are compared, exported and recovered with a given one", .needsPrograms)
    func storesWithoutModel() throws {
        let garage = try Garage()
        let connection = try Connection(url: garage.url, options: .init(access: .readWrite))
        try connection.execute("DROP TABLE Z_MODELCACHE")
        _ = try connection.checkpoint(.truncate)
        try connection.close()
        let model = ["--model", "Garage.xcdatamodel"]
        let export = try ToolProgram.run(["export", "Garage.sqlite", "-o", "Out"] + model, in: garage.folder)
        #expect(export.status == 0, "\(export)")
        #expect(try run("import", "Out", "-o", "New.sqlite", in: garage.folder).status == 0)
        let without = try run("diff", "Garage.sqlite", "New.sqlite", in: garage.folder)
        #expect(without.status == 2 && without.errors.contains("keeps no model: give one with --model"), "\(without)")
        // The output claims no equality before that.
        #expect(without.output.isEmpty, "\(without)")
        let models = try run("diff", "Garage.sqlite", "Garage.sqlite", "--model-only", in: garage.folder)
        #expect(
            models.status == 0 && models.errors.contains("keeps no model: this is what its tables tell"), "\(models)")
        let with = try ToolProgram.run(["diff", "Garage.sqlite", "New.sqlite"] + model, in: garage.folder)
        #expect(with.status == 0 && with.output.contains("The models are equal."), "\(with)")
        let recovery = try ToolProgram.run(
            ["recover", "Garage.sqlite", "-o", "Saved.sqlite"] + model, in: garage.folder)
        #expect(recovery.status == 0 && recovery.output.contains("Nothing was lost."), "\(recovery)")
    }

    @Test("a store and a model are compared by their models", .needsPrograms) func storeAndModel() throws {
        let garage = try Garage()
        let equal = try run("diff", "Garage.sqlite", "Garage.xcdatamodel", in: garage.folder)
        #expect(equal.status == 0 && equal.output == "The models are equal.\n", "\(equal)")
        let data = try run("diff", "Garage.sqlite", "Garage.xcdatamodel", "--data-only", in: garage.folder)
        #expect(data.status == 2 && data.errors.contains("A model has no data"), "\(data)")
    }

    @Test("a refused import leaves no file next to the store", .needsPrograms, arguments: [true, false])
    func refusedImport(isDry: Bool) throws {
        let garage = try Garage()
        let records = #"{"objectID": "Car/1", "name": "car 1", "sets": 3}"#
        try Data((records + "\n").utf8).write(to: garage.folder.url.appendingPathComponent("cars.jsonl"))
        let words = [
            "import", "cars.jsonl", "--into", "Garage.sqlite", "--upsert", "Car.name", isDry ? "--dry-run" : "--yes",
        ]
        let before = try Set(garage.folder.contents.keys)
        let refused = try ToolProgram.run(words, in: garage.folder)
        #expect(refused.status == 2 && refused.errors.contains("Car has no property 'sets'"), "\(refused)")
        let after = try Set(garage.folder.contents.keys).subtracting(before)
        #expect(after.isSubset(of: ["err", "out"]), "\(after)")
        try Data((records.replacing("sets", with: "seats") + "\n").utf8)
            .write(to: garage.folder.url.appendingPathComponent("cars.jsonl"))
        let done = try ToolProgram.run(words, in: garage.folder)
        #expect(done.status == 0 && done.output.hasPrefix("1 object to update, 0 to insert.\n"), "\(done)")
        let names = try garage.folder.contents.keys
        #expect(!names.contains { $0.hasSuffix("-wal") || $0.hasSuffix("-shm") }, "\(names)")
    }

    @Test(
        "a place where nothing can be made is named with the reason", .needsPrograms,
        arguments: ["export", "snapshot", "recover", "import"])
    func impossiblePlace(command: String) throws {
        let garage = try Garage()
        #expect(try run("export", "Garage.sqlite", "-o", "Out", in: garage.folder).status == 0)
        let source = command == "import" ? "Out" : "Garage.sqlite"
        let outcome = try run(command, source, "-o", "Garage.sqlite/New.sqlite", in: garage.folder)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("Garage.sqlite/New.sqlite cannot be made: Not a directory"), "\(outcome)")
    }

    @Test("the version is printed, and a misspelt command is guessed", .needsPrograms)
    func versionAndGuess() throws {
        let folder = try TemporaryFolder()
        let version = try run("--version", in: folder)
        #expect(version.status == 0 && version.output.hasPrefix("coredata-tool 0."))
        let guess = try run("qeury", "x", in: folder)
        #expect(guess.status == 2)
        #expect(guess.errors.hasPrefix("coredata-tool: There is no command 'qeury'. Did you mean 'query'?"))
    }

    @Test("every failure begins with the name of the program", .needsPrograms)
    func oneForm() throws {
        let garage = try Garage()
        let commands = [
            ["query", "Garage.sqlite", "Car", "--limit", "-3"], ["query", "Garage.sqlite", "Car", "--offset", "-1"],
            ["query", "Garage.sqlite", "Car", "--format", "pdf"], ["query", "Garage.sqlite"], ["describe", "none"],
            ["query", "Garage.sqlite", "Cra"], ["query", "Garage.sqlite", "Car", "--count", "--sort", "name"],
            ["query", "Garage.sqlite", "Car", "-o", "x.png"], ["compile", "none.xcdatamodel"],
        ]
        for command in commands {
            let outcome = try ToolProgram.run(command, in: garage.folder)
            #expect(outcome.status != 0 && outcome.output.isEmpty, "\(command)")
            let isPlaced = outcome.errors.contains(": error: ")  // of a file, as compilers say it
            #expect(outcome.errors.hasPrefix("coredata-tool: ") || isPlaced, "\(command): \(outcome.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: garage.folder.url.appendingPathComponent("x.png").path))
    }

    @Test("a pipe in place of a store is refused at once", .needsPrograms)
    func fifo() throws {
        let folder = try TemporaryFolder()
        #expect(mkfifo(folder.url.appendingPathComponent("pipe").path, 0o600) == 0)
        let outcome = try run("describe", "pipe", in: folder)
        #expect(outcome.status == 2 && outcome.errors.contains("is no file but a pipe"))
    }

    // MARK: Files

    @Test("the ending of an output file gives the format, and --force overwrites it", .needsPrograms)
    func outputFiles() throws {
        let garage = try Garage()
        let file = garage.folder.url.appendingPathComponent("cars.ndjson")
        let window = ["--select", "name", "--limit", "2", "--offset", "1"]
        let command = ["query", "Garage.sqlite", "Car"] + window + ["-o", "cars.ndjson"]
        let first = try ToolProgram.run(command, in: garage.folder)
        #expect(first.status == 0 && first.output.isEmpty, "\(first.errors)")
        let text = try String(contentsOf: file, encoding: .utf8)
        let lines = [#"{"objectID": "Car/2", "name": "car 2"}"#, #"{"objectID": "Car/3", "name": "car 3"}"#]
        #expect(text == lines.map { $0 + "\n" }.joined())
        let second = try ToolProgram.run(command, in: garage.folder)
        #expect(second.status == 2)
        #expect(second.errors == "coredata-tool: cars.ndjson is there already: --force writes over it.\n")
        #expect(try ToolProgram.run(command + ["--force"], in: garage.folder).status == 0)
        let names = try garage.folder.contents.keys.filter { $0.hasPrefix(".cars") }
        #expect(names.isEmpty)
        let counted = try run("query", "Garage.sqlite", "Car", "--count", "--where", "seats > 3", in: garage.folder)
        #expect(counted.output == "2\n")
    }

    @Test("an output that cannot be written whole leaves the old file", .needsPrograms)
    func failedOutput() throws {
        let garage = try Garage()
        let outcome = try run("query", "Garage.sqlite", "Car", "-o", "missing/cars.csv", in: garage.folder)
        #expect(outcome.status == 2 && outcome.errors.hasPrefix("coredata-tool: missing/cars.csv cannot be written"))
    }

    @Test("a pipe or a device is written to, and not replaced by a file", .needsPrograms)
    func outputPipe() throws {
        let garage = try Garage()
        let path = garage.folder.url.appendingPathComponent("pipe").path
        #expect(mkfifo(path, 0o600) == 0)
        let end = open(path, O_RDWR)  // so that the program does not wait for a reader
        defer { close(end) }
        let outcome = try run("query", "Garage.sqlite", "Car", "--count", "-o", "pipe", in: garage.folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        var bytes = [UInt8](repeating: 0, count: 2)
        #expect(read(end, &bytes, 2) == 2 && bytes == Array("5\n".utf8))
        let type = try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
        #expect(type != nil && type != .typeRegular)
    }

    @Test("the model that a store keeps is decompiled, and classes are generated of it", .needsPrograms)
    func storeModel() throws {
        let garage = try Garage(classes: true)
        let decompiled = try run("decompile", "Garage.sqlite", "-o", "Kept.xcdatamodel", in: garage.folder)
        #expect(decompiled.status == 0, "\(decompiled.errors)")
        let kept = try ModelBundle.load(contentsOf: garage.folder.url.appendingPathComponent("Kept.xcdatamodel"))
        let source = try ModelBundle.load(contentsOf: garage.model)
        #expect(kept.entityHashes() == source.entityHashes())
        let again = try run("decompile", "Garage.sqlite", "-o", "Kept.xcdatamodel", in: garage.folder)
        #expect(again.status == 2 && again.errors.contains("is there already"))
        let generated = try run("generate", "Garage.sqlite", "-o", "Classes", in: garage.folder)
        #expect(generated.status == 0, "\(generated.errors)")
        let classes = try FileManager.default.contentsOfDirectory(
            atPath: garage.folder.url.appendingPathComponent("Classes").path)
        #expect(classes.sorted() == ["Car+CoreData.swift", "Person+CoreData.swift"])
        #expect(try run("generate", "Garage.sqlite", "-o", "Classes", in: garage.folder).status == 0)
        let other = try run(
            "generate", "Garage.sqlite", "--access", "internal", "-o", "Classes", in: garage.folder)
        #expect(other.status == 2 && other.errors.contains("is there already"))
    }

    @Test("an inferred model has classes and findings only with --infer", .needsPrograms) func inferredModel() throws {
        let garage = try Garage()
        let connection = try Connection(url: garage.url, options: .init(access: .readWrite))
        try connection.execute("DELETE FROM Z_MODELCACHE")
        try connection.close()
        for command in [["generate", "Garage.sqlite", "-o", "Classes"], ["lint", "Garage.sqlite"]] {
            let refused = try ToolProgram.run(command, in: garage.folder)
            #expect(refused.status == 2 && refused.errors.contains("--infer"), "\(refused.errors)")
        }
        let generated = try run("generate", "Garage.sqlite", "-o", "Classes", "--infer", in: garage.folder)
        #expect(generated.status == 0, "\(generated.errors)")
        let file = garage.folder.url.appendingPathComponent("Classes/Car+CoreData.swift")
        #expect(try String(contentsOf: file, encoding: .utf8).contains("class Car: NSManagedObject"))
        let findings = try run("lint", "Garage.sqlite", "--infer", "--format", "json", in: garage.folder)
        #expect([0, 1].contains(findings.status) && findings.output.hasPrefix("["), "\(findings.errors)")
    }

    // MARK: Models

    @Test("a model that cannot be compiled is not described", .needsPrograms)
    func brokenModel() throws {
        let folder = try TemporaryFolder()
        let model = folder.url.appendingPathComponent("Broken.xcdatamodel")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        try Data(Garage.source.replacing("destinationEntity=\"Person\"", with: "destinationEntity=\"Nobody\"").utf8)
            .write(to: model.appendingPathComponent("contents"))
        let compiled = try run("compile", "Broken.xcdatamodel", in: folder)
        let described = try run("describe", "Broken.xcdatamodel", in: folder)
        #expect(compiled.status == 2 && described.status == 2 && described.output.isEmpty)
        #expect(described.errors.contains("'Nobody' is no entity") && compiled.errors.contains("'Nobody' is no entity"))
    }

    @Test("a bundle without its current version is an error that names it", .needsPrograms)
    func badCurrentVersion() throws {
        let folder = try TemporaryFolder()
        for version in ["One", "Two"] {
            let model = folder.url.appendingPathComponent("Garage.xcdatamodeld/\(version).xcdatamodel")
            try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
            try Data(Garage.source.utf8).write(to: model.appendingPathComponent("contents"))
        }
        let plist = """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict><key>_XCCurrentVersionName</key><string>Three.xcdatamodel</string></dict></plist>
            """
        try Data(plist.utf8).write(to: folder.url.appendingPathComponent("Garage.xcdatamodeld/.xccurrentversion"))
        for command in ["describe", "compile", "generate", "diagram"] {
            let outcome = try run(command, "Garage.xcdatamodeld", in: folder)
            #expect(outcome.status == 2, "\(command)")
            let sentence = "The current version is 'Three', which is not among the versions 'One', 'Two'."
            #expect(outcome.errors.contains(sentence), "\(command): \(outcome.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: folder.url.appendingPathComponent("Garage.momd").path))
        #expect(try run("describe", "Garage.xcdatamodeld", "--model-version", "One", in: folder).status == 0)
    }
}

@Suite("Tables in terminals") struct TerminalTableTests {
    private let table = TableText(
        columns: ["id", "text", "number"], alignments: [.left, .left, .right],
        rows: [["1", String(repeating: "long ", count: 12), "3"], ["2", "short", "12345"]])

    @Test("wide columns are cut until a line fits")
    func fits() {
        let lines = table.text(width: 40).split(separator: "\n")
        #expect(lines.count == 4 && lines.allSatisfy { $0.count <= 40 }, "\(lines)")
        #expect(lines[2].contains("long") && lines[2].contains("…") && lines[3].hasSuffix("12345"))
        #expect(table.text(width: 200) == table.text)
    }

    @Test("where columns would be too narrow, each row is a block")
    func blocks() {
        let text = table.text(width: 18)
        let first = "id      1\ntext    long long…\nnumber  3\n\n"
        #expect(text == first + "id      2\ntext    short\nnumber  12345\n\n")
    }

    @Test("words that are near are recognized")
    func distances() {
        #expect(EditDistance.between("qeury", "query") == 1)
        #expect(EditDistance.between("", "port") == 4)
        #expect(EditDistance.between("describe", "describe") == 0)
        #expect(EditDistance.nearest(to: "Qeury", among: ["describe", "query"]) == "query")
        #expect(EditDistance.nearest(to: "nosuch", among: ["row.key", "query"]) == nil)
    }
}
