// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Caches plans and statements by store, entity and shape of a fetch.

import Foundation
import Synchronization

/// Thread-safe.
final class PlanCache: @unchecked Sendable {  // guarded by `lock`
    private let schema: Schema
    private let lock = NSLock()
    private var families: [Int: RowPlan] = [:]
    private var inserts: [Int: RowPlan] = [:]
    private var texts: [FetchShape: ReadyText] = [:]
    private var lastText: ReadyText?

    /// Whether a table contains rows that belong to no object. Statements then exclude them by a condition; before
    /// that, decoding detects them, which costs intact files nothing.
    var excludesForeignRows: Bool { foundForeignRows.load(ordering: .acquiring) }
    private let foundForeignRows = Atomic(false)

    init(schema: Schema) { self.schema = schema }

    /// Makes all later statements exclude rows that belong to no object.
    func excludeForeignRows() {
        lock.withLock {
            foundForeignRows.store(true, ordering: .releasing)
            texts = [:]
            lastText = nil
        }
    }

    /// The plan for rows of an entity and, if asked for, its subentities.
    func rows(_ layout: EntityLayout, includesSubentities: Bool) -> RowPlan {
        // A plan without subentities is a different one; the lowest bit distinguishes the two.
        let key = layout.index * 2 + (includesSubentities ? 1 : 0)
        return lock.withLock {
            if let plan = families[key] { return plan }
            let layouts = includesSubentities ? layout.familyIndexes.map { schema.model.layouts[$0] } : [layout]
            let plan = RowPlan(schema: schema, layouts: layouts)
            families[key] = plan
            return plan
        }
    }

    /// The cached SQL for fetches of this shape.
    func text(_ shape: FetchShape) -> ReadyText? {
        lock.withLock {
            // Look-ups often repeat a shape, and comparing two shapes is cheaper than hashing one.
            if let lastText, lastText.shape == shape { return lastText }
            guard let text = texts[shape] else { return nil }
            lastText = text
            return text
        }
    }

    /// The cached SQL for a plain question. Its shape usually equals the previous one.
    func text(_ question: PlainQuestion) -> ReadyText? {
        lock.withLock {
            if let lastText, lastText.shape.isShape(of: question) { return lastText }
            guard let text = texts[FetchShape(question)] else { return nil }
            lastText = text
            return text
        }
    }

    /// - Parameter excludesForeignRows: whether the text contains the conditions against foreign rows.
    func keep(_ text: ReadyText, excludesForeignRows: Bool) {
        lock.withLock {
            guard excludesForeignRows == self.excludesForeignRows else { return }
            // Programs have few shapes. Emptying the cache now and then bounds it for programs with endlessly many.
            if texts.count > 1000 { texts = [:] }
            texts[text.shape] = text
        }
    }

    /// The columns that an insertion of an entity writes.
    func insert(_ layout: EntityLayout) -> RowPlan {
        lock.withLock {
            if let plan = inserts[layout.index] { return plan }
            let plan = RowPlan(schema: schema, layouts: [layout], includesDerived: false)
            inserts[layout.index] = plan
            return plan
        }
    }
}

/// The SQL of a fetch, with the meaning of its columns if they are those of rows.
final class ReadyText: Sendable {
    let shape: FetchShape
    let sql: String
    let plan: RowPlan

    init(shape: FetchShape, sql: String, plan: RowPlan) {
        self.shape = shape
        self.sql = sql
        self.plan = plan
    }
}
