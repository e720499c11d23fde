// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Verifies a store by itself, or against the original that it was migrated from.

package import CoreData
import CoreDataModelFiles
import Foundation

/// The findings of a verification.
package struct StoreVerification: Sendable {
    /// The defects of the store; empty for a sound one.
    package private(set) var defects: [StoreDefect] = []
    /// The differences from the original, as sentences.
    package private(set) var differences: [String] = []
    /// The number of objects compared with the original; nil without one.
    package private(set) var comparedObjects: Int?
    /// The number of objects of the original that are in a quarantine; nil without one.
    package private(set) var quarantinedObjects: Int?
    /// The properties of the original that have no counterpart.
    package private(set) var unmatched: [String] = []

    package var isWhole: Bool { defects.isEmpty && differences.isEmpty }

    /// Reads the whole store, and the whole original. Changes neither.
    ///
    /// - Parameters:
    ///   - modelURL: the model of the store; nil for the one that the store keeps.
    ///   - original: the store before its migration.
    ///   - quarantines: the stores with the objects that could not be migrated.
    ///   - inference: takes the model that the tables imply, for a store or an original that keeps none.
    /// - Throws: an error for the user for a file that cannot be read, and for a store of another version.
    package init(
        _ url: URL, model modelURL: URL?, version: String? = nil, configuration: String? = nil, original: URL? = nil,
        quarantines: [URL] = [], inference: ModelInference? = nil
    ) throws {
        let store = try OpenedStore(url, model: modelURL, version: version, inference: inference)
        let isInferred = store.origin.isInferred && store.type == NSSQLiteStoreType
        guard !isInferred || inference != nil else {
            throw ToolError(
                "\(url.shownPlace) keeps no model: give one with --model, or take the one inferred from its tables "
                    + "with --infer.")
        }
        defects =
            url.isServer || isInferred
            ? try Self.examined(url, modelURL, version, inference) : try store.defects(configuration: configuration)
        guard let original else { return }
        // Values of a damaged file prove nothing.
        guard !defects.contains(where: { $0.kind == .damage }) else { return }
        let former = try Self.opened(original, modelURL, inference)
        let comparison = try OriginalComparison(
            former, store, quarantines: try quarantines.map { try Self.opened($0, modelURL, inference) })
        quarantinedObjects = quarantines.isEmpty ? nil : comparison.quarantinedObjects
        comparedObjects = comparison.comparedObjects
        differences = comparison.differences
        unmatched = comparison.unmatched
    }

    /// An original with its version from the bundle, or else with the model that it keeps.
    private static func opened(
        _ url: URL, _ modelURL: URL?, _ inference: ModelInference?
    ) throws -> OpenedStore {
        if let modelURL {
            for version in try ModelBundle(contentsOf: modelURL).versions {
                if let store = try? OpenedStore(url, model: modelURL, version: version.name) { return store }
            }
        }
        let store = try OpenedStore(url, inference: inference)
        guard store.origin != .schema || inference != nil else {
            throw ToolError(
                "\(url.shownPlace) keeps no model, and no version of --model is its own: --infer takes the one "
                    + "inferred from its tables.")
        }
        return store
    }

    /// The doctor's rules that a migration could break, and their kinds.
    private static let rules: [String: StoreDefect.Kind] = [
        "index.missing": .schema, "row.key": .row, "row.entity": .row, "order.missing": .row, "order.doubled": .row,
        "unique.doubled": .row, "history.change": .row, "reference.dangling": .reference,
        "reference.foreign": .reference, "link.dangling": .reference, "link.mirror": .reference,
        "file.damage": .damage, "large.missing": .largeData,
    ]

    /// The defects of a store on a server, or with an inferred model. Opening it has compared tables and columns with
    /// the model. Findings about guesses are notes, and no defects.
    private static func examined(
        _ url: URL, _ modelURL: URL?, _ version: String?, _ inference: ModelInference?
    ) throws -> [StoreDefect] {
        try Doctor(url, model: modelURL, version: version, inference: inference ?? ModelInference())
            .examine(Doctor.Options(rules: Set(rules.keys), examples: 1))
            .filter { $0.severity != .note }
            .map { StoreDefect(rules[$0.rule] ?? .row, $0.text) }
    }

    // MARK: Text

    package func text(isJSON: Bool) -> String { isJSON ? json.prettyText + "\n" : lines }

    private var lines: String {
        var text = isWhole ? "The store is whole.\n" : ""
        text += defects.map { "\($0.kind.rawValue): \($0.text)\n" }.joined()
        text += differences.map { "difference: \($0)\n" }.joined()
        if let comparedObjects {
            text += "Compared with the original: \(comparedObjects) object\(comparedObjects == 1 ? "" : "s").\n"
            if let quarantinedObjects {
                text += "In the quarantine: \(quarantinedObjects) object\(quarantinedObjects == 1 ? "" : "s").\n"
            }
            if !unmatched.isEmpty { text += "Without a counterpart: \(unmatched.list).\n" }
        }
        return text
    }

    private var json: JSONValue {
        .members([
            "isWhole": .boolean(isWhole),
            "defects": .array(
                defects.map { .members(["kind": .string($0.kind.rawValue), "text": .string($0.text)]) }),
            "differences": .array(differences.map(JSONValue.string)),
            "comparedObjects": comparedObjects.map { JSONValue.integer($0) },
            "quarantinedObjects": quarantinedObjects.map { JSONValue.integer($0) },
            "leftOut": comparedObjects.map { _ in .array(unmatched.map(JSONValue.string)) },
        ])
    }
}

extension OpenedStore {
    /// Stores of the other kinds are read completely at opening, which has found their defects.
    fileprivate func defects(configuration: String?) throws -> [StoreDefect] {
        guard type == NSSQLiteStoreType else { return [] }
        let model = NSManagedObjectModel(document: document)
        for entity in model.entities { entity.managedObjectClassName = "NSManagedObject" }
        return try defects(of: model, configuration: configuration)
    }
}
