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
        try AtomicWrite.folder(files.mapValues { Data($0.utf8) }, to: folder.url.appendingPathComponent("s"))
        let port = try SourcePort(SourcePort.files([folder.url.appendingPathComponent("s")]))
        var result = files
        for change in port.changes { result[change.url.lastPathComponent] = change.new }
        return (result, port.diagnostics.map { "\($0.line): \($0.message)" })
    }

    /// The request that takes the place of a cast.
    private static func template(_ type: String, _ indent: String) -> String {
        let lines = [
            ".map({ template -> NSFetchRequest<\(type)> in",
            "    let request = NSFetchRequest<\(type)>(entityName: template.entityName!)",
            "    request.predicate = template.predicate", "    request.sortDescriptors = template.sortDescriptors",
            "    request.fetchLimit = template.fetchLimit", "    request.fetchBatchSize = template.fetchBatchSize",
            "    request.includesSubentities = template.includesSubentities", "    return request", "})",
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
            ("@objcMembers final class A {}", "#if canImport(ObjectiveC)\n    @objcMembers\n#endif\nfinal class A {}"),
            ("let a = #keyPath(Car.owner.name)", "let a = \"owner.name\""),
            ("let a = [#keyPath(title), #keyPath(Shop.Car.owner?.name)]", "let a = [\"title\", \"owner.name\"]"),
            ("f(NSStringFromSelector(#selector(getter: Car.owner)))", "f(\"owner\")"),
            ("f(#selector(getter: Car.owner))", "f(Selector(\"owner\"))"),
            ("let a = \"\\(#keyPath(Car.owner)) == %@\"", "let a = \"\\(\"owner\") == %@\""),
            (
                "let a = \"\"\"\n    x \\(f(#keyPath(a.b)) + \"\\(#keyPath(c))\")\n    \"\"\"",
                "let a = \"\"\"\n    x \\(f(\"a.b\") + \"\\(\"c\")\")\n    \"\"\""
            ),
            (
                "f(selector: #selector(NSString.localizedStandardCompare(_:)))",
                "f(selector: Selector(\"localizedStandardCompare:\"))"
            ),
            ("f(#selector(NSDate.compare))", "f(Selector(\"compare:\"))"),
            ("import CoreData.NSFetchRequest\nlet a = 1", "import CoreData\nlet a = 1"),
            ("@preconcurrency import Foundation.NSString", "@preconcurrency import Foundation"),
            ("import os.log\nlet a = 1", "#if canImport(os)\n    import os.log\n#endif\nlet a = 1"),
            ("import OSLog", "#if canImport(os)\n    import OSLog\n#endif"),
            (
                "  let r = model.fetchRequestFromTemplate(withName: f(\"a\"), substitutionVariables: [:]) as? NSFetchRequest<Car>",
                "  let r = model.fetchRequestFromTemplate(withName: f(\"a\"), substitutionVariables: [:])"
                    + PortTests.template("Car", "  ")
            ),
            (
                "let r = model.fetchRequestTemplate(forName: \"a\") as! NSFetchRequest<Shop.Car>",
                "let r = model.fetchRequestTemplate(forName: \"a\")" + PortTests.template("Shop.Car", "") + "!"
            ),
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
            "import CoreData\nlet a = NSExpression(forKeyPath: \"b\")", "import class CoreData.NSManagedObject",
            "let a = f() as! NSFetchRequests<A>\nlet s = Bundle(path: a)\nlet b = c as NSSet",
            "var letter: String\nprotocol P { var place: Int { get } }\n"
                + "f(sectionNameKeyPath: \"letter\"); f(sectionNameKeyPath: \"place\"); f(sectionNameKeyPath: nil)",
            "import Logging\nlet log = Logger(label: \"a\")",
            "class A { @nonobjc func f() {}\n    dynamic var x = 1 }", "class A { override func f() {} }",
        ])
    func untouched(source: String) throws {
        let ported = try port(["A.swift": source])
        #expect(ported.files["A.swift"] == source && ported.diagnostics.isEmpty)
    }

    @Test(
        "a file gets the imports that make Foundation's missing classes ours",
        arguments: [
            (
                "import CoreData\nimport Foundation\n\nlet e: NSExpression? = nil",
                "import CoreData\nimport Foundation\n#if !canImport(ObjectiveC)\n    import class CoreData.NSExpression\n"
                    + "#endif\n\nlet e: NSExpression? = nil"
            ),
            (
                "import UIKit  // for colours\n\nfinal class T: ValueTransformer {}",
                "import UIKit  // for colours\nimport CoreData\n\nfinal class T: ValueTransformer {}"
            ),
            (
                "import Foundation\nfunc f(_ p: NSComparisonPredicate) {}",
                "import Foundation\nimport CoreData\n#if !canImport(ObjectiveC)\n"
                    + "    import class CoreData.NSComparisonPredicate\n#endif\nfunc f(_ p: NSComparisonPredicate) {}"
            ),
        ])
    func imports(old: String, new: String) throws {
        let once = try port(["A.swift": old])
        #expect(once.files["A.swift"] == new && once.diagnostics.isEmpty)
        #expect(try port(once.files).files["A.swift"] == new)
    }

    @Test(
        "code that would build and then trap is rewritten so that it runs",
        arguments: [
            (
                "let r = Car.fetchRequest() as! NSFetchRequest<Car>",
                "let r = NSFetchRequest<Car>(entityName: Car.entity().name!)"
            ),
            (
                "return fetchRequest() as! NSFetchRequest<Self>",
                "return NSFetchRequest<Self>(entityName: entity().name!)"
            ),
            ("return path._kvcKeyPathString!", "return NSExpression(forKeyPath: path).keyPath"),
            (
                "let a = (\\Car.owner)._kvcKeyPathString! + b",
                "let a = NSExpression(forKeyPath: \\Car.owner).keyPath + b"
            ),
        ])
    func traps(old: String, new: String) throws {
        let once = try port(["A.swift": old])
        #expect(once.files["A.swift"] == new && once.diagnostics.isEmpty)
        #expect(try port(once.files).files["A.swift"] == new)
    }

    @Test("observers by selector get a block where their method is plain, and the old statement stays for Apple")
    func observers() throws {
        let old = """
            class A {
                func start() {
                    NotificationCenter.default.addObserver(
                        self, selector: #selector(A.saved(_:)), name: .saved, object: context)
                }
                @objc func saved(_ note: Notification) {}
            }
            """
        let once = try port(["A.swift": old])
        #expect(
            once.files["A.swift"] == """
                class A {
                    func start() {
                        #if canImport(ObjectiveC)
                            NotificationCenter.default.addObserver(
                            self, selector: #selector(A.saved(_:)), name: .saved, object: context)
                        #else
                            _ = NotificationCenter.default.addObserver(forName: .saved, object: context, queue: nil) {
                                [weak self] notification in
                                self?.saved(notification)
                            }
                        #endif
                    }
                    #if canImport(ObjectiveC)
                        @objc
                    #endif
                    func saved(_ note: Notification) {}
                }
                """)
        #expect(once.diagnostics.isEmpty)
        #expect(try port(once.files).files == once.files)
    }

    @Test(
        "an observer with a method elsewhere, or a method that is not plain, is reported with its line",
        arguments: ["", "func saved(_ note: Notification) async {}", "func saved(_ a: Int, _ b: Notification) {}"])
    func unusualObservers(method: String) throws {
        let call = "c.addObserver(self, selector: #selector(saved(_:)), name: n, object: nil)"
        let source = "\(method)\nfunc f() {\n    \(call)\n}"
        let ported = try port(["A.swift": source])
        #expect(ported.files["A.swift"] == source)
        #expect(ported.diagnostics.count == 1 && ported.diagnostics[0].hasPrefix("3: #selector needs Objective-C"))
    }

    @Test(
        "code that a person has to rewrite is reported with the reason",
        arguments: [
            ("let b = Bundle(for: A.self)", "Bundle(for:)"), ("let s = [a, b] as NSSet", "NSSet(array:)"),
            ("func f<T: Hashable & CVarArg>(_ t: T) {}", "CVarArg"),
            ("let r = given as! NSFetchRequest<Car>", "This cast traps"),
            ("let r = cars as! NSFetchRequest<NSFetchRequestResult>", "This cast traps"),
            ("let k = path._kvcKeyPathString ?? \"\"", "always nil here"),
            ("let r = given as? NSFetchRequest<Car>", "This cast is nil here"),
            ("let r = m?.fetchRequestTemplate(forName: a) as! NSFetchRequest<Car>", "This cast traps"),
            ("#if canImport(os)\nimport os\n#endif\nlet log = Logger()", "swift-log"),
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
        let ported = try port(["A.swift": source])
        #expect(ported.files["A.swift"] == source)
        #expect(ported.diagnostics.count == 1 && ported.diagnostics[0].contains(part), "\(ported.diagnostics)")
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

    @Test("code that only a person can change is reported with its line") func warnings() throws {
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
