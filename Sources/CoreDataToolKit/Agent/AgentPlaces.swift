// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The folders that an agent may read, and the stores and models in them.

import Foundation

/// The folders that the server was started for. Every path of an agent is resolved and checked here.
///
/// A path is allowed if its real path, after all symbolic links, is in the real path of a folder. Programs of the same
/// user could exchange a file between the check and the reading; the server does not protect a user from them.
struct AgentPlaces: Sendable {
    struct File: Sendable, Equatable {
        var path: String
        var kind: String
        var size: Int
    }

    private static let modelEndings: Set<String> = ["xcdatamodeld", "xcdatamodel", "momd", "mom"]
    private static let depth = 5
    private static let visited = 5000

    /// Real paths.
    let roots: [String]

    /// - Throws: `ToolError` for a folder that does not exist.
    init(_ folders: [URL]) throws {
        roots = try folders.map { folder in
            var isDirectory: ObjCBool = false
            guard let path = Self.realPath(folder.path),
                FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory.boolValue
            else { throw ToolError("There is no folder \(folder.path).") }
            return path
        }
    }

    private static func realPath(_ path: String) -> String? {
        guard !path.utf8.contains(0), let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }

    private func contains(_ path: String) -> Bool {
        roots.contains { path == $0 || path.hasPrefix($0 == "/" ? "/" : $0 + "/") }
    }

    /// A file that an agent names: a path in the first folder, or an absolute one.
    ///
    /// - Throws: `ToolError` for a path outside of the folders; it does not say whether there is a file.
    func url(_ path: String) throws -> URL {
        guard let first = roots.first, !path.isEmpty, path.utf8.count < 4096 else {
            throw ToolError("Name a file in the folders of this server.")
        }
        guard !path.contains("://") else {
            throw ToolError("This server reads only files in the folders that it was started for.")
        }
        let full = path.hasPrefix("/") ? path : first + "/" + path
        let failure = ToolError(
            "There is no file '\(path)' in the folders of this server: list_files names those that are there.")
        guard let real = Self.realPath(full), contains(real) else { throw failure }
        return URL(fileURLWithPath: real)
    }

    /// The path that an agent may use for a file.
    func shown(_ url: URL) -> String {
        guard let first = roots.first, url.path.hasPrefix(first + "/") else { return url.path }
        return String(url.path.dropFirst(first.count + 1))
    }

    /// The stores and models in the folders, by path. Symbolic links, hidden files and deep folders are left out.
    ///
    /// - Returns: also whether the folders have more files than were looked at.
    func files() -> (files: [File], isPartial: Bool) {
        var (found, left): ([File], Int) = ([], Self.visited)
        for root in roots { visit(URL(fileURLWithPath: root), Self.depth, &found, &left) }
        return (found.sorted { $0.path < $1.path }, left <= 0)
    }

    private func visit(_ folder: URL, _ depth: Int, _ found: inout [File], _ left: inout Int) {
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
        for name in names where !name.hasPrefix(".") {
            guard left > 0 else { return }
            left -= 1
            let url = folder.appendingPathComponent(name)
            var status = stat()
            guard lstat(url.path, &status) == 0 else { continue }
            let isFolder = status.st_mode & S_IFMT == S_IFDIR
            if Self.modelEndings.contains(url.pathExtension.lowercased()) {
                found.append(File(path: shown(url), kind: "model", size: isFolder ? 0 : Int(status.st_size)))
            } else if isFolder {
                if depth > 1 { visit(url, depth - 1, &found, &left) }
            } else if status.st_mode & S_IFMT == S_IFREG, let kind = try? FileKind(of: url), kind != .model {
                let names: [FileKind: String] = [
                    .sqlite: "SQLite store", .xmlStore: "XML store", .binaryStore: "binary store",
                ]
                found.append(File(path: shown(url), kind: names[kind] ?? "", size: Int(status.st_size)))
            }
        }
    }
}
