// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The scenario of full-text search: the most relevant notes, compared with FTS5 through SQLite's C interface.

import CoreData
import Foundation

enum SearchScenario: Scenario {
    static let name = "full-text search"
    private static let limit = 20

    static func run(_ stage: Stage) throws -> [Finding] {
        let count = stage.size(100_000)
        let notes = RandomTexts()
        let context = try stage.searchedStore()
        for first in stride(from: 0, to: count, by: 10_000) {
            try write(first..<min(first + 10_000, count), notes, to: context)
        }
        let plain = try PlainNotes(stage.newFile(), notes, count: count)
        // A word of about one note of 100, and a pair of a frequent and a rare one.
        let rare = (0..<40).map { "w\(400 + $0)" }
        let pairs = (0..<40).map { "w\($0 % 5) w\(300 + $0)" }
        func ratio(_ words: [String]) throws -> Double {
            try stage.ratio {
                try context.performAndWait {
                    let time = try stage.time { for text in words { try search(text, context) } }
                    context.reset()
                    return time
                }
            } to: {
                try stage.time { for text in words { try plain.search(text, limit: limit) } }
            }
        }
        var next = count
        let saves = try stage.ratio {
            next += 1000
            return try stage.time { try write(next..<next + 1000, notes, to: context) }
        } to: {
            next += 1000
            return try stage.time { try plain.insert(next..<next + 1000, notes) }
        }
        return [
            finding(
                "the first 20 notes with a word, to FTS5", try ratio(rare), "×", atMost: 1.3,
                because: "FTS5 finds the same rows; 20 objects are made besides"),
            finding(
                "the first 20 notes with two words, to FTS5", try ratio(pairs), "×", atMost: 1.3,
                because: "the same work"),
            finding(
                "a save of 1,000 notes, to insertions with the same triggers", saves, "×", atMost: 1.2,
                because: "FTS5 splits the texts in both"),
        ]
    }

    private static func search(_ text: String, _ context: NSManagedObjectContext) throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
        request.fetchLimit = limit
        let found = try context.search(try SearchQuery(text), in: request)
        guard !found.isEmpty, found.allSatisfy({ ($0.object.value(forKey: "text") as? String)?.isEmpty == false })
        else {
            throw BenchmarkFailure("\(found.count) notes with \(text)")
        }
    }

    private static func write(_ numbers: Range<Int>, _ notes: RandomTexts, to context: NSManagedObjectContext) throws {
        try context.performAndWait {
            for number in numbers {
                let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
                note.setValue(notes.text(number), forKey: "text")
            }
            try context.save()
            context.reset()
        }
    }
}

/// Texts of 60 words; the word with the number n is in about one of n texts.
private struct RandomTexts {
    func text(_ number: Int) -> String {
        var state = UInt64(number) &* 0x9E37_79B9_7F4A_7C15 | 1
        return (0..<60).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let share = Double(state >> 11) / Double(1 << 53)
            return "w\(Int(pow(5000, share)))"
        }.joined(separator: " ")
    }
}

extension Stage {
    fileprivate func searchedStore() throws -> NSManagedObjectContext {
        let note = NSEntityDescription()
        (note.name, note.managedObjectClassName) = ("Note", "NSManagedObject")
        let text = NSAttributeDescription()
        (text.name, text.attributeType, text.isOptional) = ("text", .stringAttributeType, true)
        text.isIndexedBySpotlight = true
        note.properties = [text]
        let model = NSManagedObjectModel()
        model.entities = [note]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: newFile(), options: [NSFullTextIndexOption: true])
        return context(coordinator)
    }
}

/// The same notes in a table with FTS5's external content, and the triggers of its documentation.
private final class PlainNotes {
    private let database: RawDatabase
    private let query: RawStatement
    private let insertion: RawStatement

    init(_ file: URL, _ notes: RandomTexts, count: Int) throws {
        database = try RawDatabase(file, tuning: .asFramework)
        try database.execute(
            """
            CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT);
            CREATE VIRTUAL TABLE words USING fts5(text, content='note', content_rowid='id',
                tokenize='unicode61 remove_diacritics 2');
            CREATE TRIGGER added AFTER INSERT ON note BEGIN
                INSERT INTO words (rowid, text) VALUES (NEW.id, NEW.text); END
            """)
        query = try database.prepare(
            "SELECT n.id, n.text FROM words JOIN note AS n ON n.id = words.rowid WHERE words MATCH ? ORDER BY rank LIMIT ?"
        )
        insertion = try database.prepare("INSERT INTO note (id, text) VALUES (?, ?)")
        for first in stride(from: 0, to: count, by: 10_000) { try insert(first..<min(first + 10_000, count), notes) }
    }

    func insert(_ numbers: Range<Int>, _ notes: RandomTexts) throws {
        try database.transaction {
            for number in numbers {
                insertion.bind(Int64(number + 1), 1)
                insertion.bind(notes.text(number), 2)
                try insertion.run()
            }
        }
    }

    func search(_ text: String, limit: Int) throws {
        query.bind(text, 1)
        query.bind(Int64(limit), 2)
        var count = 0
        while try query.step() { count += query.text(1).isEmpty ? 0 : 1 }
        query.reset()
        if count == 0 { throw BenchmarkFailure("no note with \(text)") }
    }
}
