// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Caches recently used statements by their SQL.

/// A bounded cache of statements by their SQL, with eviction of the least recently used.
///
/// A statement is reused only when no other code retains it: two simultaneous users of one text, for example nested
/// loops, get two statements.
struct StatementCache {
    private struct Slot {
        var sql: String
        var statement: Statement
        var lastUse: UInt64
    }

    private var slots: [Slot] = []
    private var indexes: [String: Int] = [:]
    private var clock: UInt64 = 0
    /// The most recently used slot. Its text is usually requested again as the same string, which is compared quickly.
    private var latest = 0

    /// 0 turns the cache off.
    let capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    var texts: Set<String> { Set(indexes.keys) }

    /// A statement for the text, reset and without values. Calls `prepare` if none is free.
    mutating func statement(
        for sql: String, prepare: (String) throws(SQLiteError) -> Statement
    ) throws(SQLiteError) -> Statement {
        clock &+= 1
        if let index = index(of: sql) {
            latest = index
            slots[index].lastUse = clock
            guard isKnownUniquelyReferenced(&slots[index].statement) else { return try prepare(sql) }
            let statement = slots[index].statement
            statement.reset()
            statement.clearBindings()
            return statement
        }
        let statement = try prepare(sql)
        guard capacity > 0 else { return statement }
        if slots.count >= capacity { evictOldest() }
        indexes[sql] = slots.count
        slots.append(Slot(sql: sql, statement: statement, lastUse: clock))
        return statement
    }

    private func index(of sql: String) -> Int? {
        latest < slots.count && slots[latest].sql == sql ? latest : indexes[sql]
    }

    mutating func removeAll() {
        slots = []
        indexes = [:]
    }

    /// Scans all slots, but only when a statement is prepared, which costs far more.
    private mutating func evictOldest() {
        guard let oldest = slots.indices.min(by: { slots[$0].lastUse < slots[$1].lastUse }) else { return }
        indexes[slots[oldest].sql] = nil
        let last = slots.removeLast()
        if oldest < slots.count {
            slots[oldest] = last
            indexes[last.sql] = oldest
        }
    }
}
