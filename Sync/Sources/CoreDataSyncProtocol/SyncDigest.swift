// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// SHA-256 of bytes that arrive in pieces.
package import Foundation

/// SHA-256 (FIPS 180-4). Its state can be stored between two pieces, so that a transfer that was interrupted goes on
/// without reading the earlier pieces again. Libraries have no digest with a state to store, and that of `CoreData` is
/// not public: clients compile with Apple's framework, too.
package struct SyncDigest {
    private static let blockSize = 64
    private var words: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]
    private var count: UInt64 = 0
    /// The bytes after the last whole block.
    private var rest: [UInt8] = []

    package init() {}

    /// The lower-case hexadecimal digits of the digest of some bytes.
    package static func text(of bytes: Data) -> String {
        var digest = SyncDigest()
        digest.update(bytes)
        return digest.text
    }

    package mutating func update(_ bytes: Data) {
        count += UInt64(bytes.count)
        var start = 0
        if !rest.isEmpty {
            start = min(Self.blockSize - rest.count, bytes.count)
            rest += bytes.prefix(start)
            guard rest.count == Self.blockSize else { return }
            rest.withUnsafeBytes { take($0, from: 0, blocks: 1) }
            rest = []
        }
        let blocks = (bytes.count - start) / Self.blockSize
        bytes.withUnsafeBytes { take($0, from: start, blocks: blocks) }
        rest = Array(bytes.dropFirst(start + blocks * Self.blockSize))
    }

    /// The 64 digits. The digest can be updated further.
    package var text: String {
        var last = self
        let bits = count &* 8
        let zeros = (119 - Int(count % 64)) % 64
        last.update(Data([0x80]) + Data(count: zeros) + withUnsafeBytes(of: bits.bigEndian) { Data($0) })
        return last.words.map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 8 - digits.count) + digits
        }.joined()
    }

    // MARK: State

    /// The state in 40 to 103 bytes.
    package var state: Data {
        var data = Data()
        for word in words { withUnsafeBytes(of: word.bigEndian) { data += $0 } }
        withUnsafeBytes(of: count.bigEndian) { data += $0 }
        return data + rest
    }

    /// - Returns: nil for bytes that are no state.
    package init?(state: Data) {
        guard state.count >= 40, state.count < 40 + Self.blockSize else { return nil }
        let bytes = [UInt8](state)
        func number(_ start: Int, _ length: Int) -> UInt64 {
            bytes[start..<start + length].reduce(0) { $0 << 8 | UInt64($1) }
        }
        words = (0..<8).map { UInt32(truncatingIfNeeded: number($0 * 4, 4)) }
        count = number(32, 8)
        rest = Array(bytes[40...])
        guard count % UInt64(Self.blockSize) == rest.count else { return nil }
    }

    // MARK: Blocks

    private mutating func take(_ bytes: UnsafeRawBufferPointer, from start: Int, blocks: Int) {
        guard blocks > 0 else { return }
        words.withUnsafeMutableBufferPointer { words in
            withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { schedule in
                for block in 0..<blocks { Self.take(bytes, at: start + block * Self.blockSize, words, schedule) }
            }
        }
    }

    private static func take(
        _ bytes: UnsafeRawBufferPointer, at start: Int, _ words: UnsafeMutableBufferPointer<UInt32>,
        _ schedule: UnsafeMutableBufferPointer<UInt32>
    ) {
        func turned(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }
        for index in 0..<16 {
            let word = bytes.loadUnaligned(fromByteOffset: start + index * 4, as: UInt32.self)
            schedule[index] = UInt32(bigEndian: word)
        }
        for index in 16..<64 {
            let (early, late) = (schedule[index - 15], schedule[index - 2])
            let first = turned(early, 7) ^ turned(early, 18) ^ early >> 3
            let second = turned(late, 17) ^ turned(late, 19) ^ late >> 10
            schedule[index] = schedule[index - 16] &+ first &+ schedule[index - 7] &+ second
        }
        var (a, b, c, d) = (words[0], words[1], words[2], words[3])
        var (e, f, g, h) = (words[4], words[5], words[6], words[7])
        for index in 0..<64 {
            let high = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)
            let choice = (e & f) ^ (~e & g)
            let sum = h &+ high &+ choice &+ constants[index] &+ schedule[index]
            let low = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)
            let majority = (a & b) ^ (a & c) ^ (b & c)
            (h, g, f, e) = (g, f, e, d &+ sum)
            (d, c, b, a) = (c, b, a, sum &+ low &+ majority)
        }
        for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { words[index] &+= word }
    }

    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]
}
