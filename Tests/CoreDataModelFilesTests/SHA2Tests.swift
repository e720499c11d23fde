// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Checks the digests against the published vectors.

import Foundation
import Testing

@testable import CoreDataModelFiles

@Suite("SHA-2") struct SHA2Tests {
    /// FIPS 180-4 examples.
    @Test(
        "SHA-256 gives the published digests",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func published256(message: String, digest: String) {
        #expect(SHA2.sha256(Data(message.utf8)).hex == digest)
    }

    @Test(
        "SHA-512 gives the published digests",
        arguments: [
            (
                "",
                "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
                    + "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"
            ),
            (
                "abc",
                "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                    + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
            ),
            (
                "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrst"
                    + "nopqrstu",
                "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018"
                    + "501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909"
            ),
        ])
    func published512(message: String, digest: String) {
        #expect(SHA2.sha512(Data(message.utf8)).hex == digest)
    }

    /// The digests begin as those of Python's hashlib.
    @Test(
        "a message of any length around a block's end is padded right",
        arguments: [
            (55, "9f4390f8d30c2dd9", "b0220c772cbf6c18"), (56, "b35439a4ac6f0948", "962b64aae357d2a4"),
            (63, "7d3e74a05d7db15b", "c1b0f5c6d3b03dfe"), (64, "ffe054fe7ae0cb6d", "01d35c10c6c38c2d"),
            (111, "6374f73208854473", "fa9121c7b32b9e01"), (112, "f54353008a255326", "c01d080efd492776"),
            (127, "c57e9278af78fa3c", "828613968b501dc0"), (128, "6836cf13bac400e9", "b73d1929aa615934"),
            (1000, "41edece42d63e8d9", ""),
        ])
    func padding(count: Int, sha256: String, sha512: String) {
        let message = Data(repeating: UInt8(ascii: "a"), count: count)
        #expect(SHA2.sha256(message).hex.hasPrefix(sha256))
        #expect(SHA2.sha512(message).hex.hasPrefix(sha512))
    }
}

extension Data {
    fileprivate var hex: String { map { String(format: "%02x", $0) }.joined() }
}
