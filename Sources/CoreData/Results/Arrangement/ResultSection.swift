// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The objects of one section in order: finds, inserts and removes in bounded time.

import Foundation

/// A list of chunks. An operation searches the chunks, and moves entries within one of them.
///
/// # Invariants
/// (1) No chunk is empty, and none has more than `ResultChunk.limit` entries.
/// (2) The entries are in the order of their placements.
final class ResultSection {
    let name: String
    private(set) var chunks: [ResultChunk] = []
    private(set) var count = 0
    /// Position among the sections, before the edit and now; -1 outside the arrangement.
    var oldIndex = -1
    var index = -1
    var oldCount = 0
    /// Old positions of entries that the edit removes or moves within the section.
    var vacated: [Int] = []
    /// Whether its first entry may have changed since the edit began.
    var isTouched = false

    init(_ name: String) { self.name = name }

    var first: ResultEntry? { chunks.first?.entries.first }

    var entries: [ResultEntry] { chunks.flatMap(\.entries) }

    /// Appends an entry at the end.
    func append(_ entry: ResultEntry) {
        if let last = chunks.last, last.entries.count < ResultChunk.limit / 2 {
            last.entries.append(entry)
            entry.chunk = last
        } else {
            chunks.append(ResultChunk(self, [entry]))
        }
        count += 1
    }

    /// Inserts an entry before the first one that it precedes.
    func insert(_ entry: ResultEntry, before isBehind: (ResultEntry) -> Bool) {
        guard !chunks.isEmpty else { return append(entry) }
        // The last chunk with a first entry that does not come after the new one.
        let found = BinarySearch.first(of: chunks.count) { isBehind(chunks[$0].entries[0]) }
        let chunk = chunks[max(found - 1, 0)]
        let place = BinarySearch.first(of: chunk.entries.count) { isBehind(chunk.entries[$0]) }
        chunk.entries.insert(entry, at: place)
        entry.chunk = chunk
        count += 1
        if chunk.entries.count > ResultChunk.limit { split(max(found - 1, 0)) }
    }

    private func split(_ number: Int) {
        let chunk = chunks[number]
        let half = chunk.entries.count / 2
        chunks.insert(ResultChunk(self, Array(chunk.entries[half...])), at: number + 1)
        chunk.entries.removeSubrange(half...)
    }

    func remove(_ entry: ResultEntry) {
        guard let chunk = entry.chunk, let place = chunk.entries.firstIndex(where: { $0 === entry }) else { return }
        chunk.entries.remove(at: place)
        entry.chunk = nil
        count -= 1
        if chunk.entries.isEmpty { chunks.removeAll { $0 === chunk } }
    }

    /// The entries before and after one.
    func neighbours(of entry: ResultEntry) -> (before: ResultEntry?, after: ResultEntry?) {
        guard let chunk = entry.chunk, let place = chunk.entries.firstIndex(where: { $0 === entry }) else {
            return (nil, nil)
        }
        let isInside = place > 0 && place + 1 < chunk.entries.count
        if isInside { return (chunk.entries[place - 1], chunk.entries[place + 1]) }
        let number = chunks.firstIndex { $0 === chunk } ?? 0
        let before = place > 0 ? chunk.entries[place - 1] : number > 0 ? chunks[number - 1].entries.last : nil
        let after =
            place + 1 < chunk.entries.count
            ? chunk.entries[place + 1] : number + 1 < chunks.count ? chunks[number + 1].entries.first : nil
        return (before, after)
    }

    func position(of entry: ResultEntry) -> Int? {
        var base = 0
        for chunk in chunks {
            if chunk === entry.chunk { return chunk.entries.firstIndex { $0 === entry }.map { base + $0 } }
            base += chunk.entries.count
        }
        return nil
    }

    func entry(at position: Int) -> ResultEntry {
        var rest = position
        for chunk in chunks {
            if rest < chunk.entries.count { return chunk.entries[rest] }
            rest -= chunk.entries.count
        }
        preconditionFailure("Section '\(name)' has no position \(position): it has \(count) objects.")
    }
}
