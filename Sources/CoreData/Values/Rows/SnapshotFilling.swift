// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Fills a row that was just read: the hottest writes of a fetch.

/// Writes each slot of a new block once. All are null before, so nothing is released; the null bits are written at the
/// end.
///
/// The caller provides the positions of slots (`SlotDescriptor.word`), and shares the block only when it is complete.
package struct SnapshotFilling: ~Copyable {
    private let header: UnsafeMutablePointer<Snapshot.Header>
    private let words: RowWords
    /// The bits to clear among the first 32.
    private var cleared: UInt32 = 0

    /// - Parameter snapshot: retained by the caller until the filling is done.
    @inline(__always) package init(_ snapshot: Snapshot) {
        (header, words) = snapshot.withUnsafeMutablePointers { ($0, RowWords($1)) }
    }

    deinit { header.pointee.bits &= ~cleared }

    @inline(__always) private mutating func clear(_ position: Int) {
        if position < 32 {
            cleared |= 1 << UInt32(position)
        } else {
            words[(position - 32) / 64] &= ~(1 << UInt64((position - 32) % 64))
        }
    }

    @inline(__always) package mutating func set(_ value: Int64, _ slot: Int, word: Int) {
        words[word] = UInt64(bitPattern: value)
        clear(slot)
    }

    @inline(__always) package mutating func set(_ value: Double, _ slot: Int, word: Int) {
        words[word] = value.bitPattern
        clear(slot)
    }

    @inline(__always) package mutating func set(_ value: Bool, _ slot: Int, bit: Int) {
        if !value { clear(bit) }
        clear(slot)
    }

    @inline(__always) package mutating func set(_ value: String, _ slot: Int, word: Int) {
        words.initialize(word, to: value)
        clear(slot)
    }

    @inline(__always) package mutating func set(_ value: ValueBox, _ slot: Int, word: Int) {
        words.initialize(word, to: value)
        clear(slot)
    }

    /// Sets a to-one relationship to an entity with subentities.
    @inline(__always) package mutating func set(_ key: Int64, entity: Int, _ slot: Int, word: Int) {
        words[word + 1] = UInt64(entity)
        set(key, slot, word: word)
    }
}
