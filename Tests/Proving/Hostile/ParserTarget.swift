// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The parsers that libFuzzer and the hostile harness feed with inputs.

import CoreDataModelFiles
import Foundation
import PredicateLanguage

/// A parser of the package. It may only return or throw.
enum ParserTarget: String, CaseIterable {
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
            // In pieces, as a file is read.
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
