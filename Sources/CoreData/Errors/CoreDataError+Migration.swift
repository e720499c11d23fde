// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Builds the errors of schema migration, with Apple's user info keys.

import Foundation

extension CoreDataError {
    /// A migration that failed while it ran (134110). The store is as before.
    ///
    /// - Parameter cause: also names the reason.
    package static func migrationFailed(_ url: URL, cause: NSError) -> NSError {
        let why = cause.userInfo["reason"] as? String ?? cause.localizedDescription
        return migrationFailed(url, reason: "Cannot migrate store in-place: \(why)", cause: cause)
    }

    /// A migration that failed while it ran (134110). The store is as before.
    package static func migrationFailed(_ url: URL, reason: String, cause: NSError) -> NSError {
        let hex = UUID().uuidString.replacing("-", with: "")
        let destination = url.deletingLastPathComponent()
            .appendingPathComponent(".\(url.lastPathComponent).migrationdestination_\(hex)")
        return make(
            .migration, "The store \(place(url)) cannot be migrated; it is as before. \(reason)", reason: reason,
            url: url,
            underlying: cause, userInfo: ["sourceURL": url, "destinationURL": destination])
    }

    /// A migration that the program has cancelled (134120). The store is as before.
    package static func migrationCancelled(_ url: URL) -> NSError {
        make(
            .migrationCancelled, "The migration of the store \(place(url)) was cancelled; the store is as before.",
            reason: "The progress of the migration was cancelled", url: url)
    }

    /// The rows of an entity that cannot be migrated (134110, or 134111 for duplicates).
    ///
    /// - Parameters:
    ///   - attribute: nil for the rows of the entity as such.
    ///   - reason: a sentence without its full stop.
    ///   - rows: their number; nil if not counted.
    package static func migrationCause(
        _ code: CocoaError.Code = .migration, entity: String?, attribute: String?, reason: String, rows: Int64? = nil,
        underlying: (any Error)? = nil
    ) -> NSError {
        var info: [String: Any] = [:]
        if let entity { info["entity"] = entity }
        if let attribute { info["attribute"] = attribute }
        if let rows { info["rows"] = NSNumber(value: rows) }
        let subject = [entity, attribute].compactMap { $0 }.joined(separator: ".")
        let count = rows.map { " (\($0) row\($0 == 1 ? "" : "s"))" } ?? ""
        return make(
            code, "\(subject.isEmpty ? "" : "\(subject): ")\(reason)\(count).", reason: reason, underlying: underlying,
            userInfo: info)
    }

    /// A mapping model that cannot be inferred (134190).
    package static func notInferable(_ entity: String, _ property: String?, reason: String) -> NSError {
        var info: [String: Any] = ["entity": entity]
        if let property { info["property"] = property }
        let subject = [entity, property].compactMap { $0 }.joined(separator: ".")
        return make(
            .inferredMappingModel, "No mapping can be inferred for \(subject): \(reason).",
            reason: reason, userInfo: info)
    }

    /// No mapping model (134140).
    ///
    /// - Parameters:
    ///   - tried: the versions that were considered as intermediate steps.
    ///   - refusal: the route through other versions that was rejected because it would lose more than a direct step,
    ///     with its losses and versions; nil if there was no such route. The user info has the losses as `lost`.
    static func missingMapping(
        _ url: URL?, source: Any, destination: Any, isInferring: Bool, tried: [String] = [],
        refusal: (lost: [String], versions: [String])? = nil, underlying: (any Error)? = nil
    ) -> NSError {
        let reason =
            isInferring
            ? "Can't find or automatically infer mapping model for migration"
            : "Can't find mapping model for migration"
        let versions =
            tried.isEmpty ? "" : ", neither directly nor through the versions \(tried.joined(separator: ", "))"
        let sentences = [
            "The store \(place(url)) cannot be migrated. \(reason)\(refusal == nil ? versions : "").",
            underlying.map { ($0 as NSError).localizedDescription },
            refusal.map {
                "The way through \($0.versions.joined(separator: ", ")) would lose \($0.lost.joined(separator: ", ")); "
                    + "it is taken with MigrationOption.allowsLoss alone."
            },
        ]
        var info = ["sourceModel": source, "destinationModel": destination]
        info["lost"] = refusal?.lost
        return make(
            .migrationMissingMappingModel, sentences.compactMap { $0 }.joined(separator: " "),
            reason: reason, url: url, underlying: underlying, userInfo: info)
    }

    /// No model with the version hashes of a store (134130).
    package static func missingSourceModel(_ url: URL?, metadata: [String: Any]) -> NSError {
        let reason = "Can't find model for source store"
        return make(
            .migrationMissingSourceModel,
            "The store \(place(url)) cannot be migrated. \(reason): neither the store, nor MigrationOption.versions, nor "
                + "a bundle has the version that wrote it.",
            reason: reason, url: url, userInfo: url.map { ["metadata": metadata, "URL": $0] } ?? ["metadata": metadata])
    }
}
