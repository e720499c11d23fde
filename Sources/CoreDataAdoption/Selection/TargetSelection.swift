// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Chooses the targets of a project that become targets of the package.

import CoreDataGeneration
import Foundation

/// A part of the project that the package leaves out (Adoption, invariant 6).
package struct LeftOut: Codable, Equatable, Sendable {
    package var name: String
    package var reason: String
}

/// Targets that use Core Data or SwiftData, the modules of the project that they import, and the unit tests of these.
struct TargetSelection {
    private(set) var targets: [AppTarget] = []
    private(set) var leftOut: [LeftOut] = []
    /// The imports of each target, by its name.
    private let imports: [String: Set<String>]
    /// The sources that import Core Data or SwiftData.
    private let dataSources: Set<URL>

    init(_ project: AppProject) {
        // Targets may share sources; each is read once.
        let sources = Set(project.targets.flatMap(\.sources))
        let found = Dictionary(uniqueKeysWithValues: sources.map { ($0, Self.imports(of: $0)) })
        imports = Dictionary(
            project.targets.map { ($0.name, Set($0.sources.flatMap { found[$0] ?? [] })) },
            uniquingKeysWith: { first, _ in first })
        dataSources = sources.filter { !Self.data.isDisjoint(with: found[$0] ?? []) }
        let tests = project.targets.filter { $0.kind == .unitTests }
        let libraries = project.targets.filter { $0.kind == .app || $0.kind == .library }
        let modules = Dictionary(libraries.map { ($0.module, $0) }, uniquingKeysWith: { first, _ in first })
        var chosen: [AppTarget] = []
        for target in libraries {
            let isTested = tests.contains { $0.dependencies.contains(target.name) || imports($0, target) }
            if let reason = reason(against: target, chosen, isTested) {
                leftOut.append(LeftOut(name: target.name, reason: reason))
            } else {
                chosen.append(target)
            }
        }
        // Modules of the project that the chosen ones import, and those that these import.
        var open = chosen
        while let target = open.popLast() {
            for module in imports[target.name, default: []].sorted() {
                guard let other = modules[module], !chosen.contains(where: { $0.module == module }),
                    !other.sources.isEmpty
                else { continue }
                chosen.append(other)
                open.append(other)
                leftOut.removeAll { $0.name == other.name }
            }
        }
        for target in project.targets where target.kind != .app && target.kind != .library {
            let isOfChosen = chosen.contains { target.dependencies.contains($0.name) || imports(target, $0) }
            if let reason = Self.reason(against: target, isOfChosen) {
                leftOut.append(LeftOut(name: target.name, reason: reason))
            } else {
                chosen.append(target)
            }
        }
        targets = chosen
    }

    private func imports(_ target: AppTarget, _ other: AppTarget) -> Bool {
        imports[target.name, default: []].contains(other.module)
    }

    private func reason(against target: AppTarget, _ chosen: [AppTarget], _ isTested: Bool) -> String? {
        if target.sources.isEmpty {
            return target.foreignSources.isEmpty ? "It has no Swift sources." : "Its sources are in Objective-C or C."
        }
        if let other = chosen.first(where: { $0.module == target.module }) {
            return "It has the same module name as '\(other.name)'."
        }
        let usesData =
            !target.models.isEmpty || !Self.data.isDisjoint(with: imports[target.name, default: []])
        guard usesData else { return "It uses neither Core Data nor SwiftData." }
        let shared = chosen.first { dataSources.intersection(target.sources).isSubset(of: $0.sources) }
        if let shared, !isTested { return "Its sources for Core Data and SwiftData are in '\(shared.name)'." }
        return nil
    }

    private static func reason(against target: AppTarget, _ isOfChosen: Bool) -> String? {
        switch target.kind {
        case .appExtension: "An extension runs only inside of Apple's systems."
        case .interfaceTests: "Its tests need a screen."
        case .unitTests where target.sources.isEmpty: "It has no Swift sources."
        case .unitTests: isOfChosen ? nil : "It tests none of the targets that are taken."
        default: "It is no app, library or test bundle."
        }
    }

    private static let data: Set<String> = ["CoreData", "SwiftData"]

    private static func imports(of source: URL) -> Set<String> {
        guard let data = try? Data(contentsOf: source) else { return [] }
        let text = String(decoding: data, as: UTF8.self)
        let pattern =
            /(?m)^[ \t]*(?:@\w+\s+)*(?:public |internal |private )?import\s+(?:class |struct |enum |func )?(\w+)/
        return Set(text.matches(of: pattern).map { String($0.output.1) })
    }
}
