// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Sources of Apple's systems after the port.

import Foundation
import ModelFilesTestSupport
import Testing

@testable import CoreDataAdoption

@Suite("Porting") struct PortTests {
    /// The request that replaces a cast.
    private static func template(_ type: String, _ indent: String) -> String {
        let lines = [
            ".map({ template -> NSFetchRequest<\(type)> in",
            "    let request = NSFetchRequest<\(type)>(entityName: template.entityName!)",
            "    request.predicate = template.predicate", "    request.sortDescriptors = template.sortDescriptors",
            "    request.fetchLimit = template.fetchLimit", "    request.fetchOffset = template.fetchOffset",
            "    request.fetchBatchSize = template.fetchBatchSize", "    request.resultType = template.resultType",
            "    request.includesSubentities = template.includesSubentities",
            "    request.includesPendingChanges = template.includesPendingChanges",
            "    request.includesPropertyValues = template.includesPropertyValues",
            "    request.returnsObjectsAsFaults = template.returnsObjectsAsFaults",
            "    request.returnsDistinctResults = template.returnsDistinctResults", "    return request", "})",
        ]
        return lines.joined(separator: "\n" + indent)
    }

    @Test(
        "code that needs Objective-C goes under a condition, or becomes a string",
        arguments: [
            (
                "@objc(Note)\npublic class Note {}",
                "#if canImport(ObjectiveC)\n    @objc(Note)\n#endif\npublic class Note {}"
            ),
            (
                "class A {\n    @NSManaged @objc public var x: Int\n}",
                "class A {\n    #if canImport(ObjectiveC)\n        @objc\n    #endif\n    @NSManaged public var x: Int\n}"
            ),
            (
                "class A { @objc func b() {} }",
                "class A { \n#if canImport(ObjectiveC)\n    @objc\n#endif\nfunc b() {} }"
            ),
            ("@objcMembers final class A {}", "#if canImport(ObjectiveC)\n    @objcMembers\n#endif\nfinal class A {}"),
            ("let a = #keyPath(Car.owner.name)", "let a = \"owner.name\""),
            ("let a = [#keyPath(title), #keyPath(Shop.Car.owner?.name)]", "let a = [\"title\", \"owner.name\"]"),
            ("f(NSStringFromSelector(#selector(getter: Car.owner)))", "f(\"owner\")"),
            ("import CoreData\nf(#selector(getter: Car.owner))", "import CoreData\nf(Selector(\"owner\"))"),
            ("let a = \"\\(#keyPath(Car.owner)) == %@\"", "let a = \"\\(\"owner\") == %@\""),
            (
                "let a = \"\"\"\n    x \\(f(#keyPath(a.b)) + \"\\(#keyPath(c))\")\n    \"\"\"",
                "let a = \"\"\"\n    x \\(f(\"a.b\") + \"\\(\"c\")\")\n    \"\"\""
            ),
            (
                "import CoreData\nf(selector: #selector(NSString.localizedStandardCompare(_:)))",
                "import CoreData\nf(selector: Selector(\"localizedStandardCompare:\"))"
            ),
            ("import CoreData\nf(#selector(NSDate.compare))", "import CoreData\nf(Selector(\"compare:\"))"),
            ("import CoreData.NSFetchRequest\nlet a = 1", "import CoreData\nlet a = 1"),
            ("@preconcurrency import Foundation.NSString", "@preconcurrency import Foundation"),
            ("import os.log\nlet a = 1", "#if canImport(os)\n    import os.log\n#endif\nlet a = 1"),
            ("import OSLog", "#if canImport(os)\n    import OSLog\n#endif"),
            (
                "@preconcurrency import os\nlet a = 1",
                "#if canImport(os)\n    @preconcurrency import os\n#endif\nlet a = 1"
            ),
            (
                "import CoreData\n  let r = model.fetchRequestFromTemplate(withName: f(\"a\"), substitutionVariables: [:])"
                    + " as? NSFetchRequest<Car>",
                "import CoreData\n  let r = model.fetchRequestFromTemplate(withName: f(\"a\"), substitutionVariables: [:])"
                    + PortTests.template("Car", "  ")
            ),
            (
                "import CoreData\nlet r = model.fetchRequestTemplate(forName: \"a\") as! NSFetchRequest<Shop.Car>",
                "import CoreData\nlet r = model.fetchRequestTemplate(forName: \"a\")"
                    + PortTests.template("Shop.Car", "") + "!"
            ),
        ])
    func rewritten(old: String, new: String) throws {
        let ported = try PortedSources.file(old)
        #expect(ported.text == new && ported.again == new && ported.reports.isEmpty, "\(ported)")
    }

    @Test(
        "lists of resources get a cast that compiles on both systems, in parentheses where a member follows",
        arguments: [
            (
                "let u = b.urls(forResourcesWithExtension: a, subdirectory: nil)",
                "let u = b.urls(forResourcesWithExtension: a, subdirectory: nil) as [URL]?"
            ),
            (
                "guard let u = Bundle(url: c)?.urls(forResourcesWithExtension: a, subdirectory: nil) else { return }",
                "guard let u = Bundle(url: c)?.urls(forResourcesWithExtension: a, subdirectory: nil) as [URL]?"
                    + " else { return }"
            ),
            (
                "let u = try f(b[0].urls(forResourcesWithExtension: a, subdirectory: nil) ?? [])",
                "let u = try f(b[0].urls(forResourcesWithExtension: a, subdirectory: nil) as [URL]? ?? [])"
            ),
            (
                "return b.c.urls(\n    forResourcesWithExtension: a, subdirectory: nil)?.map { $0 }",
                "return (b.c.urls(\n    forResourcesWithExtension: a, subdirectory: nil) as [URL]?)?.map { $0 }"
            ),
            (
                "for u in b.urls(forResourcesWithExtension: a, subdirectory: nil)! {}",
                "for u in (b.urls(forResourcesWithExtension: a, subdirectory: nil) as [URL]?)! {}"
            ),
            (
                "let u = [b].flatMap { $0.urls(forResourcesWithExtension: a, subdirectory: nil)\n    ?? [] }",
                "let u = [b].flatMap { $0.urls(forResourcesWithExtension: a, subdirectory: nil) as [URL]?\n    ?? [] }"
            ),
        ])
    func resources(old: String, new: String) throws {
        let ported = try PortedSources.file(old)
        #expect(ported.text == new && ported.again == new && ported.reports.isEmpty, "\(ported)")
    }

    @Test(
        "the rest stays, comments, strings and conditions too",
        arguments: [
            "// @objc #keyPath(A.b)\nlet a = \"@objc #keyPath(A.b)\"",
            "#if canImport(ObjectiveC)\n@objc(A)\n#endif\nclass A {}",
            "import CoreData\nlet a = NSExpression(forKeyPath: \"b\")", "import class CoreData.NSManagedObject",
            "let a = f() as! NSFetchRequests<A>\nlet s = Bundle(path: a)\nlet b = c as NSSet",
            "var letter: String\nprotocol P { var place: Int { get } }\n"
                + "f(sectionNameKeyPath: \"letter\"); f(sectionNameKeyPath: \"place\"); f(sectionNameKeyPath: nil)",
            "let u = b.urls(forResourcesWithExtension: a, subdirectory: nil) as? [NSURL]",
            "import Logging\nlet log = Logger(label: \"a\")",
            "class A { @nonobjc func f() {}\n    dynamic var x = 1 }", "class A { override func f() {} }",
        ])
    func untouched(source: String) throws {
        let ported = try PortedSources.file(source)
        #expect(ported.text == source && ported.reports.isEmpty, "\(ported)")
    }

    @Test(
        "code that a person has to rewrite is reported with the reason",
        arguments: [
            ("let b = Bundle(for: A.self)", "Bundle(for:)"), ("let s = [a, b] as NSSet", "NSSet(array:)"),
            ("func f<T: Hashable & CVarArg>(_ t: T) {}", "CVarArg"),
            ("let k = path._kvcKeyPathString ?? \"\"", "always nil here"),
            ("let u = Bundle.urls(forResourcesWithExtension: a, subdirectory: nil, in: b)", "takes an NSURL"),
            (
                "var letter: String { \"A\" }\nlet c = Controller(request, sectionNameKeyPath: \"letter\", cacheName: nil)",
                "Sections by the computed property 'letter'"
            ),
            (
                "var letter: String { \"A\" }\nlet c = Controller(request, sectionNameKeyPath: \"owner.letter\")",
                "Sections by the computed property 'letter'"
            ),
        ])
    func reasons(source: String, part: String) throws {
        let ported = try PortedSources(["A.swift": source])
        #expect(ported.files["A.swift"] == source)
        #expect(ported.diagnostics.count == 1 && ported.diagnostics[0].contains(part), "\(ported.diagnostics)")
    }

    @Test("overrides in extensions move into the class, with their comments and changes") func overrides() throws {
        let ported = try PortedSources([
            "A.swift": "import CoreData\n\nclass Note: NSManagedObject {\n    var a = 1\n}\n",
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
                import CoreData

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

    @Test("an override that moves into another file reaches the private members of its own")
    func privateMembers() throws {
        let ported = try PortedSources([
            "A.swift": "import CoreData\nclass Note: NSManagedObject {\n}\n",
            "B.swift": """
            extension Note {
                public override func validateForInsert() throws {
                    try validateName()
                }

                private func validateName() throws {}
                private func other() {}
            }

            """,
        ])
        #expect(ported.files["A.swift"]?.contains("try validateName()") == true)
        let rest = "    func validateName() throws {}\n    private func other() {}"
        #expect(ported.files["B.swift"]?.contains(rest) == true)
        let one = "class Note {\n}\nextension Note {\n    override func a() { b() }\n    private func b() {}\n}\n"
        #expect(try PortedSources(["A.swift": one]).files["A.swift"]?.contains("private func b() {}") == true)
    }

    @Test("code that only a person can change is reported with its line") func warnings() throws {
        let ported = try PortedSources(["A.swift": "extension B {\n    override func f() {}\n}\nlet s = #selector(B.f)"]
        )
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
