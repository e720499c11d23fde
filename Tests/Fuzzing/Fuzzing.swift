// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The parsers that libFuzzer calls. `Scripts/test-fuzz` builds them, without the package.

import CoreDataModelFiles
import Foundation
import PredicateLanguage

/// What one run of the program feeds; the variable FUZZ_TARGET names it. A parser may throw, and do nothing worse.
private enum Target: String {
    case predicates, expressions, sources, compiled, caches, archives, mappings, xml

    func feed(_ data: Data) throws {
        switch self {
        case .predicates:
            _ = try PredicateSyntax.parsing(String(decoding: data, as: UTF8.self), reading: NoArguments.self)
        case .expressions:
            _ = try ExpressionSyntax.parsing(String(decoding: data, as: UTF8.self), reading: NoArguments.self)
        case .sources: _ = try ModelXMLReader.read(data)
        case .compiled: _ = try KeyedModelReader.read(data)
        case .caches: _ = try KeyedModelReader.read(modelCache: data)
        case .archives: _ = try ArchivedValue.decode(data)
        case .mappings: _ = try MappingSource(xml: data)
        case .xml:
            // In pieces, as a file comes.
            var rest = data[...]
            var reader = try XMLStoreReader {
                guard !rest.isEmpty else { return nil }
                defer { rest = rest.dropFirst(64) }
                return Data(rest.prefix(64))
            }
            var object = XMLStoreObject()
            while try reader.next(&object) {}
        }
    }
}

private enum NoArguments: FormatArgumentReading {
    static let allowsUnknownFunctions = false
    static func keyPath(_ argument: Any) -> String? { nil }
    static func tree(_ argument: Any) -> (tree: FormatArgumentTree, depth: Int)? { nil }
}

private let target = Target(rawValue: ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? "") ?? .predicates

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
