// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes the files of the package, and keeps those that a person edited (Adoption, invariant 9).

import CoreDataGeneration
import Foundation

struct PackageWriter {
    let folder: URL
    private(set) var record: AdoptionRecord
    /// The files that a person edited, by path.
    private(set) var kept: Set<String> = []

    init(_ folder: URL) {
        self.folder = folder
        record = AdoptionRecord.read(in: folder) ?? AdoptionRecord()
    }

    /// Writes changed files, and removes files of earlier runs that the package no longer has.
    ///
    /// - Throws: errors of the file system. The record then has the files that were written, so a later run takes none
    ///   of them for an edit.
    mutating func write(_ files: [String: PackageFile], sources: [String: AdoptionRecord.Source]) throws {
        do {
            try write(files)
        } catch {
            try? writeRecord()
            throw error
        }
        record.sources = sources
        try writeRecord()
    }

    /// Writes a workflow and a section for agents into the repository.
    ///
    /// - Throws: `ProjectError` for a package outside of the repository; errors of the file system.
    mutating func write(_ files: RepositoryFiles, _ workflow: Workflow?, agents: Bool) throws {
        kept.formUnion(try files.write(workflow, agents: agents, &record))
        try writeRecord()
    }

    private func writeRecord() throws {
        try AtomicWrite.file(record.data(), to: folder.appendingPathComponent(AdoptionRecord.fileName))
    }

    private mutating func write(_ files: [String: PackageFile]) throws {
        for (path, file) in files.sorted(by: { $0.key < $1.key }) {
            try checkParents(of: path)
            try write(file, to: path)
        }
        for (path, digest) in record.written where files[path] == nil {
            let url = folder.appendingPathComponent(path)
            if Self.digest(of: url) == digest {
                try FileManager.default.removeItem(at: url)
                record.written[path] = nil
            } else if !Self.exists(url) {
                record.written[path] = nil
            } else {
                kept.insert(path)
            }
        }
    }

    private mutating func write(_ file: PackageFile, to path: String) throws {
        let url = folder.appendingPathComponent(path)
        guard let wanted = digest(of: file, at: url) else {
            throw ProjectError(url.path, "The file of the project that belongs here cannot be read.")
        }
        let found = Self.digest(of: url)
        if found == wanted {
            record.written[path] = wanted
            kept.remove(path)
            return
        }
        // A folder has no digest.
        if Self.exists(url), found == nil || found != record.written[path] {
            kept.insert(path)
            return
        }
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        if Self.exists(url) { try FileManager.default.removeItem(at: url) }
        switch file {
        case .text(let text): try AtomicWrite.file(Data(text.utf8), to: url)
        case .copy(let original): try AtomicWrite.file(try Data(contentsOf: original), to: url)
        case .link(let original):
            try FileManager.default.createSymbolicLink(
                atPath: url.path, withDestinationPath: relative(original, from: url))
        }
        record.written[path] = wanted
    }

    /// A folder of the output that is a link would lead writes into the repository (Adoption, invariant 2).
    private func checkParents(of path: String) throws {
        var place = folder
        for part in path.split(separator: "/").dropLast() {
            place.appendPathComponent(String(part))
            let kind = (try? FileManager.default.attributesOfItem(atPath: place.path))?[.type] as? FileAttributeType
            if kind == .typeSymbolicLink {
                throw ProjectError(place.path, "A folder of the output is a symbolic link; remove it.")
            }
        }
    }

    // MARK: Digests

    /// nil for an original that cannot be read.
    private func digest(of file: PackageFile, at url: URL) -> String? {
        switch file {
        case .copy(let original): Self.digest(of: original.resolvingSymlinksInPath())
        case .text(let text): Digest.text(text.utf8)
        case .link(let original): "->" + relative(original, from: url)
        }
    }

    /// nil for a file that does not exist.
    static func digest(of url: URL) -> String? {
        if let destination = try? FileManager.default.destinationOfSymbolicLink(atPath: url.path) {
            return "->" + destination
        }
        return (try? Data(contentsOf: url)).map { Digest.text($0) }
    }

    /// Also for a link to a file that is gone.
    private static func exists(_ url: URL) -> Bool {
        (try? FileManager.default.attributesOfItem(atPath: url.path)) != nil
    }

    /// The path of a link, which stays valid when the repository moves.
    private func relative(_ original: URL, from link: URL) -> String {
        let from = link.deletingLastPathComponent().standardizedFileURL.pathComponents
        let to = original.standardizedFileURL.pathComponents
        let common = zip(from, to).prefix { $0 == $1 }.count
        guard common > 1 else { return original.path }
        return (Array(repeating: "..", count: from.count - common) + to[common...]).joined(separator: "/")
    }
}
