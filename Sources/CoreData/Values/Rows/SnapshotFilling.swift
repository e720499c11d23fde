// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Fills a row that was just read: the hottest stores of a fetch.

/// Writes the slots of a new block, each once. All are null, so nothing is released; the null bits are written at the
/// end.
///
/// The caller knows where slots lie (`SlotPlace.word`), and hands the block on when it is done.
package struct SnapshotFilling: ~Copyable {
    private let header: UnsafeMutablePointer<Snapshot.Header>
    private let words: RowWords
    /// Of the first 32 bits those that are to be cleared.
    private var cleared: UInt32 = 0

    /// - Parameter snapshot: held by the caller until the filling is done.
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

    /// A to-one whose destination has subentities.
    @inline(__always) package mutating func set(_ key: Int64, entity: Int, _ slot: Int, word: Int) {
        words[word + 1] = UInt64(entity)
        set(key, slot, word: word)
    }
}
