// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What the last run wrote and cut, kept in the output folder.

import Foundation

struct AdoptionRecord: Codable, Equatable {
    static let fileName = ".adoption.json"

    struct Source: Codable, Equatable {
        var digest: String
        var cuts: [Cut]
    }

    /// The form of this file.
    var version = 1
    /// The digest of each file that the tool wrote, by path; "->" and the destination for a link.
    var written: [String: String] = [:]
    /// The cuts of each source, by the path of its target's folder and its own.
    var sources: [String: Source] = [:]
    /// The digest of each file and section that options of the tool wrote into the repository, by path.
    var outside: [String: String] = [:]

    init() {}

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        version = try fields.decode(Int.self, forKey: .version)
        written = try fields.decode([String: String].self, forKey: .written)
        sources = try fields.decode([String: Source].self, forKey: .sources)
        // Records of earlier versions have none.
        outside = try fields.decodeIfPresent([String: String].self, forKey: .outside) ?? [:]
    }

    /// An unreadable record counts as none.
    static func read(in folder: URL) -> AdoptionRecord? {
        guard let data = try? Data(contentsOf: folder.appendingPathComponent(fileName)) else { return nil }
        let record = try? JSONDecoder().decode(AdoptionRecord.self, from: data)
        return record?.version == 1 ? record : nil
    }

    func data() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }
}
