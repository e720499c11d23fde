// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the models that Apple's tools wrote, for the tests of the model room.

import CoreDataModelFiles
import Foundation
import Testing

@testable import CoreData

extension Tag {
    /// What Apple's framework does here was not observed; its documentation supports the choice.
    @Tag static var assumed: Self
}

enum ModelFixtures {
    /// `../shared` beside the package.
    static let shared = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("shared")

    static var areHere: Bool {
        FileManager.default.fileExists(atPath: shared.appendingPathComponent("fixtures/models").path)
    }

    static func names(in folder: String, ending suffix: String) -> [String] {
        let path = shared.appendingPathComponent("fixtures/\(folder)").path
        return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).filter { $0.hasSuffix(suffix) }
            .sorted()
    }

    static func data(_ folder: String, _ name: String) throws -> Data {
        try Data(contentsOf: shared.appendingPathComponent("fixtures/\(folder)/\(name)"))
    }

    static func source(_ name: String) throws -> NSManagedObjectModel {
        NSManagedObjectModel(document: try ModelXMLReader.read(try data("models", name)))
    }

    static func compiled(_ name: String) throws -> NSManagedObjectModel {
        NSManagedObjectModel(document: try KeyedModelReader.read(try data("mom", name)))
    }
}

extension Data {
    var hex: String { map { String(format: "%02x", $0) }.joined() }
}
