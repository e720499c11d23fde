// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compressed bodies: whole, in pieces, damaged, and far larger than they look.
import CoreDataSyncCompression
import Foundation
import Testing

@Suite("Compressed bodies") struct CompressionTests {
    private static let text = Data((0..<2_000).map { "line \($0 * 7919 % 997)\n" }.joined().utf8)

    /// The body, decompressed from pieces of one size.
    private func inflated(_ body: Data, _ compression: BodyCompression, piece: Int, limit: Int) throws -> Data {
        let inflater = try BodyInflater(compression, limit: limit)
        var result = Data()
        for start in stride(from: 0, to: body.count, by: piece) {
            result.append(try inflater.inflate(body.dropFirst(start).prefix(piece)))
        }
        try inflater.finish()
        return result
    }

    @Test(
        "a body comes back from pieces of any size", arguments: BodyCompression.allCases, [1, 7, 1_000, 1 << 20])
    func pieces(compression: BodyCompression, piece: Int) throws {
        let body = try compression.compressed(Self.text)
        #expect(body.count < Self.text.count / 2)
        #expect(try inflated(body, compression, piece: piece, limit: Self.text.count) == Self.text)
    }

    @Test("an empty body has a compressed form", arguments: BodyCompression.allCases)
    func empty(compression: BodyCompression) throws {
        let body = try compression.compressed(Data())
        #expect(try inflated(body, compression, piece: 100, limit: 0).isEmpty)
    }

    @Test("gzip is read that another program wrote")
    func foreign() throws {
        // gzip.compress(b"abcabcabc", mtime=0) of Python 3.11
        let body = try #require(Data(base64Encoded: "H4sIAAAAAAACA0tMSk4EIwAYSC1GCQAAAA=="))
        #expect(try inflated(body, .gzip, piece: 5, limit: 9) == Data("abcabcabc".utf8))
    }

    @Test("a changed byte is noticed by the checksum", arguments: BodyCompression.allCases)
    func damage(compression: BodyCompression) throws {
        var body = try compression.compressed(Self.text)
        body[body.count - (compression == .gzip ? 6 : 2)] ^= 1
        let error = #expect(throws: BodyCompressionError.self) {
            _ = try inflated(body, compression, piece: 512, limit: 1 << 20)
        }
        #expect(error == .damaged)
    }

    @Test("a body that is cut off or goes on is refused", arguments: BodyCompression.allCases)
    func ends(compression: BodyCompression) throws {
        let body = try compression.compressed(Self.text)
        let short = #expect(throws: BodyCompressionError.self) {
            _ = try inflated(body.dropLast(), compression, piece: 512, limit: 1 << 20)
        }
        #expect(short == .cutOff)
        let long = #expect(throws: BodyCompressionError.self) {
            _ = try inflated(body + [0], compression, piece: 1 << 20, limit: 1 << 20)
        }
        #expect(long == .trailingBytes)
        let later = #expect(throws: BodyCompressionError.self) {
            _ = try inflated(body + [0], compression, piece: 1, limit: 1 << 20)
        }
        #expect(later == .trailingBytes)
    }

    @Test("decompression stops at its limit", arguments: BodyCompression.allCases)
    func bomb(compression: BodyCompression) throws {
        let body = try compression.compressed(Data(count: 64 << 20), level: 9)
        #expect(body.count < 100_000)
        let inflater = try BodyInflater(compression, limit: 1 << 20)
        let error = #expect(throws: BodyCompressionError.self) { _ = try inflater.inflate(body) }
        #expect(error == .tooLarge)
        #expect(inflater.count <= (1 << 20) + (64 << 10))
    }
}
