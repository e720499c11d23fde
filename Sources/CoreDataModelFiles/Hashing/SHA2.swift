// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// SHA-256 and SHA-512 (FIPS 180-4), for version hashes, store metadata and the signatures of cursors.

package import Foundation

/// The two digests in model files, store metadata and cursors.
///
/// No external library: the only well-maintained one for Swift takes longer to build than this whole module. Time
/// and addresses depend on the length of the data only, not on its bytes.
package enum SHA2 {
    package static func sha256(_ message: Data) -> Data { message.withUnsafeBytes(digest256) }
    package static func sha256(_ message: [UInt8]) -> Data { message.withUnsafeBytes(digest256) }
    package static func sha512(_ message: Data) -> Data { message.withUnsafeBytes(digest512) }

    private static func digest256(_ message: UnsafeRawBufferPointer) -> Data {
        var state = initialState256
        roundConstants256.withUnsafeBufferPointer { constants in
            withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { words in
                withPadded(message, blockSize: 64) { bytes in
                    for block in stride(from: 0, to: bytes.count, by: 64) {
                        for t in 0..<16 {
                            words[t] = UInt32(
                                bigEndian: bytes.loadUnaligned(fromByteOffset: block + 4 * t, as: UInt32.self))
                        }
                        compress256(&state, words, constants)
                    }
                }
            }
        }
        return bytes(state)
    }

    private static func digest512(_ message: UnsafeRawBufferPointer) -> Data {
        var state = initialState
        roundConstants.withUnsafeBufferPointer { constants in
            withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 80) { words in
                withPadded(message, blockSize: 128) { bytes in
                    for block in stride(from: 0, to: bytes.count, by: 128) {
                        for t in 0..<16 {
                            words[t] = UInt64(
                                bigEndian: bytes.loadUnaligned(fromByteOffset: block + 8 * t, as: UInt64.self))
                        }
                        compress512(&state, words, constants)
                    }
                }
            }
        }
        return bytes(state)
    }

    /// The words in big-endian order.
    private static func bytes<Word: FixedWidthInteger>(_ words: [Word]) -> Data {
        words.map(\.bigEndian).withUnsafeBytes { Data($0) }
    }

    /// The message, a one bit, zeros, and the length in bits, in whole blocks.
    private static func withPadded(
        _ message: UnsafeRawBufferPointer, blockSize: Int, _ body: (UnsafeRawBufferPointer) -> Void
    ) {
        // The length field of SHA-512 is 16 bytes wide; its upper half is always zero here.
        let least = message.count + 1 + blockSize / 8
        let count = (least + blockSize - 1) / blockSize * blockSize
        withUnsafeTemporaryAllocation(byteCount: count, alignment: 8) { bytes in
            bytes.copyMemory(from: message)
            bytes[message.count] = 0x80
            for position in message.count + 1..<count { bytes[position] = 0 }
            bytes.storeBytes(of: (UInt64(message.count) * 8).bigEndian, toByteOffset: count - 8, as: UInt64.self)
            body(UnsafeRawBufferPointer(bytes))
        }
    }

    private static func compress256(
        _ state: inout [UInt32], _ w: UnsafeMutableBufferPointer<UInt32>, _ k: UnsafeBufferPointer<UInt32>
    ) {
        for t in 16..<64 {
            let (x, y) = (w[t - 15], w[t - 2])
            let small0 = (x >> 7 | x << 25) ^ (x >> 18 | x << 14) ^ (x >> 3)
            let small1 = (y >> 17 | y << 15) ^ (y >> 19 | y << 13) ^ (y >> 10)
            w[t] = w[t - 16] &+ small0 &+ w[t - 7] &+ small1
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for t in 0..<64 {
            let large1 = (e >> 6 | e << 26) ^ (e >> 11 | e << 21) ^ (e >> 25 | e << 7)
            let first = h &+ large1 &+ ((e & f) ^ (~e & g)) &+ k[t] &+ w[t]
            let large0 = (a >> 2 | a << 30) ^ (a >> 13 | a << 19) ^ (a >> 22 | a << 10)
            let second = large0 &+ ((a & b) ^ (a & c) ^ (b & c))
            (h, g, f, e) = (g, f, e, d &+ first)
            (d, c, b, a) = (c, b, a, first &+ second)
        }
        state.withUnsafeMutableBufferPointer { state in
            state[0] &+= a
            state[1] &+= b
            state[2] &+= c
            state[3] &+= d
            state[4] &+= e
            state[5] &+= f
            state[6] &+= g
            state[7] &+= h
        }
    }

    private static func compress512(
        _ state: inout [UInt64], _ w: UnsafeMutableBufferPointer<UInt64>, _ k: UnsafeBufferPointer<UInt64>
    ) {
        for t in 16..<80 {
            let (x, y) = (w[t - 15], w[t - 2])
            let small0 = (x >> 1 | x << 63) ^ (x >> 8 | x << 56) ^ (x >> 7)
            let small1 = (y >> 19 | y << 45) ^ (y >> 61 | y << 3) ^ (y >> 6)
            w[t] = w[t - 16] &+ small0 &+ w[t - 7] &+ small1
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for t in 0..<80 {
            let large1 = (e >> 14 | e << 50) ^ (e >> 18 | e << 46) ^ (e >> 41 | e << 23)
            let first = h &+ large1 &+ ((e & f) ^ (~e & g)) &+ k[t] &+ w[t]
            let large0 = (a >> 28 | a << 36) ^ (a >> 34 | a << 30) ^ (a >> 39 | a << 25)
            let second = large0 &+ ((a & b) ^ (a & c) ^ (b & c))
            (h, g, f, e) = (g, f, e, d &+ first)
            (d, c, b, a) = (c, b, a, first &+ second)
        }
        for (position, value) in [a, b, c, d, e, f, g, h].enumerated() { state[position] &+= value }
    }

    private static let initialState256 = initialState.map { UInt32(truncatingIfNeeded: $0 >> 32) }
    private static let roundConstants256 = roundConstants.prefix(64).map { UInt32(truncatingIfNeeded: $0 >> 32) }

    /// The fractions of the square roots of the first 8 primes; SHA-256 uses the upper halves.
    private static let initialState: [UInt64] = [
        0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
        0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
    ]

    /// The fractions of the cube roots of the first 80 primes; SHA-256 uses the upper halves of the first 64.
    private static let roundConstants: [UInt64] = [
        0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc,
        0x3956c25bf348b538, 0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118,
        0xd807aa98a3030242, 0x12835b0145706fbe, 0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2,
        0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235, 0xc19bf174cf692694,
        0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
        0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5,
        0x983e5152ee66dfab, 0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4,
        0xc6e00bf33da88fc2, 0xd5a79147930aa725, 0x06ca6351e003826f, 0x142929670a0e6e70,
        0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed, 0x53380d139d95b3df,
        0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
        0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30,
        0xd192e819d6ef5218, 0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8,
        0x19a4c116b8d2d0c8, 0x1e376c085141ab53, 0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8,
        0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373, 0x682e6ff3d6b2b8a3,
        0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
        0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b,
        0xca273eceea26619c, 0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178,
        0x06f067aa72176fba, 0x0a637dc5a2c898a6, 0x113f9804bef90dae, 0x1b710b35131c471b,
        0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc, 0x431d67c49c100d4c,
        0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
    ]
}
