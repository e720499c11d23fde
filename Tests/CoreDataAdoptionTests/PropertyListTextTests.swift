// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The parser of project files, with hostile input.

import Foundation
import Testing

@testable import CoreDataAdoption

@Suite("The text of a project file") struct PropertyListTextTests {
    private func parse(_ text: String) throws -> ProjectValue {
        try PropertyListText.parse(Data(text.utf8), path: "p")
    }

    @Test("strings keep their escapes, paths their slashes") func strings() throws {
        let list = try parse(
            #"{a = "x\n\"y\" \U00e9\101"; b = a/b//c; 'c d' = <0fbd /*7*/>; e = (1, "", 2,); /* f */ }"#)
        #expect(list["a"] == .string("x\n\"y\" éA"))
        #expect(list["b"] == .string("a/b//c"))
        #expect(list["c d"] == .string("0fbd /*7*/"))
        #expect(list["e"]?.strings == ["1", "", "2"])
    }

    @Test(
        "a mistake is reported with line and column",
        arguments: [
            ("{\n a = 1\n b = 2;}", "3:2"), ("{a = ", "1:6"), ("{a = (1 2)}", "1:9"), ("{a = \"x", "1:8"),
            ("{a = 1;} x", "1:10"), ("", "1:1"), ("{= 1;}", "1:2"), ("<12", "1:4"), ("{a = 1; /* ", "1:12"),
        ])
    func mistakes(text: String, place: String) throws {
        let error = #expect(throws: ProjectError.self) { try parse(text) }
        #expect(error?.place == place)
    }

    @Test("deep nesting is an error, not a crash") func depth() {
        #expect(throws: ProjectError.self) { try parse(String(repeating: "(", count: 1_000_000)) }
        #expect(throws: ProjectError.self) { try parse(String(repeating: "{a=", count: 1_000_000)) }
    }

    /// A generator with a fixed seed, so that a failure repeats.
    private struct Random: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    @Test("changed bytes, cut ends and swapped references give a project or an error", arguments: 0..<8)
    func mutations(seed: UInt64) throws {
        let sample = seed.isMultiple(of: 2)
        let folder = try SampleFolder(sample ? SampleProject.groupFiles : SampleProject.folderFiles)
        let original = Array((sample ? SampleProject.groups : SampleProject.folders).utf8)
        var random = Random(state: seed)
        var read = 0
        let file = folder.file("Shop.xcodeproj/project.pbxproj")
        for _ in 0..<100 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<5, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                case 2: bytes = Array(bytes[..<max(place, 1)])
                case 3: bytes.insert(contentsOf: Array("{}();=,\"G0T1F3".utf8).shuffled(using: &random), at: place)
                default:
                    let other = Int.random(in: 0..<bytes.count, using: &random)
                    bytes.swapAt(place, other)
                }
            }
            try Data(bytes).write(to: file)
            do {
                read += try ProjectReader.read(file).targets.count
            } catch is ProjectError {}
        }
        #expect(read > 0)
    }
}
