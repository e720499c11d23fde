// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes the manifest of the package.

import Foundation

enum ManifestText {
    /// - Parameter targets: those with sources or models.
    static func text(_ name: String, _ targets: [AdoptedTarget], library: LibraryLocation) -> String {
        let usesSwiftData = targets.contains(where: \.usesSwiftData)
        // The default isolation came with tools version 6.2.
        let version = targets.contains { $0.target.settings.isMainActorByDefault } ? "6.2" : "6.1"
        // Without the trait SwiftPM resolves neither swift-syntax nor the packages of the tool.
        let traits = usesSwiftData ? "traits: [\"AllProducts\"]" : "traits: []"
        let dependency =
            switch library {
            case .checkout(let url): ".package(name: \"OpenCoreData\", path: \(quoted(url.path)), \(traits))"
            case .repository(let url): ".package(url: \(quoted(url)), branch: \"main\", \(traits))"
            }
        let usesCombine = targets.contains { target in LinuxModules.openCombine.contains(where: target.imports) }
        let combine =
            usesCombine ? ", .package(url: \"https://github.com/OpenCombine/OpenCombine\", from: \"0.14.0\")" : ""
        return """
            // swift-tools-version: \(version)
            // Made by coredata-tool adopt. Edits are kept: then later runs leave this file as it is.
            import PackageDescription

            let package = Package(
                name: \(quoted(AppTarget.identifier(name) + "Linux")),
                platforms: [.macOS(.v15)],
                dependencies: [\(dependency)\(combine)],
                targets: [
            \(targets.map { Self.target($0, among: targets) }.joined(separator: "\n"))
                ]
            )

            """
    }

    private static func target(_ target: AdoptedTarget, among all: [AdoptedTarget]) -> String {
        var lines = ["name: \(quoted(target.target.module))"]
        var dependencies = all.filter { other in
            !other.isTests && other.target.module != target.target.module
                && (target.imports(other.target.module)
                    || target.isTests && target.target.dependencies.contains(other.target.name))
        }.map { quoted($0.target.module) }
        if target.usesCoreData { dependencies.append(".product(name: \"CoreData\", package: \"OpenCoreData\")") }
        if target.usesSwiftData { dependencies.append(".product(name: \"SwiftData\", package: \"OpenCoreData\")") }
        for module in [LinuxModules.shims, LinuxModules.combineShims, LinuxModules.swiftDataShims]
        where target.imports(module) {
            dependencies.append(".product(name: \(quoted(module)), package: \"OpenCoreData\")")
        }
        for module in LinuxModules.openCombine where target.imports(module) {
            dependencies.append(".product(name: \(quoted(module)), package: \"OpenCombine\")")
        }
        lines.append("dependencies: [\(dependencies.joined(separator: ", "))]")
        if !target.resources.isEmpty || !target.madeResources.isEmpty {
            lines.append("resources: [.process(\"Resources\")]")
        }
        lines.append("swiftSettings: [\(settings(target.target.settings).joined(separator: ", "))]")
        if target.usesCoreData {
            lines.append("plugins: [.plugin(name: \"CoreDataModelPlugin\", package: \"OpenCoreData\")]")
        }
        let body = lines.map { "            \($0)" }.joined(separator: ",\n")
        return "        .\(target.isTests ? "testTarget" : "target")(\n\(body)),"
    }

    private static func settings(_ settings: TargetSettings) -> [String] {
        var list = [settings.isSwift6 ? ".swiftLanguageMode(.v6)" : ".swiftLanguageMode(.v5)"]
        if settings.isMainActorByDefault { list.append(".defaultIsolation(MainActor.self)") }
        if settings.isConcurrencyApproachable {
            let features = ["NonisolatedNonsendingByDefault", "InferIsolatedConformances"]
            list += features.map { ".enableUpcomingFeature(\"\($0)\")" }
        }
        if settings.isConcurrencyStrict, !settings.isSwift6 {
            list.append(".enableUpcomingFeature(\"StrictConcurrency\")")
        }
        return list + settings.conditions.map { ".define(\(quoted($0)))" }
    }

    private static func quoted(_ text: String) -> String {
        let escaped = text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\"")
        return "\"\(escaped.replacingOccurrences(of: "\n", with: " "))\""
    }
}
