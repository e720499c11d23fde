// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Exports all rows of a view as CSV or JSON, a piece at a time.

import CoreData
import CoreDataToolKit
import Foundation

extension Site {
    private static let pieceSize = 500

    /// - Parameter file: the entity with ".csv" or ".json".
    func export(_ session: StudioSession, _ file: String, _ query: [String: String]) async throws -> SiteResponse {
        guard let dot = file.lastIndex(of: "."), case let ending = file[file.index(after: dot)...],
            ["csv", "json"].contains(ending)
        else { throw SiteFailure.notFound }
        let name = String(file[..<dot])
        let definition = try ViewDefinition(entityName: name, query: query)
        let hidden = Set((query["hide"] ?? "").split(separator: ",").map(String.init))
        let isJSON = ending == "json"
        // A mistake in the filter is reported, without starting a file.
        let columns = try await session.read { desk in
            let entity = try desk.entity(name)
            _ = try definition.request(desk.store, entity)
            return Column.all(of: entity).map { hidden.contains($0.name) ? nil : $0.name }
        }
        let place = ExportPlace()
        let stream = AsyncThrowingStream<Data, any Error> {
            guard let from = place.next else { return nil }
            let (total, rows) = try await session.read { desk in
                let entity = try desk.entity(name)
                let request = try definition.request(desk.store, entity)
                let reading = RowReading(desk.store, entity)
                let (total, objects) = try desk.objects(definition, request, from: from, count: Self.pieceSize)
                return (total, try reading.rows(objects, namesMembers: false))
            }
            let end = from + rows.count
            let isLast = end >= total || rows.isEmpty
            place.next = isLast ? nil : end
            let text =
                isJSON
                ? Self.json(rows, columns, isFirst: from == 0, isLast: isLast)
                : Self.csv(rows, columns, isFirst: from == 0)
            return Data(text.utf8)
        }
        var response = SiteResponse(
            type: isJSON ? "application/json" : "text/csv; charset=utf-8", body: .stream(stream))
        let plain = name.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
        response.headers["content-disposition"] = "attachment; filename=\"\(plain).\(ending)\""
        return response
    }

    private static func csv(_ rows: [Row], _ columns: [String?], isFirst: Bool) -> String {
        let head = isFirst ? CSVText.line(["objectID"] + columns.compactMap(\.self)) : ""
        return head + rows.map { row in CSVText.line([row.id] + shown(row, columns).map(\.1.csvText)) }.joined()
    }

    private static func json(_ rows: [Row], _ columns: [String?], isFirst: Bool, isLast: Bool) -> String {
        let lines = rows.map { row in
            let members =
                [JSONValue.Member("objectID", .string(row.id))]
                + shown(row, columns).map { JSONValue.Member($0.0, $0.1.json) }
            return "  " + JSONValue.object(members).text
        }
        return (isFirst ? "[\n" : lines.isEmpty ? "" : ",\n") + lines.joined(separator: ",\n") + (isLast ? "\n]\n" : "")
    }

    private static func shown(_ row: Row, _ columns: [String?]) -> [(String, Cell)] {
        zip(columns, row.cells).compactMap { name, cell in name.map { ($0, value(cell)) } }
    }

    private static func value(_ cell: GridCell) -> Cell {
        switch cell.content {
        case .value(let value): value
        case .link(let name): .object(name.id)
        case .members(let total, _, _): .integer(Int64(total))
        }
    }
}

/// The place of an export. Only its stream uses it, one call after the other.
private final class ExportPlace: @unchecked Sendable {
    var next: Int? = 0
}
