// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Free names for tables and columns while a script runs.

/// Gives each table a name that no other table has at the time. SQLite ignores case in names.
struct ScratchNames {
    private let prefix = "ZMIGRATION"
    private var taken: Set<String>

    init(_ names: some Sequence<String>) { taken = Set(names.map { $0.uppercased() }) }

    /// Returns the name itself if it is free, otherwise an unused one.
    mutating func claim(_ name: String) -> String {
        if taken.insert(name.uppercased()).inserted { return name }
        return free()
    }

    mutating func free() -> String {
        var number = 1
        while !taken.insert("\(prefix)\(number)").inserted { number += 1 }
        return "\(prefix)\(number)"
    }
}
