// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the projects and packages of an Xcode workspace.

import CoreDataModelFiles
import Foundation

/// Reads `contents.xcworkspacedata`. Projects of CocoaPods are skipped: their sources come from the network.
enum XcodeWorkspace {
    /// - Throws: `ProjectError` if the workspace has no readable project.
    static func read(_ url: URL) throws -> AppProject {
        let file = url.appendingPathComponent("contents.xcworkspacedata")
        guard let data = try? Data(contentsOf: file), data.count < 1 << 24 else {
            throw ProjectError(file.path, "The file cannot be read.")
        }
        let paths = try places(data, file: file)
        var workspace = AppProject(
            name: url.deletingPathExtension().lastPathComponent, folder: url.deletingLastPathComponent())
        for path in paths {
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

    /// The places of the `FileRef` elements, also inside of `Group` elements.
    private static func places(_ data: Data, file: URL) throws -> [String] {
        do {
            let container = file.deletingLastPathComponent().deletingLastPathComponent().path
            return places(in: try XMLTreeReader.read(data), folder: container, container: container)
        } catch let error as ModelFileError {
            var place = ""
            if case .malformedXML(let line) = error.kind { place = "\(line)" }
            throw ProjectError(file.path, place: place, error.explanation)
        }
    }

    private static func places(in element: XMLTree, folder: String, container: String) -> [String] {
        element.children.flatMap { child in
            let place = path(child.attribute("location") ?? "", folder: folder, container: container)
            switch child.name {
            case "FileRef": return [place]
            case "Group": return places(in: child, folder: place, container: container)
            default: return []
            }
        }
    }

    /// "group:Shop.xcodeproj", "container:Shop.xcodeproj", "absolute:/Shop.xcodeproj".
    private static func path(_ location: String, folder: String, container: String) -> String {
        let parts = location.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else { return folder }
        switch parts[0] {
        case "absolute": return parts[1]
        case "container": return container + "/" + parts[1]
        default: return parts[1].isEmpty ? folder : folder + "/" + parts[1]
        }
    }
}
