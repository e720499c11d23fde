// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// `coredata-sync-server` in a process: its shapes, and the places of errors in their file.
import CoreData
import CoreDataSync
import CoreDataSyncProtocol
import Foundation
import Testing

@Suite("coredata-sync-server") struct ServerProgramTests {
    private static let model = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Models/Notes.xcdatamodeld")
    private static let tokens = """
        token-of-ann-0123456789 ann level:integer=2
        token-of-bob-0123456789 bob level:integer=0
        """

    /// A folder with files, and a process that ends with it.
    private final class Program {
        let folder: URL
        let process = Process()
        private let (output, errors) = (Pipe(), Pipe())

        init(tokens: String, shapes: String) throws {
            folder = FileManager.default.temporaryDirectory.appendingPathComponent("sync-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let files = ["tokens": tokens, "shapes.json": shapes]
            for (name, text) in files { try Data(text.utf8).write(to: folder.appendingPathComponent(name)) }
            let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            process.executableURL = URL(fileURLWithPath: own).deletingLastPathComponent()
                .appendingPathComponent("coredata-sync-server")
            let paths = ["Server.sqlite", "tokens", "shapes.json"].map { folder.appendingPathComponent($0).path }
            process.arguments = [model.path, paths[0], "--port", "0", "--tokens", paths[1], "--shapes", paths[2]]
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = output
            process.standardError = errors
            try process.run()
        }

        deinit {
            if process.isRunning { process.terminate() }
            process.waitUntilExit()
            try? FileManager.default.removeItem(at: folder)
        }

        /// The address that the running program prints; nil if it ends instead.
        func address() -> URL? {
            var line = Data()
            while !line.contains(UInt8(ascii: "\n")) {
                let bytes = output.fileHandleForReading.availableData
                if bytes.isEmpty { return nil }
                line += bytes
            }
            return URL(string: String(decoding: line, as: UTF8.self).trimmingCharacters(in: .newlines))
        }

        /// The status and the errors of a program that ends at once.
        func end() -> (status: Int32, errors: String) {
            let text = errors.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return (process.terminationStatus, String(decoding: text, as: UTF8.self))
        }
    }

    static let wrong: [(shapes: String, place: String)] = [
        ("{", "the file is no JSON"),
        (#"{"shapes": []}"#, "shapes: there is none"),
        (#"{"shapes": [{"name": "a"}]}"#, "shapes[0].entity: the value is missing"),
        (#"{"shapes": [{"name": "a", "entity": 7}]}"#, "shapes[0].entity: the value has another type"),
        (#"{"shapes": [{"name": "a", "entity": "Note", "where": "x"}]}"#, "shapes[0].where: there is no such key"),
        (#"{"shapes": [{"name": "a", "entity": "Note"}], "leaving": "no"}"#, "leaving: the value is not one of"),
        (
            #"{"shapes": [{"name": "a", "entity": "Note"}, {"name": "a", "entity": "Tag"}]}"#,
            "shapes[1].name: 'a' occurs twice"
        ),
        (#"{"shapes": [{"name": "a", "entity": "Nothing"}]}"#, "the shape 'a' cannot be evaluated"),
        (#"{"shapes": [{"name": "a", "entity": "Note", "predicate": "body =="}]}"#, "'ann'"),
        (#"{"shapes": [{"name": "a", "entity": "Note", "predicate": "body == $other"}]}"#, "'ann'"),
        (#"{"shapes": [{"name": "a", "entity": "Note", "predicate": "nothing == 1"}]}"#, "shape 'a'"),
        (#"{"shapes": [{"name": "a", "entity": "Note", "follows": ["list.nothing"]}]}"#, "list.nothing"),
    ]

    @Test("a wrong file of shapes ends the program with the file and the place", arguments: wrong)
    func errors(shapes: String, place: String) throws {
        let (status, text) = try Program(tokens: Self.tokens, shapes: shapes).end()
        #expect(status == 2)
        #expect(text.contains("shapes.json"))
        #expect(text.lowercased().contains(place.lowercased()), "\(text)")
    }

    @Test("a variable of an unknown type is an error of the file of tokens")
    func variables() throws {
        let program = try Program(tokens: "token-of-ann-0123456789 ann level:number=2", shapes: "{}")
        let (status, text) = program.end()
        #expect(status == 2)
        #expect(text.contains("line 1: The types of variables"))
    }

    /// The titles that a new device of a user gets.
    private func titles(_ program: Program, _ address: URL, _ user: String) async throws -> [String] {
        let device = try device(program)
        _ = try await client(device, address, user).syncNow()
        let context = device.newBackgroundContext()
        return try context.performAndWait {
            try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note"))
                .compactMap { $0.value(forKey: "title") as? String }.sorted()
        }
    }

    private func device(_ program: Program) throws -> NSPersistentContainer {
        let model = try #require(NSManagedObjectModel(contentsOf: Self.model))
        return try NoteServer.store(model, program.folder.appendingPathComponent(UUID().uuidString + ".sqlite"))
    }

    private func client(_ device: NSPersistentContainer, _ address: URL, _ user: String) throws -> SyncClient {
        try SyncClient(container: device, server: address, credentials: .token("token-of-\(user)-0123456789"))
    }

    @Test("users have the records of the shapes with their variables, and none leaves them")
    func shapes() async throws {
        let shapes = """
            {"shapes": [{"name": "own", "entity": "Note", "predicate": "body == $user"},
                        {"name": "open", "entity": "Note", "predicate": "edits < $level"}], "leaving": "refused"}
            """
        let program = try Program(tokens: Self.tokens, shapes: shapes)
        let address = try #require(program.address())
        let device = try device(program)
        let context = device.newBackgroundContext()
        try context.performAndWait {
            for (title, body, edits) in [("Ann's", "ann", 9), ("Open", "all", 1), ("Lost", "bob", 9)] {
                let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
                note.setValue(title, forKey: "title")
                note.setValue(body, forKey: "body")
                note.setValue(edits, forKey: "edits")
                try context.save()
            }
        }
        let ann = try client(device, address, "ann")
        #expect(try await ann.syncNow().refused == 1)
        let refused = try await ann.refusedChanges()
        #expect(refused.first?.reasons.map(\.code) == [SyncErrorCode.notPermitted.rawValue])
        #expect(try await titles(program, address, "ann") == ["Ann's", "Open"])
        #expect(try await titles(program, address, "bob") == [])
    }
}
