// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the targets of an Xcode project.

import Foundation

/// The objects of a `project.pbxproj`, of every object version. An object that is missing or of another kind is a note,
/// not an error: old projects have such references, and Xcode opens them.
struct XcodeProject {
    typealias Object = [String: ProjectValue]

    let url: URL
    /// The folder that paths relative to the project begin at.
    let folder: URL
    private(set) var notes: [String] = []
    private let objects: [String: Object]
    let root: Object
    /// The path of each group and file, by identifier.
    private var places: [String: String] = [:]

    /// - Parameter url: the `.xcodeproj`.
    /// - Throws: `ProjectError` for a file that cannot be parsed or has no project object.
    static func read(_ url: URL) throws -> AppProject {
        var project = try XcodeProject(url)
        return project.read()
    }

    private init(_ url: URL) throws {
        self.url = url
        let file = url.appendingPathComponent("project.pbxproj")
        guard let data = try? Data(contentsOf: file) else { throw ProjectError(file.path, "The file cannot be read.") }
        let list = try Self.parse(data, path: file.path)
        guard let objects = list["objects"]?.dictionary, let id = list["rootObject"]?.string,
            let root = objects[id]?.dictionary
        else { throw ProjectError(file.path, "The file has no project object.") }
        self.objects = objects.compactMapValues(\.dictionary)
        self.root = root
        let above = url.deletingLastPathComponent()
        let directory = root["projectDirPath"]?.string ?? ""
        folder = directory.isEmpty ? above : above.appendingPathComponent(directory).standardizedFileURL
        if let main = root["mainGroup"]?.string { placeGroups(main) }
    }

    /// Other tools write the same objects as XML, which Xcode reads as well.
    private static func parse(_ data: Data, path: String) throws -> ProjectValue {
        guard data.starts(with: Data("<?xml".utf8)) else { return try PropertyListText.parse(data, path: path) }
        guard data.count <= PropertyListText.maximumSize,
            let value = try? PropertyListSerialization.propertyList(from: data, format: nil)
        else { throw ProjectError(path, "The file is not a property list.") }
        return convert(value, depth: 0)
    }

    private static func convert(_ value: Any, depth: Int) -> ProjectValue {
        guard depth < 64 else { return .string("") }
        switch value {
        case let text as String: return .string(text)
        case let members as [Any]: return .array(members.map { convert($0, depth: depth + 1) })
        case let fields as [String: Any]: return .dictionary(fields.mapValues { convert($0, depth: depth + 1) })
        default: return .string("\(value)")
        }
    }

    func object(_ id: String?, _ kinds: String...) -> Object? {
        guard let id, let object = objects[id] else { return nil }
        return kinds.isEmpty || kinds.contains(object["isa"]?.string ?? "") ? object : nil
    }

    mutating func note(_ text: String) {
        if !notes.contains(text) { notes.append(text) }
    }

    // MARK: Targets

    private mutating func read() -> AppProject {
        var project = AppProject(name: url.deletingPathExtension().lastPathComponent, folder: folder)
        let ids = root["targets"]?.strings ?? []
        for id in ids {
            guard let object = object(id) else { continue }
            project.targets.append(target(id, object))
        }
        for reference in root["packageReferences"]?.strings ?? [] {
            guard let path = object(reference, "XCLocalSwiftPackageReference")?["relativePath"]?.string else {
                continue
            }
            addPackage(at: folder.appendingPathComponent(path), to: &project)
        }
        // Xcode before 15 has local packages as folders only.
        for (id, object) in objects.sorted(by: { $0.key < $1.key })
        where object["isa"]?.string == "PBXFileReference" {
            guard let place = places[id], FileManager.default.fileExists(atPath: place + "/Package.swift") else {
                continue
            }
            addPackage(at: URL(fileURLWithPath: place), to: &project)
        }
        noteTests(besides: project.targets)
        project.notes = notes
        return project
    }

    /// Names the files with tests that belong to no target: Xcode does not run them either.
    private mutating func noteTests(besides targets: [AppTarget]) {
        let known = Set(targets.flatMap(\.sources).map(\.path))
        let files = objects.filter { $0.value["isa"]?.string == "PBXFileReference" }.compactMap { places[$0.key] }
            .filter { $0.hasSuffix(".swift") }.compactMap(PathLookup.find).filter { !known.contains($0.path) }
        let tests = Set(files.filter(FolderProject.importsTests).map { relative($0.path) }).sorted()
        guard let first = tests.first else { return }
        let subject =
            tests.count > 1
            ? "\(first) and \(tests.count - 1) more have tests, and belong" : "\(first) has tests, and belongs"
        note("\(subject) to no target, so Xcode does not run them either.")
    }

    private mutating func addPackage(at place: URL, to project: inout AppProject) {
        guard let folder = PathLookup.find(place.path), let package = try? PackageManifest.read(folder) else {
            return note("The local package '\(place.lastPathComponent)' cannot be read.")
        }
        for text in package.notes { note(text) }
        let known = Set(project.targets.map(\.name))
        project.targets += package.targets.filter { !known.contains($0.name) }
    }

    private mutating func target(_ id: String, _ object: Object) -> AppTarget {
        let settings = XcodeSettings(self, target: object)
        let name = object["name"]?.string ?? id
        var target = AppTarget(name, Self.kind(object), module: settings.module(of: object))
        target.settings = settings.settings
        if let language = root["developmentRegion"]?.string, !language.isEmpty { target.language = language }
        for dependency in object["dependencies"]?.strings ?? [] {
            let reference = self.object(dependency)
            let other = self.object(reference?["target"]?.string)?["name"]?.string ?? reference?["name"]?.string
            if let other { target.dependencies.append(other) }
        }
        if let host = hostName(id, settings) { target.dependencies.append(host) }
        for product in object["packageProductDependencies"]?.strings ?? [] {
            if let name = self.object(product)?["productName"]?.string { target.dependencies.append(name) }
        }
        for phase in object["buildPhases"]?.strings ?? [] { addPhase(phase, to: &target) }
        addSynchronizedFolders(id, object, to: &target)
        target.settle()
        return target
    }

    /// The app that a test bundle is loaded into.
    private func hostName(_ id: String, _ settings: XcodeSettings) -> String? {
        let attributes = root["attributes"]?["TargetAttributes"]?[id]
        if let host = object(attributes?["TestTargetID"]?.string)?["name"]?.string { return host }
        if let name = settings["TEST_TARGET_NAME"], !name.isEmpty { return name }
        guard let path = settings["TEST_HOST"], let app = path.split(separator: "/").last else { return nil }
        let product = String(app)
        let ids = root["targets"]?.strings ?? []
        return ids.compactMap { object($0) }.first { other in
            other["name"]?.string == product || other["productName"]?.string == product
        }?["name"]?.string
    }

    private static func kind(_ object: Object) -> AppTarget.Kind {
        guard object["isa"]?.string == "PBXNativeTarget" else { return .other }
        switch object["productType"]?.string ?? "" {
        case "com.apple.product-type.application", "com.apple.product-type.application.watchapp2",
            "com.apple.product-type.tool", "com.apple.product-type.application.on-demand-install-capable":
            return .app
        case "com.apple.product-type.framework", "com.apple.product-type.library.static",
            "com.apple.product-type.framework.static", "com.apple.product-type.library.dynamic":
            return .library
        case "com.apple.product-type.bundle.unit-test", "com.apple.product-type.bundle.ocunit-test":
            return .unitTests
        case "com.apple.product-type.bundle.ui-testing": return .interfaceTests
        case let type where type.contains("extension"): return .appExtension
        default: return .other
        }
    }

    private mutating func addPhase(_ id: String, to target: inout AppTarget) {
        guard let phase = object(id) else { return }
        switch phase["isa"]?.string ?? "" {
        case "PBXShellScriptBuildPhase": target.scripts.append(phase["name"]?.string ?? "Run Script")
        case "PBXSourcesBuildPhase", "PBXResourcesBuildPhase":
            for file in phase["files"]?.strings ?? [] {
                guard let reference = object(file)?["fileRef"]?.string else { continue }
                for path in files(reference) { addFile(path, to: &target) }
            }
        default: break
        }
    }

    private mutating func addFile(_ path: String, to target: inout AppTarget) {
        guard let file = PathLookup.find(path) else {
            return note("'\(relative(path))' of the target '\(target.name)' is missing.")
        }
        if file.path != URL(fileURLWithPath: path).standardizedFileURL.path {
            note("'\(relative(path))' is '\(relative(file.path))' on disk.")
        }
        target.add(file)
    }

    /// The path of a group or file that is in the main group.
    func place(of id: String) -> String? { places[id] }

    func relative(_ path: String) -> String {
        path.hasPrefix(folder.path + "/") ? String(path.dropFirst(folder.path.count + 1)) : path
    }
}

// MARK: Groups

extension XcodeProject {
    /// Notes the path of each group and file below a group. Cycles end at the group that is already placed.
    private mutating func placeGroups(_ main: String) {
        var open = [(id: main, parent: folder.path)]
        while let (id, parent) = open.popLast() {
            guard places[id] == nil, let object = object(id) else { continue }
            let place = Self.path(object, parent: parent, source: folder.path)
            places[id] = place
            for child in object["children"]?.strings ?? [] { open.append((child, place)) }
        }
    }

    /// The place of a group or file in the folder of its parent.
    private static func path(_ object: Object, parent: String, source: String) -> String {
        let path = object["path"]?.string ?? ""
        switch object["sourceTree"]?.string ?? "<group>" {
        case "<absolute>": return path
        case "SOURCE_ROOT": return joined(source, path)
        default: return joined(parent, path)
        }
    }

    private static func joined(_ folder: String, _ path: String) -> String {
        if path.isEmpty { return folder }
        return path.hasPrefix("/") ? path : folder + "/" + path
    }

    /// The files of a reference: those of a variant group are its languages, those of a model's group are the model.
    private func files(_ reference: String) -> [String] {
        guard let object = object(reference) else { return [] }
        switch object["isa"]?.string ?? "" {
        case "PBXVariantGroup":
            return (object["children"]?.strings ?? []).compactMap { places[$0] }
        case "PBXFileReference":
            // Projects before Xcode 4 name one version of a model inside of its bundle.
            guard let place = places[reference] else { return [] }
            let parent = (place as NSString).deletingLastPathComponent
            return [parent.hasSuffix(".xcdatamodeld") ? parent : place]
        case "XCVersionGroup": return places[reference].map { [$0] } ?? []
        default: return []
        }
    }

    /// Folders of Xcode 16 and later: all files are members of the target, except for those of an exception. The
    /// exceptions of another target add files of the folder to it.
    private mutating func addSynchronizedFolders(_ id: String, _ object: Object, to target: inout AppTarget) {
        let own = Set(object["fileSystemSynchronizedGroups"]?.strings ?? [])
        for (group, folder) in objects.sorted(by: { $0.key < $1.key })
        where folder["isa"]?.string == "PBXFileSystemSynchronizedRootGroup" {
            guard let place = places[group] ?? (own.contains(group) ? folder["path"]?.string : nil) else { continue }
            let exceptions = (folder["exceptions"]?.strings ?? []).compactMap { self.object($0) }
                .filter { $0["target"]?.string == id }.flatMap { $0["membershipExceptions"]?.strings ?? [] }
            let base = place.hasPrefix("/") ? place : self.folder.path + "/" + place
            if own.contains(group) {
                addFolder(base, except: exceptions, to: &target)
            } else {
                for path in exceptions { addFile(base + "/" + path, to: &target) }
            }
        }
    }

    private mutating func addFolder(_ path: String, except: [String], to target: inout AppTarget) {
        guard let folder = PathLookup.find(path) else {
            return note("The folder '\(relative(path))' of the target '\(target.name)' is missing.")
        }
        let left = Set(except.map { PathLookup.folded(folder.appendingPathComponent($0).standardizedFileURL.path) })
        for file in PathLookup.files(in: folder) {
            let isLeft = left.contains {
                PathLookup.folded(file.path) == $0 || PathLookup.folded(file.path).hasPrefix($0 + "/")
            }
            if !isLeft, file.lastPathComponent != "Info.plist" { target.add(file) }
        }
    }
}
