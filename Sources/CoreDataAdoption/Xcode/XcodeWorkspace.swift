// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the projects and packages of an Xcode workspace.

import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// Reads `contents.xcworkspacedata`. Projects of CocoaPods are skipped: their sources come from the network.
enum XcodeWorkspace {
    /// - Throws: `ProjectError` if the workspace has no readable project.
    static func read(_ url: URL) throws -> AppProject {
        let file = url.appendingPathComponent("contents.xcworkspacedata")
        guard let data = try? Data(contentsOf: file), data.count < 1 << 24 else {
            throw ProjectError(file.path, "The file cannot be read.")
        }
        let reader = WorkspaceReader(url.deletingLastPathComponent().path)
        let parser = XMLParser(data: data)
        parser.delegate = reader
        guard parser.parse() else {
            throw ProjectError(file.path, place: "\(parser.lineNumber):\(parser.columnNumber)", "The XML is malformed.")
        }
        var workspace = AppProject(
            name: url.deletingPathExtension().lastPathComponent, folder: url.deletingLastPathComponent())
        for path in reader.paths {
            guard let place = PathLookup.find(path) else {
                workspace.notes.append("'\(path)' of the workspace is missing.")
                continue
            }
            guard place.lastPathComponent != "Pods.xcodeproj" else { continue }
            do {
                try add(place, to: &workspace)
            } catch let error as ProjectError {
                workspace.notes.append("\(error)")
            }
        }
        guard !workspace.targets.isEmpty else {
            throw ProjectError(file.path, "The workspace has no project that can be read.")
        }
        return workspace
    }

    private static func add(_ place: URL, to workspace: inout AppProject) throws {
        let project: AppProject
        if place.pathExtension == "xcodeproj" {
            project = try XcodeProject.read(place)
        } else if FileManager.default.fileExists(atPath: place.appendingPathComponent("Package.swift").path) {
            project = try PackageManifest.read(place)
        } else {
            return
        }
        let known = Set(workspace.targets.map(\.name))
        workspace.targets += project.targets.filter { !known.contains($0.name) }
        workspace.notes += project.notes
    }
}

/// Collects the places of `FileRef` elements inside of `Group` elements.
private final class WorkspaceReader: NSObject, XMLParserDelegate {
    private(set) var paths: [String] = []
    private var folders: [String]

    init(_ folder: String) { folders = [folder] }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        let place = path(attributes["location"] ?? "")
        if name == "Group" { folders.append(place) }
        if name == "FileRef" { paths.append(place) }
    }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        if name == "Group", folders.count > 1 { folders.removeLast() }
    }

    /// "group:Shop.xcodeproj", "container:Shop.xcodeproj", "absolute:/Shop.xcodeproj".
    private func path(_ location: String) -> String {
        let parts = location.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else { return folders[folders.count - 1] }
        switch parts[0] {
        case "absolute": return parts[1]
        case "container": return folders[0] + "/" + parts[1]
        default: return parts[1].isEmpty ? folders[folders.count - 1] : folders[folders.count - 1] + "/" + parts[1]
        }
    }
}
