// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// SHA-256 in pieces, and the form of large values.
import CoreDataSyncProtocol
import Foundation
import Testing

@Suite("Hashes of large values") struct DigestTests {
    /// The vectors of FIPS 180-4, and those of lengths around a block, from coreutils' sha256sum.
    static let known: [(Data, String)] = [
        (Data(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        (Data("abc".utf8), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            Data("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            Data(repeating: UInt8(ascii: "a"), count: 1_000_000),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        ),
    ]

    @Test("the digest is that of the standard", arguments: known)
    func vectors(bytes: Data, text: String) { #expect(SyncDigest.text(of: bytes) == text) }

    @Test("a digest in pieces, with its state stored between them, is that of the whole")
    func pieces() throws {
        let bytes = Data((0..<1_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        for size in [1, 3, 55, 56, 63, 64, 65, 128, 999, 1_000] {
            var digest = SyncDigest()
            for start in stride(from: 0, to: bytes.count, by: size) {
                digest.update(bytes[start..<min(start + size, bytes.count)])
                digest = try #require(SyncDigest(state: digest.state))
            }
            #expect(digest.text == SyncDigest.text(of: bytes), "pieces of \(size)")
        }
    }

    @Test("bytes that are no state give none", arguments: [0, 39, 104])
    func damagedState(count: Int) { #expect(SyncDigest(state: Data(count: count)) == nil) }

    @Test("a large value has one form as JSON, and one in compact form")
    func forms() throws {
        let hash = SyncDigest.text(of: Data("x".utf8))
        let value = SyncValue.large(SyncLargeValue(.string, size: 300_000, hash: hash))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let json = try encoder.encode(value)
        #expect(
            String(decoding: json, as: UTF8.self) == #"{"large":{"hash":"\#(hash)","kind":"string","size":300000}}"#)
        #expect(try JSONDecoder().decode(SyncValue.self, from: json) == value)
        #expect(try SyncValue(packed: value.packed) == value)
    }

    @Test(
        "a large value of another form is no value",
        arguments: [
            #"{"kind":"transformed","size":1,"hash":"HASH"}"#, #"{"kind":"data","size":0,"hash":"HASH"}"#,
            #"{"kind":"uri","size":1,"hash":"HASH"}"#,
            #"{"kind":"data","size":1,"hash":"ABC"}"#, #"{"kind":"data","size":1}"#,
            #"{"kind":"data","size":-1,"hash":"HASH"}"#,
        ])
    func malformed(text: String) {
        let json = text.replacingOccurrences(of: "HASH", with: SyncDigest.text(of: Data()))
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(SyncLargeValue.self, from: Data(json.utf8))
        }
    }
}
