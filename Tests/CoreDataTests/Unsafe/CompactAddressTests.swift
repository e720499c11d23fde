// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Addresses in 32 bits: a handle returns its address, and an address that is too far away has no handle.

import Testing

@testable import CoreData

/// Documentation/Internals/UnsafeCode.md. The portable mode has no such addresses.
@Suite("Addresses in 32 bits", .enabled(if: !PortableMode.isOn)) struct CompactAddressTests {
    private func pointer(_ address: UInt) throws -> UnsafeMutableRawPointer {
        try #require(UnsafeMutableRawPointer(bitPattern: address))
    }

    @Test("two heaps are in reach, a third is not") func reach() throws {
        var addresses = CompactAddresses()
        let (program, thread, far): (UInt, UInt, UInt) = (0x5555_5555_0010, 0x7f00_1234_5670, 0x10_0000_0000)
        for address in [program, thread, program + 16, thread - 4096, program + 1 << 32, thread + 7 << 30] {
            let pointer = try pointer(address)
            let found = addresses.handle(of: pointer)
            let handle = try #require(found)
            #expect(handle != 0)
            #expect(addresses.pointer(handle) == pointer)
        }
        for address in [far, program + 9 << 30, program + 4] {
            let found = addresses.handle(of: try pointer(address))
            #expect(found == nil)
        }
    }

    @Test("a heap at the very beginning of memory") func low() throws {
        var addresses = CompactAddresses()
        for address: UInt in [0x1000, 0x1010, 0x10, 0x1_0000_0000] {
            let found = addresses.handle(of: try pointer(address))
            let handle = try #require(found)
            #expect(handle != 0)
            #expect(addresses.pointer(handle) == (try pointer(address)))
        }
    }
}
