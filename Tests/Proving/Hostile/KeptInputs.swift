// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The inputs that fuzzing has found, tried again on each run.

import Foundation

/// Inputs that libFuzzer found, each for code that no smaller one reaches. `Scripts/test-fuzz --keep` writes them: a
/// property list for each target, with its name, in `Tests/Data/Fuzzing`.
enum KeptInputs {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Data/Fuzzing").standardized

    /// Empty for a target without a list.
    private static func inputs(_ target: String) throws -> [Data] {
        let url = folder.appending(path: "\(target).plist")
        guard FileManager.default.fileExists(atPath: url.path) else { return [] }
        let list = try Data(contentsOf: url)
        guard let inputs = try PropertyListSerialization.propertyList(from: list, format: nil) as? [Data] else {
            throw CocoaError(.propertyListReadCorrupt)
        }
        return inputs
    }

    /// Feeds one input each, in the order of the targets.
    static func cases(_ good: HostileInputs) throws -> [(Place) throws -> Void] {
        var cases: [(Place) throws -> Void] = []
        for target in ParserTarget.allCases {
            cases += try inputs(target.rawValue).map { input in { _ in try? target.feed(input) } }
        }
        for target in StoreTarget.allCases {
            cases += try inputs(target.rawValue).map { input in { try target.feed(input, good, $0) } }
        }
        guard !cases.isEmpty else { throw CocoaError(.fileReadNoSuchFile, userInfo: [NSFilePathErrorKey: folder.path]) }
        return cases
    }
}
