// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A deflate stream of a few kilobytes that expands to many megabytes of zeros.

import Foundation

/// One block with fixed codes: a zero, and then copies of the 258 bytes before, of 13 bits each.
enum DeflatedZeros {
    static func stream(megabytes: Int) -> Data {
        var output: [UInt8] = []
        var (word, count): (UInt64, UInt64) = (0, 0)
        func put(_ bits: UInt64, _ length: UInt64) {
            word |= bits << count
            count += length
            while count >= 8 {
                output.append(UInt8(truncatingIfNeeded: word))
                (word, count) = (word >> 8, count - 8)
            }
        }
        // The last block, with fixed codes: the literal 0 is 00110000, the length 258 is 11000101, the distance 1 is
        // 00000. Codes have their highest bit first.
        put(0b011, 3)
        put(0b0000_1100, 8)
        for _ in 0..<(megabytes << 20) / 258 {
            put(0b1010_0011, 8)
            put(0, 5)
        }
        put(0, 7)
        if count > 0 { output.append(UInt8(truncatingIfNeeded: word)) }
        return Data(output)
    }
}
