// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Bare deflate streams: round trips and refusals.

import Foundation
import Testing

@testable import CoreDataModelFiles

@Suite("Deflate streams without header") struct RawDeflateTests {
    @Test("a compressed text comes back", arguments: [0, 1, 63, 65_536, 65_537, 1_000_000])
    func roundTrip(size: Int) throws {
        let data = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) })
        #expect(try RawDeflate.inflate(try RawDeflate.deflate(data)) == data)
    }

    @Test("a stream that grows beyond the limit is refused")
    func limit() throws {
        let compressed = try RawDeflate.deflate(Data(count: 10_000_000))
        #expect(compressed.count < 20_000)
        #expect(failure(compressed, maximumSize: 1_000_000)?.kind == .malformedCompression)
    }

    @Test("a damaged, cut off or continued stream is refused")
    func damage() throws {
        let compressed = try RawDeflate.deflate(Data((0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 31) }))
        #expect(failure(compressed.dropLast(3))?.kind == .malformedCompression)
        #expect(failure(compressed + Data([1]))?.kind == .malformedCompression)
        #expect(failure(Data([0xFF, 0xFF, 0xFF]))?.kind == .malformedCompression)
        #expect(failure(Data())?.kind == .malformedCompression)
    }

    private func failure(_ data: Data, maximumSize: Int = 1 << 20) -> ModelFileError? {
        do {
            _ = try RawDeflate.inflate(data, maximumSize: maximumSize)
            return nil
        } catch {
            return error as? ModelFileError
        }
    }
}
