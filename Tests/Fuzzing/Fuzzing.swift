// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// libFuzzer feeds the parsers. `Scripts/test-fuzz` builds them, without the package.

import CoreDataModelFiles
import Foundation

/// The parser that this run of the program feeds.
private let target = ParserTarget(rawValue: ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? "") ?? .predicates

/// libFuzzer's entry.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    try? target.feed(count == 0 ? Data() : Data(bytes: bytes, count: count))
    return 0
}

/// Called by libFuzzer before the first input: writes the first inputs of the binary formats into FUZZ_SEEDS, made of
/// the model sources in it.
@_cdecl("LLVMFuzzerInitialize")
public func fuzzInitialize(_ count: UnsafeMutableRawPointer?, _ arguments: UnsafeMutableRawPointer?) -> CInt {
    guard let folder = ProcessInfo.processInfo.environment["FUZZ_SEEDS"].map({ URL(filePath: $0) }) else { return 0 }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    for name in names where name.hasSuffix(".source") {
        do {
            let document = try ModelXMLReader.read(Data(contentsOf: folder.appending(path: name)))
            let data =
                target == .caches
                ? try KeyedModelWriter.modelCache(for: document) : try KeyedModelWriter.data(for: document)
            try data.write(to: folder.appending(path: name + ".\(target.rawValue)"))
        } catch {
            print("no seed of \(name): \(error)")
        }
    }
    return 0
}
