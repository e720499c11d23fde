// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The stores that libFuzzer damages. `Scripts/test-fuzz` builds them with an instrumented framework.

import Foundation
import SQLiteDriver

/// What one run of the program damages; the variable FUZZ_TARGET names it. Each store is opened, read, saved to, closed
/// and destroyed: an error is an answer, a trap is not.
private enum Target: String {
    case binary, metadata, pages

    func feed(_ input: UnsafeRawBufferPointer, _ good: HostileInputs) throws {
        let place = try Place()
        switch self {
        case .binary:
            try good.write(SealedBinary.sealed(Array(input)), to: place.store)
            StoreUse.run(.binary, place)
        case .metadata:
            try good.write(good.sqlite, to: place.store)
            let connection = try Connection(url: place.store)
            try connection.run("UPDATE Z_METADATA SET Z_PLIST = ?", [.blob(Data(input))])
            try connection.close()
            StoreUse.run(.walNormal, place)
        case .pages:
            try good.write(PageEdits.apply(input, to: good.sqlite), to: place.store)
            StoreUse.run(.walNormal, place)
        }
    }

    func seed(_ good: HostileInputs) -> [UInt8] {
        switch self {
        case .binary: good.binary
        case .metadata: good.metadata
        // The type, the first cell and its length in three pages.
        case .pages: [5, 2, 0, 0, 0, 0, 0, 2, 3, 3, 0, 0, 0, 0, 1, 0, 4, 4, 0, 0, 0, 0, 0, 255]
        }
    }
}

private let target = Target(rawValue: ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? "") ?? .pages
/// nil where the good stores cannot be made.
private let good = try? HostileInputs(seed: 1)

/// libFuzzer's entry.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard let good else { fatalError("The good stores cannot be made.") }
    try? target.feed(UnsafeRawBufferPointer(start: bytes, count: count), good)
    return 0
}

/// Called by libFuzzer before the first input: writes the first input into the folder FUZZ_SEEDS.
@_cdecl("LLVMFuzzerInitialize")
public func fuzzInitialize(_ count: UnsafeMutableRawPointer?, _ arguments: UnsafeMutableRawPointer?) -> CInt {
    guard let good, let folder = ProcessInfo.processInfo.environment["FUZZ_SEEDS"] else { return 0 }
    do {
        try Data(target.seed(good)).write(to: URL(filePath: folder).appending(path: "good"))
    } catch {
        print("no first input: \(error)")
    }
    return 0
}
