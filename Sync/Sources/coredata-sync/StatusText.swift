// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The state and the rounds of a client as text and as JSON.
import CoreDataSync
import CoreDataSyncProtocol
import Foundation

/// Lines of columns, each as wide as its longest word.
struct Columns {
    private var rows: [[String]]

    init(_ head: [String]) { rows = [head] }

    mutating func add(_ row: [String]) { rows.append(row) }

    var text: String {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        let lines = rows.map { row in
            let cells = zip(row, widths).map { cell, width in
                cell + String(repeating: " ", count: width - cell.count)
            }
            var line = "  " + cells.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

/// The state for people.
struct StatusText {
    private let status: SidecarStatus

    init(_ status: SidecarStatus) { self.status = status }

    /// "1 change", "2 changes".
    private static func count(_ number: Int, _ noun: String, _ plural: String? = nil) -> String {
        "\(number) " + (number == 1 ? noun : plural ?? noun + "s")
    }

    private var again: String { status.marked > 0 ? ", \(status.marked) of them sent again by the next sync" : "" }

    var text: String {
        let changes = status.batches.map(\.changes).reduce(0, +)
        var text = """
            replica   \(status.replica?.uuidString ?? "none yet")
            revision  \(status.revision) of the server is applied
            objects   \(status.objects) with a name
            synced    \(status.lastSuccess.map(Moment.text) ?? "never")
            waiting   \(Self.count(changes, "change")) in \(Self.count(status.batches.count, "batch", "batches"))
            refused   \(Self.count(status.refused.count, "change"))\(again)

            """
        if let failure = status.lastFailure, failure.last > status.lastSuccess ?? .distantPast,
            let error = failure.error
        {
            text += "error     \(Moment.text(failure.last)), \(Self.count(failure.times, "time")): "
            text += "\(error.domain) \(error.code), \(error.text)\n"
        }
        if !status.batches.isEmpty {
            var columns = Columns(["batch", "changes", "entities"])
            for batch in status.batches {
                let entities = batch.entities.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
                let text = entities.joined(separator: ", ")
                columns.add([
                    "\(batch.number)", "\(batch.changes)",
                    batch.isDamaged ? "damaged: the next sync captures it again" : text,
                ])
            }
            text += "\nwaiting\n" + columns.text
        }
        if !status.refused.isEmpty {
            var columns = Columns(["date", "change", "entity", "record", "code", "key", "reason"])
            for refused in status.refused {
                for reason in RefusalFields(refused).reasons {
                    columns.add([
                        Moment.text(refused.date), refused.change.kind.rawValue, refused.change.entity,
                        refused.change.name.uuidString, "\(reason.domain) \(reason.code)", reason.key ?? "-",
                        reason.text,
                    ])
                }
            }
            text += "\nrefused\n" + columns.text
        }
        return text
    }
}

/// The rounds for people.
struct LogText {
    private let rounds: [SyncRound]

    init(_ rounds: [SyncRound]) { self.rounds = rounds }

    var text: String {
        guard !rounds.isEmpty else { return "There was no round yet.\n" }
        var columns = Columns([
            "date", "times", "sent", "refused", "superseded", "inserted", "updated", "deleted", "error",
        ])
        for round in rounds {
            let report = round.report
            let numbers = [
                round.times, report.sent, report.refused, report.superseded, report.inserted, report.updated,
                report.deleted,
            ]
            let error = round.error.map { "\($0.domain) \($0.code): \($0.text)" } ?? ""
            columns.add([Moment.text(round.last)] + numbers.map(String.init) + [error])
        }
        return columns.text
    }
}

/// Times in UTC, to the second.
enum Moment {
    static func text(_ date: Date) -> String { ISO8601DateFormatter().string(from: date) }
}

/// The state for programs.
struct StatusFields: Encodable {
    private struct Batch: Encodable {
        var number: Int64
        var changes: Int
        var entities: [String: Int]
        var isDamaged: Bool
    }

    private let replica: String?
    private let revision: Int64
    private let objects: Int
    private let waiting: [Batch]
    private let refused: [RefusalFields]
    private let resending: Int
    private let lastSuccess: Date?
    private let lastFailure: SyncRound?

    init(_ status: SidecarStatus) {
        replica = status.replica?.uuidString
        revision = status.revision
        objects = status.objects
        waiting = status.batches.map {
            Batch(number: $0.number, changes: $0.changes, entities: $0.entities, isDamaged: $0.isDamaged)
        }
        refused = status.refused.map(RefusalFields.init)
        resending = status.marked
        lastSuccess = status.lastSuccess
        lastFailure = status.lastFailure
    }
}

/// A refused change without its values.
struct RefusalFields: Encodable {
    let id: String
    let date: Date
    let kind: String
    let entity: String
    let record: String
    /// The reasons that name the record; all reasons of its transactions if none does.
    let reasons: [SyncRefusal]

    init(_ refused: RefusedChange) {
        id = refused.id.uuidString
        date = refused.date
        kind = refused.change.kind.rawValue
        entity = refused.change.entity
        record = refused.change.name.uuidString
        let own = refused.reasons.filter { $0.name == refused.change.name }
        reasons = own.isEmpty ? refused.reasons : own
    }
}
