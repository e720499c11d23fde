// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Sources of Apple's systems after the port.

import Foundation
import ModelFilesTestSupport
import Testing

@testable import CoreDataGeneration

@Suite("Porting") struct PortTests {
    private func port(_ files: [String: String]) throws -> (files: [String: String], diagnostics: [String]) {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try WholeWrite.folder(files.mapValues { Data($0.utf8) }, to: folder.url.appendingPathComponent("s"))
        let port = try SourcePort(SourcePort.files([folder.url.appendingPathComponent("s")]))
        var result = files
        for change in port.changes { result[change.url.lastPathComponent] = change.new }
        return (result, port.diagnostics.map { "\($0.line): \($0.message)" })
    }

    @Test(
        "what needs Objective-C goes under a condition, or becomes a string",
        arguments: [
            (
                "@objc(Note)\npublic class Note {}",
                "#if canImport(ObjectiveC)\n    @objc(Note)\n#endif\npublic class Note {}"
            ),
            (
                "class A {\n    @NSManaged @objc public var x: Int\n}",
                "class A {\n    #if canImport(ObjectiveC)\n        @objc\n    #endif\n    @NSManaged public var x: Int\n}"
            ),
            ("@objcMembers final class A {}", "#if canImport(ObjectiveC)\n    @objcMembers\n#endif\nfinal class A {}"),
            ("let a = #keyPath(Car.owner.name)", "let a = \"owner.name\""),
            ("let a = [#keyPath(title), #keyPath(Shop.Car.owner?.name)]", "let a = [\"title\", \"owner.name\"]"),
            ("f(NSStringFromSelector(#selector(getter: Car.owner)))", "f(\"owner\")"),
            ("f(#selector(getter: Car.owner))", "f(Selector(\"owner\"))"),
        ])
    func rewritten(old: String, new: String) throws {
        let once = try port(["A.swift": old])
        #expect(once.files["A.swift"] == new && once.diagnostics.isEmpty)
        #expect(try port(once.files).files["A.swift"] == new)
    }

    @Test(
        "the rest stays, comments, strings and conditions too",
        arguments: [
            "// @objc #keyPath(A.b)\nlet a = \"@objc #keyPath(A.b)\"",
            "#if canImport(ObjectiveC)\n@objc(A)\n#endif\nclass A {}",
            "class A { @nonobjc func f() {}\n    dynamic var x = 1 }", "class A { override func f() {} }",
        ])
    func untouched(source: String) throws {
        let ported = try port(["A.swift": source])
        #expect(ported.files["A.swift"] == source && ported.diagnostics.isEmpty)
    }

    @Test("overrides in extensions move into the class, with their comments and changes") func overrides() throws {
        let ported = try port([
            "A.swift": "class Note: NSManagedObject {\n    var a = 1\n}\n",
            "B.swift": """
            extension Note {
                /// Sets the date.
                @objc public override func awakeFromInsert() {
                    set(#keyPath(Note.day)) { 1 }
                }

                func stays() {}
            }

            """,
        ])
        #expect(
            ported.files["A.swift"] == """
                class Note: NSManagedObject {
                    var a = 1

                    /// Sets the date.
                    #if canImport(ObjectiveC)
                        @objc
                    #endif
                    public override func awakeFromInsert() {
                        set("day") { 1 }
                    }

                }

                """)
        #expect(ported.files["B.swift"] == "extension Note {\n\n    func stays() {}\n}\n")
    }

    @Test("what only a person can change is told with its line") func warnings() throws {
        let ported = try port(["A.swift": "extension B {\n    override func f() {}\n}\nlet s = #selector(B.f)"])
        #expect(ported.diagnostics.count == 2)
        #expect(
            ported.diagnostics.contains {
                $0.hasPrefix("2: An override in an extension needs Objective-C, and the class 'B'")
            })
        #expect(ported.diagnostics.contains { $0.hasPrefix("4: #selector needs Objective-C") })
    }

    @Test("a diff shows the changed lines and three around them") func diff() {
        let old = (1...20).map { "\($0)" }.joined(separator: "\n")
        let new = old.replacing("\n10\n", with: "\nten\n")
        #expect(
            UnifiedDiff.text(old, new, name: "a")
                == "--- a\n+++ a\n@@ -7,7 +7,7 @@\n 7\n 8\n 9\n-10\n+ten\n 11\n 12\n 13\n")
        #expect(UnifiedDiff.text(old, old, name: "a") == "")
    }
}
