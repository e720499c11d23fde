// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The names of the temporary files to which the file of a store is rewritten.

import Foundation

/// The names of temporary files for a target: `.<name>.<UUID>.tmp`.
struct TemporaryNames {
    let folder: URL
    private let prefix: String
    private static let suffix = ".tmp"

    init(of target: URL) {
        folder = target.deletingLastPathComponent()
        prefix = ".\(target.lastPathComponent.prefix(200))."
    }

    func new() -> String { prefix + UUID().uuidString + Self.suffix }

    func contains(_ name: String) -> Bool {
        guard name.hasPrefix(prefix), name.hasSuffix(Self.suffix) else { return false }
        return UUID(uuidString: String(name.dropFirst(prefix.count).dropLast(Self.suffix.count))) != nil
    }

    /// The name of the target to which a temporary file belongs; nil for other files.
    static func target(of name: String) -> String? {
        guard name.hasPrefix("."), name.hasSuffix(suffix), let end = name.dropLast(suffix.count).lastIndex(of: ".")
        else {
            return nil
        }
        let target = String(name[..<end].dropFirst())
        return TemporaryNames(of: URL(filePath: "/" + target)).contains(name) ? target : nil
    }
}
