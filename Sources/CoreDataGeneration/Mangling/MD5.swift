// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// MD5 (RFC 1321), which the compiler uses for the names of private declarations.

import Foundation

enum MD5 {
    /// The digest as 32 upper-case digits.
    static func hex(_ text: String) -> String {
        var state: [UInt32] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476]
        let bytes = padded(Array(text.utf8))
        for block in stride(from: 0, to: bytes.count, by: 64) { compress(&state, bytes[block..<block + 64]) }
        return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32(8 * $0)) } }
            .map { String(format: "%02X", $0) }.joined()
    }

    private static func padded(_ message: [UInt8]) -> [UInt8] {
        var bytes = message + [0x80]
        while bytes.count % 64 != 56 { bytes.append(0) }
        let bits = UInt64(message.count) * 8
        return bytes + (0..<8).map { UInt8(truncatingIfNeeded: bits >> UInt64(8 * $0)) }
    }

    private static func compress(_ state: inout [UInt32], _ block: ArraySlice<UInt8>) {
        let words = (0..<16).map { index in
            (0..<4).reduce(UInt32(0)) { $0 | UInt32(block[block.startIndex + 4 * index + $1]) << UInt32(8 * $1) }
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        for step in 0..<64 {
            let (mixed, word): (UInt32, Int) =
                switch step / 16 {
                case 0: ((b & c) | (~b & d), step)
                case 1: ((d & b) | (~d & c), (5 * step + 1) % 16)
                case 2: (b ^ c ^ d, (3 * step + 5) % 16)
                default: (c ^ (b | ~d), (7 * step) % 16)
                }
            let sum = a &+ mixed &+ sines[step] &+ words[word]
            let shift = UInt32(shifts[step / 16][step % 4])
            (a, d, c, b) = (d, c, b, b &+ (sum << shift | sum >> (32 - shift)))
        }
        for (index, value) in [a, b, c, d].enumerated() { state[index] &+= value }
    }

    private static let shifts = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]]
    private static let sines = (1...64).map { UInt32(abs(sin(Double($0))) * 4_294_967_296) }
}
