// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Large data beside the database: how a row names it, and what one save writes of it.

import Foundation

/// What stands in the column of an attribute that may keep its data outside.
enum ExternalColumn {
    /// Data up to this size stays in the row.
    static let largestInline = 100_000
    private static let inlineMark: UInt8 = 1
    private static let fileMark: UInt8 = 2

    static func box(_ column: Data, folder: URL?) -> ValueBox {
        switch column.first {
        case inlineMark: return ValueBox(Data(column.dropFirst()))
        case fileMark:
            guard let folder, let name = fileName(column) else { return ValueBox(column) }
            return ValueBox(file: ExternalData(name: name, folder: folder))
        default: return ValueBox(column)
        }
    }

    /// The file that a column names; nil where the data is in the row.
    static func fileName(_ column: Data) -> String? {
        guard column.first == fileMark else { return nil }
        let name = String(decoding: column.dropFirst().prefix { $0 != 0 }, as: UTF8.self)
        // The name comes from a file that anybody may have made: nothing but a UUID leads to a path.
        return UUID(uuidString: name) == nil ? nil : name
    }

    static func inline(_ data: Data) -> Data { Data([inlineMark]) + data }
    static func reference(_ name: String) -> Data { Data([fileMark]) + Data(name.utf8) + Data([0]) }
}

/// The files that one save writes and makes useless. Documentation/LargeData.md
///
/// # States
///     open ──willCommit──▶ synced ──didCommit──▶ done: `ExternalRemovals` has what no row names any more
///       └────── rollback ─────┤                        new files are gone at once
///                             └──commitFailed──▶ done: new files stay, since the log may yet be replayed
final class ExternalFiles {
    private let removals: ExternalRemovals
    private var folder: URL { removals.folder }
    private var written: [String] = []
    private var obsolete: Set<String> = []
    private var kept: Set<String> = []
    private var firstNewFolder: URL?
    /// Whether everything was written and nothing but the commit itself is left, which may fail and yet be replayed.
    private(set) var isCommitting = false

    init(_ removals: ExternalRemovals) { self.removals = removals }

    /// `.<name without extension>_SUPPORT/_EXTERNAL_DATA` beside the store's file, which a symbolic link leads to.
    static func folder(of store: URL) -> URL {
        let store = store.resolvingSymlinksInPath()
        return StoreFiles.support(of: store).appendingPathComponent("_EXTERNAL_DATA", isDirectory: true)
    }

    /// What to put into the column of a value: the data itself, or the name of the file that now holds it.
    ///
    /// A row keeps a file that it has. Any other file is copied, even if it lies in the same folder: its row may have
    /// let go of it since, and then it is about to be removed (LargeData-E1).
    ///
    /// - Parameter attribute: for the error.
    /// - Throws: 260 and the like when data cannot be read; what the file system says.
    func column(_ box: ValueBox, of attribute: @autoclosure () -> String) throws -> Data? {
        if let file = box.externalData {
            if file.folder.path == folder.path, obsolete.contains(file.name), kept.insert(file.name).inserted {
                return ExternalColumn.reference(file.name)
            }
            do {
                return try column(file.read())
            } catch let error as CocoaError where ExternalData.isReadFailure(error) {
                throw CoreDataError.unreadableData(file.url, attribute: attribute(), underlying: error)
            }
        }
        return try (box.value as? Data).map(column)
    }

    private func column(_ data: Data) throws -> Data {
        guard data.count > ExternalColumn.largestInline else { return ExternalColumn.inline(data) }
        let name = UUID().uuidString
        let url = folder.appendingPathComponent(name)
        do {
            if written.isEmpty { firstNewFolder = try removals.access.makeFolder(folder) }
            try removals.note(CollectionOfOne(name))
            try FileBytes.make(url, data, removals.access)
        } catch let failure as FileFailure {
            throw failure.writing(url, store: nil)
        }
        written.append(name)
        return ExternalColumn.reference(name)
    }

    /// A column is about to be overwritten or deleted.
    func release(_ column: Data?) {
        if let name = column.flatMap(ExternalColumn.fileName) { obsolete.insert(name) }
    }

    private var useless: Set<String> { obsolete.subtracting(kept) }

    /// Called before the transaction commits: new files and their names are on the disk afterwards (LargeData-E2).
    func willCommit() throws {
        do {
            if !useless.isEmpty { try removals.note(useless) }
            guard removals.syncs, !written.isEmpty else { return }
            for name in written { try FileBytes.sync(folder.appendingPathComponent(name)) }
            try FileBytes.sync(folder)
            guard let firstNewFolder else { return }
            var new = folder
            repeat {
                new.deleteLastPathComponent()
                try FileBytes.sync(new)
            } while new.path.count >= firstNewFolder.path.count
        } catch let failure as FileFailure {
            throw failure.writing(folder, store: nil)
        }
    }

    /// To be called right before the transaction commits.
    func isReadyToCommit() { isCommitting = true }

    /// The transaction has committed.
    func didCommit() { removals.add(useless) }

    /// The transaction has not committed, and never will.
    func rollback() {
        for name in written { StoreFiles.remove(folder.appendingPathComponent(name)) }
        removals.settle()
    }

    /// The commit has failed, but may stand in the log whole: then it is replayed after a crash (LargeData-E5).
    func commitFailed() { removals.addAfterNextCommit(written) }
}

extension ExternalData {
    /// Whether an error is one of reading a file.
    static func isReadFailure(_ error: CocoaError) -> Bool { error.code.rawValue / 256 == 1 }
}
