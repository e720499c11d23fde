// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// libFuzzer damages stores. `Scripts/test-fuzz` builds this with an instrumented framework.

import Foundation

/// The part of a store that this run of the program damages.
private let target = StoreTarget(rawValue: ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? "") ?? .pages
/// nil if the good stores cannot be made.
private let good = try? HostileInputs(seed: 1)

/// libFuzzer's entry.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard let good else { fatalError("The good stores cannot be made.") }
    try? target.feed(count == 0 ? Data() : Data(bytes: bytes, count: count), good, Place())
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
