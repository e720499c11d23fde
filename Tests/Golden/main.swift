// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes the golden stores of this commit, each with its contents as text. Scripts/golden calls it.

import CoreData
import Foundation

#if canImport(CoreDataTesting)
    import CoreDataTesting
    import GoldenStores
#endif
#if canImport(GoldenSwiftData)
    import GoldenSwiftData
    import SwiftData
#endif

// usage: golden FOLDER VARIANT…
let arguments = CommandLine.arguments.dropFirst()
guard let path = arguments.first else {
    print("usage: golden FOLDER VARIANT…")
    exit(2)
}
let folder = URL(fileURLWithPath: path)
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
for name in arguments.dropFirst() {
    guard let variant = GoldenVariant(rawValue: name) else { fatalError("There is no golden store '\(name)'.") }
    try variant.write(in: folder)
    // Read from a copy: reading must not change the golden file.
    let copy = folder.appendingPathComponent("copy")
    try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: copy) }
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.path)
    where file.contains("\(variant.rawValue).") || file.contains("\(variant.rawValue)_") {
        try FileManager.default.copyItem(
            at: folder.appendingPathComponent(file), to: copy.appendingPathComponent(file))
    }
    let contents = try GoldenVariant.open(
        copy.appendingPathComponent(variant.fileName), variant.type, variant.options, variant.model
    ) { try StoreContents(of: $0).text }
    try (contents + "\n").write(
        to: folder.appendingPathComponent(variant.rawValue + ".txt"), atomically: true, encoding: .utf8)
    print("\(variant.rawValue): written")
}

#if canImport(GoldenSwiftData)
    try GoldenHousehold.write(in: folder)
    let copy = FileManager.default.temporaryDirectory.appendingPathComponent("golden-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
    let copied = copy.appendingPathComponent(GoldenHousehold.fileName)
    try FileManager.default.copyItem(at: folder.appendingPathComponent(GoldenHousehold.fileName), to: copied)
    let container = try GoldenHousehold.container(at: copied)
    try (StoreContents(of: container.persistentStoreCoordinator).text + "\n").write(
        to: folder.appendingPathComponent("swiftData.txt"), atomically: true, encoding: .utf8)
    try GoldenHousehold.close(container)
    try FileManager.default.removeItem(at: copy)
    print("swiftData: written")
#endif
