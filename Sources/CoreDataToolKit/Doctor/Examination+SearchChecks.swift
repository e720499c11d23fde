// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Checks the full-text indexes and the indexes of values of a store.

import CoreData
import Foundation
import SQLiteDriver

extension Examination {
    func checkSearch() throws {
        for index in try StoreTables.searchIndexes(store.connection) { try check(index) }
    }

    func checkValueIndexes() throws {
        guard let model = store.model, store.tables != nil else { return }
        for index in try StoreTables.valueIndexes(store.connection, model: model) {
            let repair = Repair(.statements(index.remaking), "The index is made anew; the next opening reads the rows.")
            guard index.isKept else {
                try note(
                    "paths.trigger", nil, index.name,
                    "The index of values \(index.name) has not the tables and triggers that keep it in step with "
                        + "\(index.content).",
                    repair: repair)
                continue
            }
            let rows = try index.differences(store.connection)
            if rows == 0 { continue }
            try note(
                "paths.entry", nil, index.name, count: rows, objects: [],
                "The index of values \(index.name) differs from \(index.content) in \(Self.rows(rows)).", repair: repair
            )
        }
    }

    private func check(_ index: StoreTables.SearchIndex) throws {
        guard try store.connection.tableExists(index.content) else { return }
        guard index.isKept else {
            return try note(
                "search.trigger", nil, index.name,
                "The full-text index \(index.name) has not the triggers that keep it in step with \(index.content).",
                repair: Repair(
                    .statements(index.remaking), "The index is made anew from the rows of \(index.content)."))
        }
        let (rows, isEqual) = try index.differences(store.connection)
        if rows == 0, isEqual { return }
        let text = rows > 0 ? "in \(Self.rows(rows))" : "in its words"
        try note(
            "search.entry", nil, index.name, count: max(rows, 1), objects: [],
            "The full-text index \(index.name) differs from \(index.content) \(text).",
            repair: Repair(.statements([index.filling]), "The index is filled anew from the rows of \(index.content)."))
    }
}
