// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Archives of a built library: those that fit are unpacked, and others are refused with a sentence.

import Foundation
import Testing

@testable import CoreDataAdoption

@Suite("A prebuilt library") struct PrebuiltLibraryTests {
    /// A checkout with the script and a source, and an archive that it fits.
    private func sample() throws -> SampleFolder {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Scripts/prebuild").standardizedFileURL
        let folder = try SampleFolder([
            "library/Scripts/none": "", "library/Sources/A.swift": "let a = 1\n", "library/Package.resolved": "{}",
            "library/Package.swift": "", "content/debug/A.o": "object", "content/Package.resolved": "{\"pins\": []}",
            "app/Item.swift": "import CoreData\n",
        ])
        try FileManager.default.copyItem(at: script, to: folder.file("library/Scripts/prebuild"))
        let key = try run(folder, "library/Scripts/prebuild", "--scratch", folder.file("scratch").path, "--key")
        try folder.write(key + "modified: 1700000000\n", to: "content/prebuilt.key")
        try archive(folder)
        return folder
    }

    private func archive(_ folder: SampleFolder) throws {
        _ = try run(
            folder, "/bin/tar", "-czf", folder.file("library.tar.gz").path, "-C", folder.file("content").path,
            "prebuilt.key", ".")
    }

    private func run(_ folder: SampleFolder, _ arguments: String...) throws -> String {
        let result = try CommandRun.run(arguments, in: folder.url, limit: 60, log: folder.file("log"))
        try #require(result.status == 0, "\(result.output)")
        return result.output
    }

    private func unpack(_ folder: SampleFolder, usesSwiftData: Bool = false) throws {
        let library = PrebuiltLibrary(
            archive: folder.file("library.tar.gz"), library: .checkout(folder.file("library")))
        try library.unpack(into: folder.file("scratch"), output: folder.file("app"), usesSwiftData: usesSwiftData)
    }

    /// The sentence of the error of an archive whose key has another line.
    private func sentence(replacing line: String, by text: String) throws -> String? {
        let folder = try sample()
        let key = try folder.text("content/prebuilt.key").split(separator: "\n")
            .map { $0.hasPrefix("\(line):") ? "\(line): \(text)" : String($0) }
        try folder.write(key.joined(separator: "\n") + "\n", to: "content/prebuilt.key")
        try archive(folder)
        let error = #expect(throws: ProjectError.self) { try unpack(folder) }
        #expect(!folder.exists("scratch/debug/A.o"))
        return error?.explanation
    }

    @Test("an archive that fits is unpacked, and the sources have the times of its build") func fitting() throws {
        let folder = try sample()
        try unpack(folder)
        #expect(try folder.text("scratch/debug/A.o") == "object")
        #expect(try folder.text("app/Package.resolved") == "{\"pins\": []}")
        let source = try FileManager.default.attributesOfItem(atPath: folder.file("library/Sources/A.swift").path)
        #expect(source[.modificationDate] as? Date == Date(timeIntervalSince1970: 1_700_000_000))
        // A later run keeps what builds wrote since.
        try folder.write("newer", to: "scratch/debug/A.o")
        try unpack(folder)
        #expect(try folder.text("scratch/debug/A.o") == "newer")
    }

    @Test("an archive of another toolchain is refused") func toolchain() throws {
        let sentence = try sentence(replacing: "toolchain", by: "Swift version 5.0")
        #expect(sentence?.hasPrefix("'toolchain' of the archive is 'Swift version 5.0', and here it is 'Swift") == true)
        #expect(sentence?.hasSuffix("Make it again with Scripts/prebuild.") == true)
    }

    @Test(
        "an archive with another hash, folder or package is refused",
        arguments: ["sources", "packages", "library", "scratch", "flags"])
    func otherKeys(line: String) throws {
        #expect(
            try sentence(replacing: line, by: "other")?.hasPrefix(
                "'\(line)' of the archive is 'other', and here it is '") == true)
    }

    @Test("a changed source of the library, and another product, do not fit") func changes() throws {
        let folder = try sample()
        let other = #expect(throws: ProjectError.self) { try unpack(folder, usesSwiftData: true) }
        #expect(
            other?.explanation.contains("'debug, product CoreData', and here it is 'debug, product SwiftData'") == true)
        try folder.write("let a = 2\n", to: "library/Sources/A.swift")
        let changed = #expect(throws: ProjectError.self) { try unpack(folder) }
        #expect(changed?.explanation.hasPrefix("'sources' of the archive is ") == true)
    }

    @Test("a file that is no archive, or missing, is refused, and so is a library without a checkout") func faulty()
        throws
    {
        let folder = try sample()
        try folder.write("no archive", to: "library.tar.gz")
        let faulty = #expect(throws: ProjectError.self) { try unpack(folder) }
        #expect(faulty?.explanation.hasSuffix("is no archive of Scripts/prebuild.") == true)
        try FileManager.default.removeItem(at: folder.file("library.tar.gz"))
        #expect(throws: ProjectError.self) { try unpack(folder) }
        let remote = PrebuiltLibrary(archive: folder.file("a"), library: .repository("https://example.com"))
        #expect(throws: ProjectError.self) {
            try remote.unpack(into: folder.url, output: folder.url, usesSwiftData: false)
        }
    }
}
