// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Values of several types in words of one block.

/// The words of a row. Numbers are bit patterns; strings and objects are stored in place.
///
/// Assumption: the caller knows the type of each word (from the layout of the row), initializes a value before reading
/// it and destroys it once. A value takes as many words as its type needs.
struct RowWords {
    private let words: UnsafeMutablePointer<UInt64>

    @inline(__always) init(_ words: UnsafeMutablePointer<UInt64>) { self.words = words }

    @inline(__always) subscript(word: Int) -> UInt64 {
        get { words[word] }
        nonmutating set { words[word] = newValue }
    }

    @inline(__always) func value<Value>(_ word: Int, as type: Value.Type = Value.self) -> Value { place(word).pointee }

    @inline(__always) func initialize<Value>(_ word: Int, to value: Value) { place(word).initialize(to: value) }

    @inline(__always) func replace<Value>(_ word: Int, by value: Value) { place(word).pointee = value }

    @inline(__always) func destroy<Value>(_ word: Int, _ type: Value.Type) {
        place(word, as: type).deinitialize(count: 1)
    }

    func copy(_ other: RowWords, count: Int) { words.update(from: other.words, count: count) }

    @inline(__always) private func place<Value>(_ word: Int, as type: Value.Type = Value.self)
        -> UnsafeMutablePointer<Value>
    {
        UnsafeMutableRawPointer(words + word).assumingMemoryBound(to: Value.self)
    }
}
