// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compares the SQL and the rows of a fetch with literals, and rewrites these when `COREDATA_RECORD=1`.

// Apple's framework does not explain its fetches.
#if !canImport(ObjectiveC)
    import CoreData
    import Foundation
    import Testing

    /// Expects the SQL of a fetch and its rows:
    ///
    ///     try assertFetch(request, in: context, columns: ["name", "age"]) {
    ///         """
    ///         SELECT t0.Z_ENT, t0.Z_PK FROM ZPERSON t0 WHERE (t0.ZAGE = ?)
    ///         """
    ///     } rows: {
    ///         """
    ///         name | age
    ///         Bob  | 20
    ///         """
    ///     }
    ///
    /// The SQL is that of `NSFetchRequest.explain(in:)`; a line for each part that is done in memory follows. Line
    /// breaks in it do not count. Rows of a request without sort descriptors are in the order of their text. The
    /// predicate must have the same matches when it is evaluated in memory, so the request has no limit.
    ///
    /// With `COREDATA_RECORD=1` in the environment, differing literals are rewritten in the source file, and the test
    /// fails.
    ///
    /// - Parameter columns: key paths of the values to show.
    func assertFetch(
        _ request: NSFetchRequest<NSManagedObject>, in context: NSManagedObjectContext, columns: [String],
        sql: () -> String, rows: () -> String, at location: SourceLocation = #_sourceLocation
    ) throws {
        let explanation = try request.explain(in: context)
        let objects = try context.fetch(request)
        let actual = FetchRecord(
            sql: FetchRecord.text(of: explanation),
            rows: FetchRecord.table(of: objects, columns, isSorted: request.sortDescriptors?.isEmpty == false))
        let expected = FetchRecord(sql: sql(), rows: rows())
        if !actual.equals(expected), ProcessInfo.processInfo.environment["COREDATA_RECORD"] == "1" {
            try FetchRecorder.shared.record(actual, at: location)
        }
        #expect(FetchRecord.words(actual.sql) == FetchRecord.words(expected.sql), sourceLocation: location)
        #expect(actual.rows == expected.rows, sourceLocation: location)
        let predicate = try #require(request.predicate, sourceLocation: location)
        let all = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: request.entityName ?? ""))
        let matches = Set(all.filter { predicate.evaluate(with: $0) })
        #expect(matches == Set(objects), "\(predicate) in memory", sourceLocation: location)
    }

    /// Expects that a fetch is refused, with a message:
    ///
    ///     try assertRefused(request, in: context) { "no store evaluates ANYKEY" }
    ///
    /// - Parameter message: a part of the error's text.
    func assertRefused(
        _ request: NSFetchRequest<NSManagedObject>, in context: NSManagedObjectContext, message: () -> String,
        at location: SourceLocation = #_sourceLocation
    ) throws {
        let failure = #expect(throws: (any Error).self, sourceLocation: location) { try context.fetch(request) }
        let text = "\(try #require(failure, sourceLocation: location))"
        #expect(text.contains(message()), "\(text)", sourceLocation: location)
    }

    /// The literals of one assertion.
    struct FetchRecord {
        var sql: String
        var rows: String

        func equals(_ other: FetchRecord) -> Bool {
            Self.words(sql) == Self.words(other.sql) && rows == other.rows
        }

        /// Line breaks and indentation do not count.
        static func words(_ text: String) -> String {
            text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }

        static func text(of explanation: FetchExplanation) -> String {
            explanation.stores.flatMap { store in
                [store.sql ?? "no SQL"] + store.inMemory.map { "in memory: \($0)" }
            }.flatMap { wrapped($0) }.joined(separator: "\n")
        }

        /// Lines of at most 96 characters, broken at spaces.
        private static func wrapped(_ text: String) -> [String] {
            var lines: [String] = []
            for word in text.split(separator: " ") {
                if let last = lines.last, last.count + word.count < 96 {
                    lines[lines.count - 1] = "\(last) \(word)"
                } else {
                    lines.append(lines.isEmpty ? String(word) : "    \(word)")
                }
            }
            return lines
        }

        static func table(of objects: [NSManagedObject], _ columns: [String], isSorted: Bool) -> String {
            var rows = objects.map { object in columns.map { cell(object.value(forKeyPath: $0)) } }
            if !isSorted { rows.sort { $0.lexicographicallyPrecedes($1) } }
            let all = [columns] + rows
            let widths = columns.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
            return all.map { row in
                let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
                let line = cells.joined(separator: " | ")
                return String(line.reversed().drop { $0 == " " }.reversed())
            }.joined(separator: "\n")
        }

        private static func cell(_ value: Any?) -> String {
            switch value {
            case nil: "nil"
            case let text as String: text.replacing("\n", with: "\\n")
            case let date as Date: "\(date.timeIntervalSinceReferenceDate) s"
            case let data as Data: data.map { String($0, radix: 16) }.joined(separator: " ")
            case let object as NSManagedObject: cell(object.value(forKey: "name"))
            case let set as NSSet: "{\(set.map { cell($0) }.sorted().joined(separator: ", "))}"
            case let value?: "\(value)"
            }
        }
    }

    /// Rewrites the literals of assertions in their source files.
    private final class FetchRecorder: @unchecked Sendable {  // variables are guarded by `lock`
        static let shared = FetchRecorder()

        private let lock = NSLock()
        /// The source as it was compiled, and the records by the line of their assertion.
        private var files: [String: (lines: [String], records: [Int: FetchRecord])] = [:]

        struct NoLiteral: Error { var place: SourceLocation }

        func record(_ record: FetchRecord, at place: SourceLocation) throws {
            try lock.withLock {
                let path = "\(place.filePath)"
                if files[path] == nil {
                    let text = try String(contentsOfFile: path, encoding: .utf8)
                    files[path] = (text.components(separatedBy: "\n"), [:])
                }
                files[path]?.records[place.line] = record
                guard let (lines, records) = files[path] else { return }
                var result = lines
                for (line, record) in records.sorted(by: { $0.key > $1.key }) {
                    guard let end = Self.end(of: line - 1, in: lines) else { throw NoLiteral(place: place) }
                    let indent = String(lines[line - 1].prefix { $0 == " " })
                    result.replaceSubrange(end.head...end.tail, with: Self.literals(record, indent, lines[end.head]))
                }
                try result.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
            }
        }

        /// The line on which the first closure of an assertion begins, and the line on which the second one ends.
        private static func end(of start: Int, in lines: [String]) -> (head: Int, tail: Int)? {
            let indent = lines[start].prefix { $0 == " " }
            guard let head = lines[start...].firstIndex(where: { $0.hasSuffix(") {") }) else { return nil }
            guard let middle = lines[head...].firstIndex(of: "\(indent)} rows: {") else { return nil }
            guard let tail = lines[middle...].firstIndex(of: "\(indent)}") else { return nil }
            return (head, tail)
        }

        private static func literals(_ record: FetchRecord, _ indent: String, _ head: String) -> [String] {
            func literal(_ text: String) -> [String] {
                let mark = text.contains("\\") ? "#" : ""
                let lines = text.components(separatedBy: "\n").map { $0.isEmpty ? "" : "\(indent)    \($0)" }
                return ["\(indent)    \(mark)\"\"\""] + lines + ["\(indent)    \"\"\"\(mark)"]
            }
            return [head] + literal(record.sql) + ["\(indent)} rows: {"] + literal(record.rows) + ["\(indent)}"]
        }
    }
#endif
