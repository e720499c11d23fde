// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Property lists and archives whose values are referenced many times.

import FixtureFiles
import Foundation
import Testing

@testable import CoreDataModelFiles

@Suite("Values that are referenced many times, ProvingGround-P11")
struct SharedValueTests {
    /// {"k": an array with so many references to one leaf of 100,000 bytes}
    private func list(_ kind: UInt8, times: Int) -> Data {
        let long = Array(repeating: UInt8(ascii: "x"), count: 100_000)
        var array: [UInt8] = [0xAF, 0x12] + BinaryList.bigEndian(times, size: 4)
        for _ in 0..<times { array += [0, 3] }
        return BinaryList.data(
            [
                [0xD1, 0, 1, 0, 2], [0x51] + Array("k".utf8), array,
                [kind, 0x12] + BinaryList.bigEndian(long.count, size: 4) + long,
            ], referenceSize: 2)
    }

    @Test("long data and texts are made once, so a short file takes little memory", arguments: [0x4F, 0x5F] as [UInt8])
    func madeOnce(kind: UInt8) throws {
        let fields = try PlainPropertyList.dictionary(from: list(kind, times: 200_000))
        guard case .array(let members)? = fields["k"] else {
            Issue.record("The list is no array.")
            return
        }
        #expect(members.count == 200_000)
        #expect(members.first == members.last)
    }

    @Test("lists with long data or texts are not given to Foundation, which copies them for each reference")
    func foundation() throws {
        for kind: UInt8 in [0x4F, 0x5F] {
            #expect(!PropertyListBounds.allow(list(kind, times: 200_000)))
            #expect(PropertyListBounds.allow(list(kind, times: 50)))
        }
    }

    @Test("100,000 equal members of an archive are read")
    func equalMembers() throws {
        let value = Array(repeating: "equal", count: 100_000)
        let data = try #require(ArchivedValue.encode(value))
        #expect(try ArchivedValue.decode(data) as? [String] == value)
    }

    @Test("a cache that expands to a gigabyte is refused at 64 MB")
    func bomb() throws {
        let compressed = try RawDeflate.deflate(Data(count: 65 << 20))
        #expect(throws: ModelFileError.self) { try KeyedModelReader.read(modelCache: compressed) }
        #expect(throws: ModelFileError.self) { try RawDeflate.inflate(compressed) }
    }
}
