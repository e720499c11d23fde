// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A package in a Debian status file, and the parser of such files.

import Foundation

/// The fields of a package that the demonstration uses.
struct PackageRecord: Sendable {
    var name: String
    var version: String?
    var architecture: String?
    var section: String?
    var maintainer: String?
    var maintainerAddress: String?
    var summary: String?
    var homepage: URL?
    /// In kibibytes.
    var installedSize = 0
    var isEssential = false
    /// Names, without alternatives and versions.
    var dependencies: [String] = []
}

extension PackageRecord {
    /// Reads paragraphs of `Field: value` separated by empty lines; lines that start with a space continue
    /// the previous one.
    ///
    /// Packages that are not installed are skipped.
    static func parse(_ text: String) -> [PackageRecord] {
        text.split(separator: "\n\n").compactMap { paragraph in
            var fields: [Substring: Substring] = [:]
            for line in paragraph.split(separator: "\n") where line.first != " " && line.first != "\t" {
                guard let colon = line.firstIndex(of: ":") else { continue }
                fields[line[..<colon]] = line[line.index(after: colon)...].trimmed
            }
            return PackageRecord(fields)
        }
    }

    private init?(_ fields: [Substring: Substring]) {
        guard let name = fields["Package"], fields["Status"]?.hasSuffix(" installed") ?? true else { return nil }
        self.name = String(name)
        version = fields["Version"].map(String.init)
        architecture = fields["Architecture"].map(String.init)
        section = fields["Section"].map(String.init)
        summary = fields["Description"].map(String.init)
        homepage = fields["Homepage"].flatMap { URL(string: String($0)) }
        installedSize = fields["Installed-Size"].flatMap { Int($0) } ?? 0
        isEssential = fields["Essential"] == "yes"
        if let text = fields["Maintainer"] {
            // "Jane Doe <jane@example.org>"
            let parts = text.split(separator: "<", maxSplits: 1)
            maintainer = parts.first.map { String($0.trimmed) }
            maintainerAddress = parts.count > 1 ? String(parts[1].prefix { $0 != ">" }) : nil
        }
        dependencies = ["Pre-Depends", "Depends"].flatMap { Self.names(fields[$0] ?? "") }
    }

    /// The names in "libc6 (>= 2.34), perl:any | perl-base", with the first of several alternatives.
    private static func names(_ text: Substring) -> [String] {
        text.split(separator: ",").compactMap { part in
            let name = part.trimmed.prefix { $0 != " " && $0 != "(" && $0 != "|" && $0 != ":" }
            return name.isEmpty ? nil : String(name)
        }
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        let start = drop(while: \.isWhitespace)
        return start[..<(start.lastIndex { !$0.isWhitespace }.map(start.index(after:)) ?? start.startIndex)]
    }
}
