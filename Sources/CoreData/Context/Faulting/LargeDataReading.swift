// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Retries reading data from a file, if the file of an attribute cannot be read.

import Foundation

/// Called when the file of a value could not be read. LargeData-E7 and E8.
struct LargeDataReading {
    let scope: ReadScope
    let failures: ReadFailures
    let model: ModelLayout

    /// - Returns: the data of the present row; nil if that row has none. If its file cannot be read either, the result
    ///   is nil, and the next `save()` throws.
    func data(at slot: Int, of object: NSManagedObject) -> Any? {
        guard let box = object.snapshot?.box(slot) else { return nil }
        do {
            return try box.read()
        } catch {
            do {
                // Another process may have replaced the data and removed the file.
                guard error.isMissing, let row = try currentRow(object), row.layout === object.table.layout else {
                    throw error
                }
                guard let newer = row.box(slot) else { return nil }
                let value = try newer.read()
                box.follow(newer)
                return value
            } catch let second {
                note(error, second, slot, object)
                return nil
            }
        }
    }

    private func note(_ file: UnreadableFile, _ second: any Error, _ slot: Int, _ object: NSManagedObject) {
        failures.note(
            CoreDataError.unreadableData(
                file.url, attribute: object.table.layout.properties[slot].qualifiedName, id: object.objectID,
                underlying: (second as? UnreadableFile)?.underlying ?? second))
    }

    /// The row as the store has it now, or at the moment of the context's generation.
    private func currentRow(_ object: NSManagedObject) throws -> Snapshot? {
        guard let store = object.table.records, let records = try scope.records(of: store) else { return nil }
        let root = model.layouts[object.table.layout.rootIndex]
        return try records.rows([object.key], root: root, in: nil).first?.snapshot
    }
}

extension Snapshot {
    /// Whether a file of the row's value is missing.
    func hasLostFile(_ slot: Int) -> Bool {
        guard layout[slot].kind == .box, let box = box(slot) else { return false }
        return box.files.contains { !FileManager.default.fileExists(atPath: $0.url.path) }
    }
}
