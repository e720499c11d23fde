// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A part of the row cache: the rows of every eighth page, under one lock.

import CRuntime

/// The parts of a row cache, found by page.
struct RowCacheParts: ~Copyable {
    /// Eight: more would take memory in each store, and few machines have more threads that read at the same moment.
    fileprivate static let bits: Int64 = 3
    private static let count = 1 << Int(bits)
    private var parts = CountedList<RowCachePart>()

    init() { for number in 0..<Self.count { parts.set(RowCachePart(), at: number) } }

    @inline(__always) private func number(_ root: Int, _ key: Int64) -> Int {
        Int((PageKey.page(key) &+ Int64(root)) & (1 << Self.bits - 1))
    }

    @inline(__always) func number(of row: Uncounted<Snapshot>, _ key: Int64) -> Int {
        number(row.look { $0.rootIndex }, key)
    }

    @inline(__always) subscript(number: Int) -> Uncounted<RowCachePart> {
        guard let part = parts[number] else { preconditionFailure("The row cache has no part \(number).") }
        return part
    }

    @inline(__always) subscript(root: Int, key: Int64) -> Uncounted<RowCachePart> { self[number(root, key)] }

    func forEach(_ body: (RowCachePart) -> Void) {
        for number in 0..<Self.count { self[number].look(body) }
    }
}

/// All methods but `locked` are called under the lock.
final class RowCachePart {
    @exclusivity(unchecked) private var lock = ocd_lock()
    /// By the index of the root entity.
    @exclusivity(unchecked) private var tables = CountedList<Table>()
    @exclusivity(unchecked) private var count = 0
    @exclusivity(unchecked) private var sweepAt = RowCachePart.least
    /// Two locks in one line of the processor's cache would disturb each other.
    private let distance = (0, 0, 0, 0)

    /// 20,000 rows in all parts.
    private static let least = 20_000 >> Int(RowCacheParts.bits)

    @inline(__always) func locked<T>(_ body: () throws -> T) rethrows -> T {
        ocd_acquire(&lock)
        defer { ocd_release(&lock) }
        return try body()
    }

    /// Valid while the lock is held.
    @inline(__always) func heldRow(_ root: Int, _ key: Int64) -> Uncounted<Snapshot>? {
        tables[root]?.look { $0.heldRow(key) } ?? nil
    }

    func hasRows(_ root: Int, nextTo key: Int64) -> Bool { tables[root]?.look { $0.hasRows(nextTo: key) } == true }

    /// Adds a row that the caller retains, unless the present one has a later version.
    @inline(__always) func put(_ key: Int64, _ row: Uncounted<Snapshot>) {
        if table(row.look { $0.rootIndex }).look({ $0.put(key, row) }) { count += 1 }
    }

    /// Applies Objects-R4.
    func putIndeterminate(_ row: FetchedRow) {
        let table = table(row.snapshot.rootIndex)
        guard let known = table.look({ $0.heldRow(row.key)?.object }) else { return }
        if known.version < row.snapshot.version {
            set(row.key, row.snapshot, in: table)
        } else if known.version == row.snapshot.version, known !== row.snapshot, known.layout.hasDerivedAttributes {
            set(row.key, nil, in: table)
        }
    }

    /// Replaces a row, or drops it.
    func set(_ root: Int, _ key: Int64, _ row: Snapshot?) {
        if row != nil { set(key, row, in: table(root)) } else if let table = tables[root] { set(key, nil, in: table) }
    }

    private func set(_ key: Int64, _ row: Snapshot?, in table: Uncounted<Table>) {
        let hadRow = table.look { $0.exchange(key, row) }
        count += (row == nil ? 0 : 1) - (hadRow ? 1 : 0)
    }

    func removeAll() {
        tables.removeAll()
        count = 0
    }

    @inline(__always) func sweepIfLarge() { if count > sweepAt { sweep() } }

    func sweep() {
        for root in 0..<tables.count { count -= tables[root]?.look { $0.dropUnshared() } ?? 0 }
        sweepAt = max(Self.least, count * 2)
    }

    var pageCount: Int { (0..<tables.count).reduce(0) { $0 + (tables[$1]?.look { $0.pageCount } ?? 0) } }

    private func table(_ root: Int) -> Uncounted<Table> {
        if let table = tables[root] { return table }
        let table = Table()
        tables.set(table, at: root)
        return Uncounted(table)
    }

    /// Rows by key, in pages: keys of a store are dense. Each row is retained once.
    private final class Table {
        private typealias Rows = CountedPage<Snapshot>

        /// Keys up to four million have their page in an array, others in a dictionary.
        private static let directPages: Int64 = 16_384
        /// At every eighth page: the others are in other parts.
        @exclusivity(unchecked) private var direct: ContiguousArray<Rows?> = []
        @exclusivity(unchecked) private var sparse: [Int64: Rows] = [:]

        deinit { for page in pages { page.free() } }

        private var pages: [Rows] { direct.compactMap { $0 } + sparse.values }

        /// Where a page is in the array, if it is there.
        @inline(__always) private static func place(_ page: Int64) -> Int { Int(page >> RowCacheParts.bits) }

        /// Valid while the part's lock is held.
        @inline(__always) func heldRow(_ key: Int64) -> Uncounted<Snapshot>? { page(key)?[PageKey.position(key)] }

        func hasRows(nextTo key: Int64) -> Bool { page(key).map { $0.count > 0 } ?? false }

        /// Adds a row, unless the present one has a later version.
        ///
        /// - Returns: whether the number of rows has grown.
        @inline(__always) func put(_ key: Int64, _ row: Uncounted<Snapshot>) -> Bool {
            let page = page(key) ?? makePage(key)
            let position = PageKey.position(key)
            guard let known = page[position] else {
                page.set(row, at: position)
                page.count += 1
                return true
            }
            if known.look({ $0.version }) <= row.look({ $0.version }) { page.set(row, at: position) }
            return false
        }

        /// - Returns: whether there was a row before.
        func exchange(_ key: Int64, _ row: Snapshot?) -> Bool {
            guard let page = page(key) ?? (row == nil ? nil : makePage(key)) else { return false }
            let position = PageKey.position(key)
            let hadRow = page[position] != nil
            page.count += (row == nil ? 0 : 1) - (hadRow ? 1 : 0)
            page.set(row.map { Uncounted($0) }, at: position)
            if page.count == 0 { free(PageKey.page(key)) }
            return hadRow
        }

        private func free(_ page: Int64) {
            if isDirect(page) {
                free(at: Self.place(page))
            } else {
                sparse.removeValue(forKey: page)?.free()
            }
        }

        private func free(at place: Int) {
            direct[place]?.free()
            direct[place] = nil
        }

        var pageCount: Int { pages.count }

        @inline(__always) private func isDirect(_ page: Int64) -> Bool {
            page >= 0 && page < Self.directPages && Self.place(page) < direct.count
        }

        @inline(__always) private func page(_ key: Int64) -> Rows? {
            let page = PageKey.page(key)
            if isDirect(page) { return direct[Self.place(page)] }
            return sparse.isEmpty ? nil : sparse[page]
        }

        private func makePage(_ key: Int64) -> Rows {
            let made = Rows()
            let page = PageKey.page(key)
            if page >= 0, page < Self.directPages {
                while direct.count <= Self.place(page) { direct.append(nil) }
                direct[Self.place(page)] = made
            } else {
                sparse[page] = made
            }
            return made
        }

        /// - Returns: the number of dropped rows.
        func dropUnshared() -> Int {
            var dropped = 0
            for place in direct.indices {
                guard let page = direct[place] else { continue }
                dropped += Self.dropUnshared(page)
                if page.count == 0 { free(at: place) }
            }
            for (number, page) in sparse {
                dropped += Self.dropUnshared(page)
                if page.count == 0 { free(number) }
            }
            return dropped
        }

        private static func dropUnshared(_ page: Rows) -> Int {
            var dropped = 0
            for position in 0..<PageKey.pageSize where page.isUnshared(position) {
                page.set(nil, at: position)
                dropped += 1
            }
            page.count -= dropped
            return dropped
        }
    }
}
