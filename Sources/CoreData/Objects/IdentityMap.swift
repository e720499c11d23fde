// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One object per record per context, held weakly.

import CRuntime
import Foundation

/// The registered objects of one context below one root entity of one store, by key.
///
/// Objects are held without a reference count of their own (Swift's `weak` costs 48 bytes an object). A cell holds a
/// plain
/// pointer; a look-up takes the lock and tries to retain; an object's deinit clears its cell under the same lock, so a
/// pointer
/// found in a cell always points at memory that is still there. Objects may die on any thread, hence the lock.
///
/// # Invariants
/// (1) A registered object is found under its own key, and belongs to the context.
final class IdentityMap: @unchecked Sendable {  // everything is guarded by `lock`
    /// A page: its cells, and behind them how many of them are in use. What was used once and is empty now is not walked through.
    private typealias Cells = UnsafeMutablePointer<UnsafeMutableRawPointer?>

    private static let pageSize = 256
    private static let directPages: Int64 = 16_384

    /// That of all maps of the context.
    let sharedLock: ObjectLock
    private let lock: UnsafeMutablePointer<ocd_lock>
    @exclusivity(unchecked) private var direct: ContiguousArray<Cells?> = []
    @exclusivity(unchecked) private var sparse: [Int64: Cells] = [:]
    @exclusivity(unchecked) private(set) var count = 0
    /// The page that was asked for last: temporary keys are given, and replaced, in a row.
    @exclusivity(unchecked) private var lastSparse: (page: Int64, cells: Cells)?

    /// Told of what comes and goes; nil for most stores.
    private let registrations: RegistrationLog?

    init(_ lock: ObjectLock = ObjectLock(), registrations: RegistrationLog? = nil) {
        sharedLock = lock
        self.lock = lock.word
        self.registrations = registrations
    }

    deinit {
        for cells in direct { cells?.deallocate() }
        for cells in sparse.values { cells.deallocate() }
    }

    /// The registered object, retained; nil where there is none.
    @inline(__always) func object(_ key: Int64) -> NSManagedObject? {
        ocd_acquire(lock)
        defer { ocd_release(lock) }
        return lockedObject(key)?.takeRetainedValue()
    }

    /// The same, retained by hand, for who has the lock.
    @inline(__always) func lockedObject(_ key: Int64) -> Unmanaged<NSManagedObject>? {
        guard let cell = cell(key), let pointer = cell.pointee, ocd_try_retain(pointer) != nil else { return nil }
        return .fromOpaque(pointer)
    }

    func register(_ object: NSManagedObject, _ key: Int64) {
        let pointer = Unmanaged.passUnretained(object).toOpaque()
        if let registrations { registrations.note(ObjectKey(object.table.layout.index, key), isRegistered: true) }
        ocd_acquire(lock)
        defer { ocd_release(lock) }
        let cell = makeCell(key)
        if cell.pointee == nil { noteUse(of: cell, key, 1) }
        cell.pointee = pointer
    }

    /// Clears the cell if it is the object's own.
    ///
    /// - Parameter body: what is done under the same lock.
    @inline(__always) func unregister(_ object: NSManagedObject, _ key: Int64, alongWith body: () -> Void = {}) {
        ocd_acquire(lock)
        let isOwn = clear(Unmanaged.passUnretained(object).toOpaque(), key)
        body()
        ocd_release(lock)
        guard isOwn, let registrations else { return }
        registrations.note(ObjectKey(object.table.layout.index, key), isRegistered: false)
    }

    @inline(__always) private func clear(_ pointer: UnsafeMutableRawPointer, _ key: Int64) -> Bool {
        guard let cell = cell(key), cell.pointee == pointer else { return false }
        cell.pointee = nil
        noteUse(of: cell, key, -1)
        return true
    }

    /// All objects that are alive, in the order of their keys where keys are dense.
    func objects() -> [NSManagedObject] {
        ocd_acquire(lock)
        defer { ocd_release(lock) }
        var result: [NSManagedObject] = []
        result.reserveCapacity(count)
        for page in direct + ContiguousArray(sparse.values.map { Optional($0) }) {
            guard let page, Self.use(page).pointee > 0 else { continue }
            for index in 0..<Self.pageSize {
                guard let pointer = page[index], ocd_try_retain(pointer) != nil else { continue }
                result.append(Unmanaged<NSManagedObject>.fromOpaque(pointer).takeRetainedValue())
            }
        }
        return result
    }

    @inline(__always) private func noteUse(of cell: Cells, _ key: Int64, _ change: Int) {
        count += change
        Self.use(cell - Int(key & 255)).pointee += change
    }

    @inline(__always) private static func use(_ page: Cells) -> UnsafeMutablePointer<Int> {
        UnsafeMutableRawPointer(page + pageSize).assumingMemoryBound(to: Int.self)
    }

    @inline(__always) private func cell(_ key: Int64) -> Cells? {
        let page = key >> 8
        if page >= 0, page < Int64(direct.count) { return direct[Int(page)].map { $0 + Int(key & 255) } }
        return sparse.isEmpty ? nil : sparseCells(page).map { $0 + Int(key & 255) }
    }

    private func sparseCells(_ page: Int64) -> Cells? {
        if let lastSparse, lastSparse.page == page { return lastSparse.cells }
        guard let cells = sparse[page] else { return nil }
        lastSparse = (page, cells)
        return cells
    }

    private func makeCell(_ key: Int64) -> Cells {
        if let cell = cell(key) { return cell }
        let cells = Cells.allocate(capacity: Self.pageSize + 1)
        cells.initialize(repeating: nil, count: Self.pageSize)
        UnsafeMutableRawPointer(cells + Self.pageSize).bindMemory(to: Int.self, capacity: 1).initialize(to: 0)
        let page = key >> 8
        if page >= 0, page < Self.directPages {
            while Int64(direct.count) <= page { direct.append(nil) }
            direct[Int(page)] = cells
        } else {
            sparse[page] = cells
        }
        return cells + Int(key & 255)
    }
}
