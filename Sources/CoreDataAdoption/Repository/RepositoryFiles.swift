// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes the files of the repository that options ask for (Adoption, invariant 11).

import CoreDataGeneration
import Foundation

struct RepositoryFiles {
    let root: URL
    /// The paths of the package and the project in the repository.
    let package: String
    let project: String

    /// The repository is the nearest folder with `.git`, otherwise the folder of the project.
    ///
    /// - Throws: `ProjectError` if the output folder is outside of the repository.
    init(project: URL, folder: URL, output: URL) throws {
        var root = folder.standardizedFileURL
        var above = root
        while above.path != "/" {
            if FileManager.default.fileExists(atPath: above.appendingPathComponent(".git").path) {
                root = above
                break
            }
            above.deleteLastPathComponent()
        }
        guard output.path.hasPrefix(root.path + "/") else {
            throw ProjectError(
                output.path, "The package is outside of the repository '\(root.path)'; name another one with -o.")
        }
        self.root = root
        package = String(output.path.dropFirst(root.path.count + 1))
        let path = project.standardizedFileURL.path
        self.project = path.hasPrefix(root.path + "/") ? String(path.dropFirst(root.path.count + 1)) : "."
    }

    /// - Parameter record: receives the digest of each file and section that is written.
    /// - Returns: the paths of files that a person edited, which stay as they are.
    /// - Throws: errors of the file system.
    func write(_ workflow: Workflow?, agents: Bool, _ record: inout AdoptionRecord) throws -> [String] {
        var kept: [String] = []
        if let workflow {
            let (file, text) = (root.appendingPathComponent(workflow.path), workflow.text(package: package))
            let found = PackageWriter.digest(of: file)
            if let found, found != record.outside[workflow.path], found != Digest.text(text.utf8) {
                kept.append(workflow.path)
            } else {
                try write(text, to: file)
                record.outside[workflow.path] = Digest.text(text.utf8)
            }
        }
        guard agents else { return kept }
        let file = root.appendingPathComponent(AgentsSection.path)
        let old = try? String(contentsOf: file, encoding: .utf8)
        let section = AgentsSection.text(package: package, project: project)
        // A file that cannot be read as text is a person's.
        let isReadable = old != nil || !FileManager.default.fileExists(atPath: file.path)
        let digest = record.outside[AgentsSection.path]
        if isReadable, let text = AgentsSection.inserted(section, into: old, digest: digest) {
            if text != old { try write(text, to: file) }
            record.outside[AgentsSection.path] = Digest.text(section.utf8)
        } else {
            kept.append(AgentsSection.path)
        }
        return kept
    }

    private func write(_ text: String, to file: URL) throws {
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try AtomicWrite.file(Data(text.utf8), to: file)
    }
}
