// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The methods of a class in its metadata.

/// The words of a class's metadata that contain the methods of a base class. All subclasses have them at the same
/// positions.
///
/// Assumption: word 4 of a class's metadata has the size of the metadata and the offset in it to which the pointer to
/// the class points (`ClassMetadata` of Swift's ABI), on a machine with words of 64 bits. If the size is implausible,
/// and with `OCD_PORTABLE`, the table is empty; its users then treat every class as overriding.
struct MethodTable {
    private let words: UnsafeBufferPointer<UInt>

    /// - Parameter type: the base class, or a subclass of it.
    init(_ type: AnyClass, of base: AnyClass) {
        #if OCD_PORTABLE
            words = UnsafeBufferPointer(start: nil, count: 0)
        #else
            let baseWords = unsafeBitCast(base as AnyObject.Type, to: UnsafePointer<UInt>.self)
            let size = Int(baseWords[4] & 0xffff_ffff) - Int(baseWords[4] >> 32)
            guard MemoryLayout<UInt>.size == 8, (64..<65_536).contains(size) else {
                words = UnsafeBufferPointer(start: nil, count: 0)
                return
            }
            let own = unsafeBitCast(type as AnyObject.Type, to: UnsafePointer<UInt>.self)
            words = UnsafeBufferPointer(start: own + 7, count: size / 8 - 7)
        #endif
    }

    var indices: Range<Int> { words.indices }

    subscript(entry: Int) -> UInt { words[entry] }
}
