// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Plans that are worked out once per store and entity.

import Foundation
import Synchronization

/// Any thread.
final class PlanCache: @unchecked Sendable {  // guarded by `lock`
    private let schema: Schema
    private let lock = NSLock()
    private var families: [Int: RowPlan] = [:]
    private var inserts: [Int: RowPlan] = [:]
    private var texts: [FetchShape: ReadyText] = [:]
    private var lastText: ReadyText?

    /// Whether a table was found to hold rows that belong to no object. Then statements leave out such rows by condition; before,
    /// decoding does, which costs sound files nothing.
    var excludesForeignRows: Bool { foundForeignRows.load(ordering: .acquiring) }
    private let foundForeignRows = Atomic(false)

    init(schema: Schema) { self.schema = schema }

    /// Makes all statements from now on leave out rows that belong to no object.
    func excludeForeignRows() {
        lock.withLock {
            foundForeignRows.store(true, ordering: .releasing)
            texts = [:]
            lastText = nil
        }
    }

    /// Rows of an entity and everything below it.
    func rows(_ layout: EntityLayout, includesSubentities: Bool) -> RowPlan {
        // Without subentities it is another plan; the bit keeps the two apart.
        let key = layout.index * 2 + (includesSubentities ? 1 : 0)
        return lock.withLock {
            if let plan = families[key] { return plan }
            let layouts = includesSubentities ? layout.familyIndexes.map { schema.model.layouts[$0] } : [layout]
            let plan = RowPlan(schema: schema, layouts: layouts)
            families[key] = plan
            return plan
        }
    }

    /// The SQL of a fetch of this shape, once it was built.
    func text(_ shape: FetchShape) -> ReadyText? {
        lock.withLock {
            // Look-ups come in runs: comparing shapes costs less than hashing one.
            if let lastText, lastText.shape == shape { return lastText }
            guard let text = texts[shape] else { return nil }
            lastText = text
            return text
        }
    }

    /// The same for the shape of a plain question, which is mostly that of the one before.
    func text(_ question: PlainQuestion) -> ReadyText? {
        lock.withLock {
            if let lastText, lastText.shape.isShape(of: question) { return lastText }
            guard let text = texts[FetchShape(question)] else { return nil }
            lastText = text
            return text
        }
    }

    /// - Parameter excludesForeignRows: whether the text has the conditions for it.
    func keep(_ text: ReadyText, excludesForeignRows: Bool) {
        lock.withLock {
            guard excludesForeignRows == self.excludesForeignRows else { return }
            // Programs have few shapes; whoever makes them up endlessly begins anew now and then.
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

/// The SQL of a fetch, and what its columns mean, where they are those of rows.
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
