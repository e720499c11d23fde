// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads data from a file again, where the file of an attribute cannot be read.

import Foundation

/// Called when a value leads to a file and the file could not be read. LargeData-E7 and E8.
struct LargeDataReading {
    let scope: ReadScope
    let failures: ReadFailures
    let model: ModelLayout

    /// - Returns: the data as the row names it now. Nil where the row has none any more; where it cannot be read
    ///   either, the next `save()` throws.
    func data(at slot: Int, of object: NSManagedObject) -> Any? {
        guard let box = object.snapshot?.box(slot), let file = box.externalData else { return nil }
        do {
            do {
                return try file.read()
            } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
                // Another process may have replaced the data and removed the file.
                guard let row = try currentRow(object), row.layout === object.table.layout else { throw error }
                guard let newer = row.box(slot) else { return nil }
                if let other = newer.externalData { _ = try other.read() }
                box.follow(newer)
                return newer.value
            }
        } catch {
            failures.note(
                CoreDataError.unreadableData(
                    file.url, attribute: object.table.layout.properties[slot].qualifiedName, id: object.objectID,
                    underlying: error))
            return nil
        }
    }

    /// The row as the store has it, or had it at the moment that the context is pinned to.
    private func currentRow(_ object: NSManagedObject) throws -> Snapshot? {
        guard let store = object.table.records, let records = try scope.records(of: store) else { return nil }
        let root = model.layouts[object.table.layout.rootIndex]
        return try records.rows([object.key], root: root, in: nil).first?.snapshot
    }
}

extension NSManagedObjectContext {
    func largeData(at slot: Int, of object: NSManagedObject) -> Any? {
        LargeDataReading(scope: state.scope, failures: state.failures, model: state.registry.model)
            .data(at: slot, of: object)
    }
}

extension Snapshot {
    /// Whether the file that the row names is gone.
    func hasLostFile(_ slot: Int) -> Bool {
        guard layout[slot].kind == .box, let file = box(slot)?.externalData else { return false }
        return !FileManager.default.fileExists(atPath: file.url.path)
    }
}
