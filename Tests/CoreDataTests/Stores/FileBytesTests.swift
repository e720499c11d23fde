// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Files are written to their end, whatever each call of the system writes.

@testable import CoreData
import Foundation
import Testing

@Suite("Bytes of a file") struct FileBytesTests {
    @Test("each call goes on where the last one stopped", arguments: [1, 7, 1000, 4096])
    func shortWrites(most: Int) throws {
        let data = Data((0..<10_000).map { UInt8(truncatingIfNeeded: $0 / 3) })
        var written = Data()
        var calls = 0
        try FileBytes.write(data) { bytes, count in
            calls += 1
            if calls % 3 == 0 {
                errno = EINTR
                return -1
            }
            written.append(Data(bytes: bytes, count: min(count, most)))
            return min(count, most)
        }
        #expect(written == data)
    }

    @Test("a call that writes nothing more is an error") func full() throws {
        #expect(throws: FileFailure.self) {
            try FileBytes.write(Data(count: 10)) { _, _ in
                errno = ENOSPC
                return -1
            }
        }
    }
}
