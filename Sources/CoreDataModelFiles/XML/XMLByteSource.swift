// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads a document piece by piece, so that a large file is never completely in memory.

import Foundation

/// A window on the bytes of a document.
struct XMLByteSource {
    static let pieceSize = 256 << 10

    private(set) var bytes: [UInt8]
    /// The position of the next byte within `bytes`.
    var position = 0
    private let refill: () throws -> Data?

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        refill = { nil }
    }

    /// - Parameter refill: returns the next piece; nil or an empty one at the end.
    init(refill: @escaping () throws -> Data?) {
        bytes = []
        self.refill = refill
    }

    /// Whether `count` bytes follow the position. Reads more of the document if necessary.
    mutating func has(_ count: Int) throws -> Bool {
        while bytes.count - position < count {
            guard let piece = try refill(), !piece.isEmpty else { return false }
            // The remainder is the start of one token, a few bytes.
            if position > 0 { bytes.removeFirst(position) }
            position = 0
            bytes.append(contentsOf: piece)
        }
        return true
    }
}
