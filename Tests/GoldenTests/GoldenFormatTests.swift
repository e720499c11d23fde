// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compares the files that this version writes with the newest golden stores.

import Foundation
import GoldenStores
import Testing

/// Proves: GoldenStores-G7, G8
@Suite("The format of files") struct GoldenFormatTests {
    static let remedy: Comment =
        "The format of files has changed. If that is meant, commit the change, run Scripts/golden, and commit its stores."

    @Test("each variant has a golden store of the newest format", arguments: GoldenVariant.allCases)
    func isComplete(variant: GoldenVariant) {
        #expect(GoldenStore.newest.contains { $0.variant == variant }, Self.remedy)
    }

    @Test("is that of the newest golden stores", arguments: GoldenStore.newest)
    func format(store: GoldenStore) throws {
        let golden = try store.withCopy { try FormatFingerprint.lines($0, store.variant) }
        let current = try TemporaryPlace.with { folder in
            try store.variant.write(in: folder)
            return try FormatFingerprint.lines(folder.appendingPathComponent(store.variant.fileName), store.variant)
        }
        #expect(golden.count > 3)
        #expect(Set(current).subtracting(golden).sorted() == [], Self.remedy)
        #expect(Set(golden).subtracting(current).sorted() == [], Self.remedy)
    }

    @Test("a changed table, index or key of the metadata is found")
    func sensitivity() throws {
        let store = try #require(GoldenStore.newest.first { $0.variant == .plain })
        let (before, after) = try store.withCopy { url in
            let before = try FormatFingerprint.lines(url, .plain)
            try Self.addIndex(url)
            return (before, try FormatFingerprint.lines(url, .plain))
        }
        #expect(Set(after).subtracting(before).count == 1)
    }

    @Test("golden stores take less than two megabytes")
    func size() throws {
        let keys: [URLResourceKey] = [.fileSizeKey]
        let files = FileManager.default.enumerator(at: GoldenStore.root, includingPropertiesForKeys: keys)
        var bytes = 0
        while let file = files?.nextObject() as? URL {
            bytes += try file.resourceValues(forKeys: Set(keys)).fileSize ?? 0
        }
        #expect((100_000..<2_000_000).contains(bytes))
    }
}
