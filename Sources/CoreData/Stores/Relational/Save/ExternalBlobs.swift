// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Large data beside the database: how a row names it, and when its file comes and goes.

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
            return ValueBox(file: ExternalData(name: name, url: folder.appendingPathComponent(name)))
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

/// The files that one save writes and makes useless.
///
/// New files are written before the transaction commits and taken away when it does not; old ones go after it has, so that
/// at every moment each row finds its file.
final class ExternalFiles {
    private let folder: URL
    private var written: [String] = []
    private var obsolete: Set<String> = []
    private var kept: Set<String> = []
    private let journal: ExternalJournal

    init(folder: URL) {
        self.folder = folder
        journal = ExternalJournal(folder: folder)
    }

    /// `.<name without extension>_SUPPORT/_EXTERNAL_DATA` beside the store.
    static func folder(of store: URL) -> URL {
        store.deletingLastPathComponent()
            .appendingPathComponent(".\(store.deletingPathExtension().lastPathComponent)_SUPPORT", isDirectory: true)
            .appendingPathComponent("_EXTERNAL_DATA", isDirectory: true)
    }

    /// What to put into the column of a value: the data itself, or the name of the file that now holds it.
    func column(_ box: ValueBox) throws -> Data? {
        if let file = box.externalData, file.url.deletingLastPathComponent().path == folder.path {
            kept.insert(file.name)
            return ExternalColumn.reference(file.name)
        }
        guard let data = box.value as? Data else { return nil }
        guard data.count > ExternalColumn.largestInline else { return ExternalColumn.inline(data) }
        let name = UUID().uuidString
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try journal.note(CollectionOfOne(name))
        written.append(name)
        try data.write(to: folder.appendingPathComponent(name))
        return ExternalColumn.reference(name)
    }

    /// A column is about to be overwritten or deleted.
    func release(_ column: Data?) {
        if let name = column.flatMap(ExternalColumn.fileName) { obsolete.insert(name) }
    }

    private var useless: Set<String> { obsolete.subtracting(kept) }

    /// To be called before the transaction commits.
    func willCommit() throws {
        if !useless.isEmpty { try journal.note(useless) }
    }

    /// The transaction has committed: what no row names any more goes.
    ///
    /// - Parameter soon: runs what it is given when nobody reads the rows as they were before.
    func didCommit(_ soon: (@escaping @Sendable () -> Void) -> Void) {
        guard !useless.isEmpty else { return journal.close() }
        let files = useless.map(folder.appendingPathComponent)
        let ending = Ending(journal)
        soon {
            Self.remove(files)
            ending.journal.close()
        }
    }

    func rollback() {
        Self.remove(written.map(folder.appendingPathComponent))
        journal.close()
    }

    /// Handed over: nobody else uses the journal any more.
    private struct Ending: @unchecked Sendable {
        let journal: ExternalJournal
        init(_ journal: ExternalJournal) { self.journal = journal }
    }

    static func remove(_ files: [URL]) {
        // Nothing depends on them any more: a file that will not go costs space alone.
        for file in files { try? FileManager.default.removeItem(at: file) }
    }
}
