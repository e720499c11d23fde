// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the slot for a property's name in a few nanoseconds.

/// The slots of an entity by name.
///
/// Strings of up to 15 bytes are hashed and compared by their words (`StringWords`). Longer ones go through a
/// dictionary, and so do all strings if their memory layout is different.
package struct KeyTable {
    private struct Entry {
        var words = StringWords.none
        var slot = -1
    }

    private let mask: Int
    private let entries: [Entry]
    private let names: [String: Int]

    package init(_ names: [String: Int]) {
        self.names = names
        var size = 8
        while size < names.count * 3 { size *= 2 }
        mask = size - 1
        var entries = Array(repeating: Entry(), count: size)
        if StringWords.isAsExpected {
            for (name, slot) in names where name.utf8.count <= 15 {
                let words = StringWords.native(name)
                var position = words.hash & mask
                while entries[position].slot >= 0 { position = (position + 1) & mask }
                entries[position] = Entry(words: words, slot: slot)
            }
        }
        self.entries = entries
    }

    /// nil for an unknown name.
    @inline(__always) package subscript(name: String) -> Int? {
        let words = StringWords(name)
        guard words.isInline else { return names[name] }
        var position = words.hash & mask
        while entries[position].slot >= 0 {
            let entry = entries[position]
            if entry.words == words { return entry.slot }
            position = (position + 1) & mask
        }
        return StringWords.isAsExpected ? nil : names[name]
    }
}
