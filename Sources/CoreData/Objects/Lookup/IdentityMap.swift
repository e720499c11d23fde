// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One object per record per context, held weakly.

import CRuntime
import Foundation

/// The registered objects of one context below one root entity of one store, by key.
///
/// The map does not retain its objects: a cell holds a `WeakWord`. An object's deinit clears its cell under the same
/// lock that a look-up takes. Objects may die on any thread, hence the lock.
///
/// # Invariants
/// (1) A registered object is found under its key, and belongs to the context.
/// (2) Of the empty pages, one stays in place, so that single objects that come and go do not allocate it each time.
///     Another one is kept for reuse with other keys.
final class IdentityMap: @unchecked Sendable {  // everything is guarded by `lock`
    private typealias Cells = Page<WeakWord<NSManagedObject>>

    private static let directPages: Int64 = 16_384

    /// The lock that all maps of the context share.
    let sharedLock: ObjectLock
    private let lock: UnsafeMutablePointer<ocd_lock>
    @exclusivity(unchecked) private var direct: ContiguousArray<Cells?> = []
    @exclusivity(unchecked) private var sparse: [Int64: Cells] = [:]
    @exclusivity(unchecked) private(set) var count = 0
    /// The page of the last look-up: temporary keys are assigned, and replaced, in sequence.
    @exclusivity(unchecked) private var lastSparse: (page: Int64, cells: Cells)?

    /// The page that became empty last.
    @exclusivity(unchecked) private var emptied: Int64?
    /// An unused page (2).
    @exclusivity(unchecked) private var spare: Cells?

    /// Records registrations and their ends; nil for most stores.
    private let registrations: RegistrationLog?

    init(_ lock: ObjectLock = ObjectLock(), registrations: RegistrationLog? = nil) {
        sharedLock = lock
        self.lock = lock.word
        self.registrations = registrations
    }

    deinit {
        for cells in direct { cells?.free() }
        for cells in sparse.values { cells.free() }
        spare?.free()
    }

    /// The registered object, or nil.
    @inline(__always) func object(_ key: Int64) -> NSManagedObject? {
        ocd_acquire(lock)
        defer { ocd_release(lock) }
        return lockedObject(key)
    }

    /// The same, for a caller that holds the lock.
    @inline(__always) func lockedObject(_ key: Int64) -> NSManagedObject? {
        cells(PageKey.page(key))?[PageKey.position(key)]?.object
    }

    func register(_ object: NSManagedObject, _ key: Int64) {
        if let registrations { registrations.note(ObjectKey(object.table.layout.index, key), isRegistered: true) }
        ocd_acquire(lock)
        defer { ocd_release(lock) }
        let page = PageKey.page(key)
        let cells = cells(page) ?? makeCells(page)
        let position = PageKey.position(key)
        if cells[position] == nil { noteUse(of: cells, 1) }
        cells[position] = WeakWord(object)
    }

    /// Clears the cell if it refers to the object.
    @inline(__always) func unregister(_ object: NSManagedObject, _ key: Int64) {
        ocd_acquire(lock)
        let isOwn = lockedUnregister(object, key)
        ocd_release(lock)
        if isOwn { noteEnd(of: object, key) }
    }

    /// The same, for a caller that holds the lock, and that calls `noteEnd` after releasing it.
    ///
    /// - Returns: whether the cell referred to the object.
    @inline(__always) func lockedUnregister(_ object: NSManagedObject, _ key: Int64) -> Bool {
        let position = PageKey.position(key)
        guard let cells = cells(PageKey.page(key)), cells[position]?.isOf(object) == true else { return false }
        cells[position] = nil
        noteUse(of: cells, -1)
        if cells.count == 0 { noteEmpty(PageKey.page(key)) }
        return true
    }

    private func noteEmpty(_ page: Int64) {
        defer { emptied = page }
        guard let last = emptied, last != page, let cells = cells(last), cells.count == 0 else { return }
        if last >= 0, last < Int64(direct.count) {
            direct[Int(last)] = nil
        } else {
            sparse[last] = nil
            lastSparse = nil
        }
        if spare == nil { spare = cells } else { cells.free() }
    }

    /// The number of pages: each has memory for all its keys.
    var pageCount: Int {
        ocd_acquire(lock)
        defer { ocd_release(lock) }
        return direct.count { $0 != nil } + sparse.count + (spare == nil ? 0 : 1)
    }

    /// Records for the store that an object is no longer registered.
    @inline(__always) func noteEnd(of object: NSManagedObject, _ key: Int64) {
        registrations?.note(ObjectKey(object.table.layout.index, key), isRegistered: false)
    }

    /// All live objects, in the order of their keys if the keys are dense.
    func objects() -> [NSManagedObject] {
        ocd_acquire(lock)
        defer { ocd_release(lock) }
        var result: [NSManagedObject] = []
        result.reserveCapacity(count)
        for page in direct + ContiguousArray(sparse.values.map { Optional($0) }) {
            guard let page, page.count > 0 else { continue }
            for position in 0..<PageKey.pageSize {
                if let object = page[position]?.object { result.append(object) }
            }
        }
        return result
    }

    @inline(__always) private func noteUse(of cells: Cells, _ change: Int) {
        count += change
        cells.count += change
    }

    @inline(__always) private func cells(_ page: Int64) -> Cells? {
        if page >= 0, page < Int64(direct.count) { return direct[Int(page)] }
        return sparse.isEmpty ? nil : sparseCells(page)
    }

    private func sparseCells(_ page: Int64) -> Cells? {
        if let lastSparse, lastSparse.page == page { return lastSparse.cells }
        guard let cells = sparse[page] else { return nil }
        lastSparse = (page, cells)
        return cells
    }

    private func makeCells(_ page: Int64) -> Cells {
        let cells = spare ?? Cells()
        spare = nil
        if page >= 0, page < Self.directPages {
            while Int64(direct.count) <= page { direct.append(nil) }
            direct[Int(page)] = cells
        } else {
            sparse[page] = cells
        }
        return cells
    }
}
