// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The findings of the doctor and the sizes of a store as plain values.

/// A fault of a store, or a fact about it.
public struct BrowsedFinding: Sendable {
    /// The severity of a finding.
    public enum Severity: String, Sendable {
        /// Values are lost or wrong, or an app fails.
        case error
        /// An app may behave wrongly, or a later save may fail.
        case warning
        /// A fact worth knowing; the store is sound.
        case note
    }

    /// The severity.
    public let severity: Severity
    /// The id of the rule, such as "reference.dangling".
    public let rule: String
    /// The entity, and the property after a point; nil for the file as a whole.
    public let place: String?
    /// The number of rows, files or entries that break the rule.
    public let count: Int
    /// The URIs of the first objects; empty where no object is concerned.
    public let objects: [String]
    /// A sentence about the finding.
    public let text: String
    /// A sentence about the effect in an app.
    public let consequence: String
    /// The command that repairs it; nil where none does.
    public let command: String?
}

/// The sizes of a SQLite store in bytes.
public struct BrowsedSizes: Sendable {
    /// A thing with a size.
    public struct Part: Sendable {
        /// The name of an entity, of an attribute with its entity, or of an index.
        public let name: String
        /// The objects or values; nil for an index.
        public let count: Int?
        /// The bytes of values, pages and files together.
        public let bytes: Int
    }

    /// The bytes of the database file.
    public let database: Int
    /// The bytes of the write-ahead log.
    public let log: Int
    /// The bytes of large data in external files.
    public let largeData: Int
    /// The bytes of free pages in the database file.
    public let free: Int
    /// The largest first.
    public let entities: [Part]
    /// The largest first.
    public let attributes: [Part]
    /// The largest first.
    public let indexes: [Part]
}

extension BrowsedStore {
    /// Examines the store by all rules of the doctor. Reads every table, and writes nothing.
    ///
    /// - Throws: `BrowsingError` for a file that cannot be examined.
    public func findings() throws(BrowsingError) -> [BrowsedFinding] {
        do {
            return try Doctor(url, model: modelURL, inference: inference).examine().map { finding in
                BrowsedFinding(
                    severity: BrowsedFinding.Severity(rawValue: finding.severity.rawValue) ?? .note,
                    rule: finding.rule,
                    place: finding.entity.map { entity in finding.property.map { "\(entity).\($0)" } ?? entity }
                        ?? finding.property,
                    count: finding.count, objects: finding.objects, text: finding.text,
                    consequence: finding.consequence, command: finding.command)
            }
        } catch {
            throw BrowsingError(error)
        }
    }

    /// Measures the store. Reads every table, and writes nothing.
    ///
    /// - Throws: `BrowsingError` for a store that is no SQLite file.
    public func sizes() throws(BrowsingError) -> BrowsedSizes {
        do {
            let sizes = try StoreStatistics(of: url, model: modelURL, inference: inference)
            return BrowsedSizes(
                database: sizes.databaseBytes, log: sizes.logBytes, largeData: sizes.largeDataBytes,
                free: sizes.freePages * sizes.pageSize,
                entities: sizes.entities.map { entity in
                    let pages = entity.tableBytes.map { $0 + (entity.indexBytes ?? 0) } ?? entity.valueBytes
                    return .init(name: entity.name, count: entity.objects, bytes: pages + entity.fileBytes)
                },
                attributes: sizes.attributes.map {
                    .init(name: "\($0.entity).\($0.name)", count: $0.values, bytes: $0.bytes + $0.fileBytes)
                },
                indexes: sizes.indexes.map { .init(name: $0.name, count: nil, bytes: $0.bytes) })
        } catch {
            throw BrowsingError(error)
        }
    }
}
