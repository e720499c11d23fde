// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Resolves the build settings of a target in its Debug configuration.

import Foundation

/// The levels of settings, the nearest first: target, its `.xcconfig`, project, its `.xcconfig`.
struct XcodeSettings {
    private var levels: [[String: String]] = []
    private let targetName: String

    init(_ project: XcodeProject, target: XcodeProject.Object) {
        targetName = target["name"]?.string ?? ""
        for object in [target, project.root] {
            guard let configuration = Self.configuration(of: object, project) else { continue }
            let settings = configuration["buildSettings"]?.dictionary ?? [:]
            levels.append(settings.mapValues { $0.strings.joined(separator: " ") })
            guard let file = configuration["baseConfigurationReference"]?.string,
                let path = project.place(of: file), let url = PathLookup.find(path)
            else { continue }
            levels.append(ConfigurationFile.read(url))
        }
    }

    private static func configuration(of object: XcodeProject.Object, _ project: XcodeProject) -> XcodeProject.Object? {
        let list = project.object(object["buildConfigurationList"]?.string)
        let all = (list?["buildConfigurations"]?.strings ?? []).compactMap { project.object($0) }
        return all.first { $0["name"]?.string == "Debug" }
            ?? all.first { $0["name"]?.string?.localizedCaseInsensitiveContains("debug") == true } ?? all.first
    }

    /// The value with `$(inherited)` and other settings replaced; nil for a setting of no level.
    subscript(name: String) -> String? { value(name, from: 0, depth: 0) }

    private func value(_ name: String, from level: Int, depth: Int) -> String? {
        guard depth < 16 else { return nil }
        guard let found = levels.indices.first(where: { $0 >= level && levels[$0][name] != nil }) else {
            return name == "TARGET_NAME" ? targetName : nil
        }
        return expanded(levels[found][name] ?? "", name, found, depth)
    }

    /// Replaces `$(NAME)`, `${NAME}` and `$(NAME:modifier)`; unknown names become "".
    private func expanded(_ text: String, _ name: String, _ level: Int, _ depth: Int) -> String {
        var result = ""
        var rest = text[...]
        while let dollar = rest.firstIndex(of: "$"), result.utf8.count < 1 << 16 {
            result += rest[..<dollar]
            rest = rest[rest.index(after: dollar)...]
            guard let open = rest.first, let close = ["(": ")", "{": "}"][String(open)],
                let end = rest.firstIndex(of: Character(close))
            else {
                result += "$"
                continue
            }
            let inside = rest[rest.index(after: rest.startIndex)..<end].split(separator: ":").map(String.init)
            rest = rest[rest.index(after: end)...]
            guard let other = inside.first else { continue }
            let isInherited = other == "inherited" || other == name
            var value =
                self.value(isInherited ? name : other, from: isInherited ? level + 1 : 0, depth: depth + 1) ?? ""
            if inside.dropFirst().contains("c99extidentifier") { value = AppTarget.identifier(value) }
            result += value
        }
        return result + rest
    }

    func module(of target: XcodeProject.Object) -> String {
        if let name = self["PRODUCT_MODULE_NAME"], !name.isEmpty { return AppTarget.identifier(name) }
        if let name = self["PRODUCT_NAME"], !name.isEmpty { return AppTarget.identifier(name) }
        return AppTarget.identifier(targetName)
    }

    var settings: TargetSettings {
        var settings = TargetSettings()
        settings.swiftVersion = self["SWIFT_VERSION"].flatMap { $0.isEmpty ? nil : $0 }
        settings.isMainActorByDefault = self["SWIFT_DEFAULT_ACTOR_ISOLATION"] == "MainActor"
        settings.isConcurrencyStrict = self["SWIFT_STRICT_CONCURRENCY"] == "complete"
        settings.isConcurrencyApproachable = self["SWIFT_APPROACHABLE_CONCURRENCY"] == "YES"
        let words = (self["SWIFT_ACTIVE_COMPILATION_CONDITIONS"] ?? "").split(separator: " ").map(String.init)
        let flags = (self["OTHER_SWIFT_FLAGS"] ?? "").split(separator: " ").map(String.init)
        let defined = flags.indices.compactMap { index -> String? in
            if flags[index] == "-D" { return flags.indices.contains(index + 1) ? flags[index + 1] : nil }
            return flags[index].hasPrefix("-D") ? String(flags[index].dropFirst(2)) : nil
        }
        settings.conditions = Set(words + defined).filter { $0 != "DEBUG" && AppTarget.identifier($0) == $0 }.sorted()
        return settings
    }
}

/// Reads an `.xcconfig`: settings by name, with those of included files. Settings under a condition are left out.
enum ConfigurationFile {
    static func read(_ url: URL, depth: Int = 0) -> [String: String] {
        guard depth < 8, let data = try? Data(contentsOf: url), data.count < 1 << 20 else { return [:] }
        var settings: [String: String] = [:]
        for line in String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline) {
            let text = (line.range(of: "//").map { line[..<$0.lowerBound] } ?? line).trimmingCharacters(
                in: .whitespaces)
            if text.hasPrefix("#include") {
                let parts = line.split(separator: "\"")
                guard parts.count > 1 else { continue }
                let file = url.deletingLastPathComponent().appendingPathComponent(String(parts[1]))
                if let other = PathLookup.find(file.path) {
                    settings.merge(read(other, depth: depth + 1)) { $1 }
                }
            } else if let sign = text.firstIndex(of: "=") {
                let name = text[..<sign].trimmingCharacters(in: .whitespaces)
                let value = text[text.index(after: sign)...].trimmingCharacters(in: CharacterSet(charactersIn: " \t;"))
                if !name.contains("[") { settings[name] = value }
            }
        }
        return settings
    }
}
