// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The bytes of a document, piece by piece, so that a large file is never in memory as a whole.

import Foundation

/// A window on the bytes of a document.
struct XMLByteSource {
    static let pieceSize = 256 << 10

    private(set) var bytes: [UInt8]
    /// Of the next byte within `bytes`.
    var position = 0
    private let refill: () throws -> Data?

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        refill = { nil }
    }

    /// - Parameter refill: the next piece; nil or none at the end.
    init(refill: @escaping () throws -> Data?) {
        bytes = []
        self.refill = refill
    }

    /// Whether `count` bytes are there from the position on, which are read when they are not.
    mutating func has(_ count: Int) throws -> Bool {
        while bytes.count - position < count {
            guard let piece = try refill(), !piece.isEmpty else { return false }
            // What is left is the beginning of one mark, a few bytes.
            if position > 0 { bytes.removeFirst(position) }
            position = 0
            bytes.append(contentsOf: piece)
        }
        return true
    }
}
