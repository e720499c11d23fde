// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Inputs that are nested deeply, are long, or claim to be.

import CoreData
import CoreDataFoundation
import CoreDataModelFiles
import CoreDataTestSupport
import Foundation
import PredicateLanguage

/// An input with the call that reads it, on one thread.
struct LimitInput: @unchecked Sendable {
    enum Answer { case refused, any }

    let name: String
    /// Whether the input has to be refused; others may be read as well.
    var answer = Answer.any
    let read: (Place) throws -> Void
}

enum LimitInputs {
    static func all() -> [LimitInput] {
        texts() + predicates() + lists() + archives() + propertyLists() + models() + stores()
    }

    private static func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

    // MARK: Predicates

    private static func texts() -> [LimitInput] {
        let deep = 100_000
        let refused: [(String, String)] = [
            ("parentheses", repeated("(", deep) + "a == 1" + repeated(")", deep)),
            ("negations", repeated("NOT ", deep) + "a == 1"), ("marks", repeated("!", deep) + "a == 1"),
            ("signs", "a == " + repeated("-", deep) + "1"),
            ("lists", "a IN " + repeated("{", deep) + repeated("}", deep)),
            ("functions", "a == " + repeated("abs:(", deep) + "1" + repeated(")", deep)),
            ("conditions", "a == " + repeated("TERNARY(a == 1, 1, ", deep) + "1" + repeated(")", deep)),
            ("subqueries", repeated("SUBQUERY(a, $x, ", deep) + "$x.a == 1" + repeated(").@count > 0", deep)),
            ("indexes", "a" + repeated("[a", deep) + repeated("]", deep) + " == 1"),
            ("powers", "a == 1" + repeated(" ** 1", deep)), ("sums", "a == 1" + repeated(" + 1", deep)),
            ("placeholders", "a IN {" + repeated("%@, ", deep) + "1}"),
        ]
        let read: [(String, String)] = [
            ("ANDs", repeated("a == 1 AND ", deep) + "b == 2"), ("ORs", repeated("a == 1 OR ", deep) + "b == 2"),
            ("both", repeated("(a == 1 AND b == 2 OR b == 3) AND ", deep / 4) + "b == 2"),
            ("a list", "a IN {" + repeated("1, ", deep) + "2}"), ("keys", repeated("a.", deep) + "a == 1"),
            ("digits", "a == " + repeated("9", 10_000_000)), ("a text", "a == '" + repeated("x", 10_000_000) + "'"),
            ("a pattern", "b LIKE '" + repeated("*a", 10_000) + "'"),
            ("an expression", "b MATCHES '\(repeated("(", deep))'"),
        ]
        var inputs = refused.map { name, text in
            LimitInput(name: "text with \(name)", answer: .refused) { _ in
                _ = try NSPredicate.parsing(text, arguments: [])
            }
        }
        inputs += read.map { name, text in
            LimitInput(name: "text with \(name)") { _ in try use(NSPredicate.parsing(text, arguments: [])) }
        }
        let expression = repeated("(", deep) + "1" + repeated(")", deep)
        inputs.append(
            LimitInput(name: "expression with parentheses", answer: .refused) { _ in
                _ = try ExpressionSyntax.parsing(expression, reading: NoFormatArguments.self)
            })
        return inputs
    }

    /// Describes, compares, copies and evaluates.
    private static func use(_ predicate: NSPredicate) throws {
        _ = predicate.description
        _ = predicate == (predicate.copy() as? NSPredicate)
        let object: [String: Any] = ["a": 2, "b": repeated("b", 1_000)]
        _ = try PredicateEvaluator(predicate.syntax).matches(object)
    }

    private static func predicates() -> [LimitInput] {
        let parts = { (0..<100_000).map { NSPredicate(format: "number == %@", argumentArray: [$0]) } }
        return [
            LimitInput(name: "compound predicate of 100,000 parts") { _ in
                for predicate in [
                    NSCompoundPredicate(andPredicateWithSubpredicates: parts()),
                    NSCompoundPredicate(orPredicateWithSubpredicates: parts()),
                ] { try use(predicate) }
            }
        ]
            + [Setup.walNormal, .xml].map { setup in
                LimitInput(name: "fetch with 100,000 parts from \(setup.rawValue)") { place in
                    let site = try Site(setup, place.store)
                    defer { try? site.close() }
                    let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
                    request.predicate = NSCompoundPredicate(orPredicateWithSubpredicates: parts())
                    _ = try site.context.fetch(request)
                }
            }
    }

    // MARK: Archives

    /// An input of all readers of archives and property lists.
    private struct List {
        let name: String
        let answer: LimitInput.Answer
        let data: () -> Data
        var isArchive: Bool { name.hasPrefix("an archive") || name.hasPrefix("predicates") }

        init(_ name: String, _ answer: LimitInput.Answer, _ data: @autoclosure @escaping () -> Data) {
            (self.name, self.answer, self.data) = (name, answer, data)
        }
    }

    nonisolated(unsafe) private static let allLists: [List] = {
        var lists = [
            List("100,000 levels", .refused, ListBuilder.nested(100_000)),
            List("500 levels", .any, ListBuilder.nested(500)), List("60 levels", .any, ListBuilder.nested(60)),
            List("a list of a million values", .any, ListBuilder.nested(1, times: 1_000_000)),
            List("a tree of 2^50 values", .refused, ListBuilder.nested(50, times: 2)),
            List("a tree of 7 million values", .any, ListBuilder.nested(3, times: 190)),
            List("data of 1 MB 200,000 times", .any, ListBuilder.shared(1 << 20, times: 200_000, isText: false)),
            List("a text of 1 MB 200,000 times", .any, ListBuilder.shared(1 << 20, times: 200_000, isText: true)),
            List("a trailer of 2^62 objects", .refused, ListBuilder.trailer(claiming: 1 << 62)),
            List("a trailer of 2^40 objects", .refused, ListBuilder.trailer(claiming: 1 << 40)),
            List("an archive of 2^60 values", .refused, ListBuilder.archive(60, times: 2)),
            List("an archive of 7 million values", .any, ListBuilder.archive(3, times: 190)),
            List("predicates of 100,000 levels", .refused, ListBuilder.predicate(100_000)),
            List("predicates of 60 levels", .any, ListBuilder.predicate(60)),
            List("an archive of 100,000 levels", .refused, ListBuilder.archive(100_000)),
        ]
        for levels in [60, 200, 500, 600] {
            lists.append(List("an archive of \(levels) levels", .any, ListBuilder.archive(levels)))
        }
        for kind: UInt8 in [4, 5, 6, 0xA, 0xD] {
            for count in [UInt64.max, 1 << 62, 1 << 40, 1 << 31] {
                lists.append(
                    List("a value of kind \(kind) and \(count) parts", .refused, ListBuilder.claiming(kind, count)))
            }
        }
        return lists
    }()

    private static func lists() -> [LimitInput] {
        ArchiveTarget.allCases.flatMap { target in
            allLists.map { list in
                // To the reader of lists an archive is a table, which is not deep.
                let answer = target == .lists && list.isArchive ? .any : list.answer
                return LimitInput(name: "\(target.rawValue): \(list.name)", answer: answer) { _ in
                    guard try target.feed(target.input(Array(list.data()))) else {
                        throw CocoaError(.coderReadCorrupt)
                    }
                }
            }
        }
    }

    private static func archives() -> [LimitInput] {
        [
            LimitInput(name: "a cache that expands to a gigabyte", answer: .refused) { _ in
                _ = try KeyedModelReader.read(modelCache: DeflatedZeros.stream(megabytes: 1_024))
            },
            LimitInput(name: "a cache that expands to 200 MB", answer: .refused) { _ in
                _ = try KeyedModelReader.read(modelCache: DeflatedZeros.stream(megabytes: 200))
            },
        ]
    }

    private static func propertyLists() -> [LimitInput] {
        let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?><plist version=\"1.0\">"
        let deep = 100_000
        let texts: [(String, String)] = [
            ("arrays in XML", head + repeated("<array>", deep) + repeated("</array>", deep) + "</plist>"),
            (
                "dictionaries in XML",
                head + repeated("<dict><key>a</key>", deep) + repeated("</dict>", deep) + "</plist>"
            ),
            ("arrays in text", repeated("(", deep) + repeated(")", deep)),
            ("dictionaries in text", repeated("{a=", deep) + "1" + repeated(";}", deep)),
            ("open arrays in text", repeated("(", deep)), ("a long text", repeated("x", 10_000_000)),
            ("arrays of JSON", repeated("[", deep) + repeated("]", deep)),
            ("objects of JSON", repeated("{\"a\":", deep) + "1" + repeated("}", deep)),
            ("500 arrays of JSON", repeated("[", 500) + repeated("]", 500)),
            ("500 arrays in XML", head + repeated("<array>", 500) + repeated("</array>", 500) + "</plist>"),
            ("500 arrays in text", repeated("(", 500) + repeated(")", 500)),
        ]
        return texts.flatMap { name, text in
            [ArchiveTarget.lists, .secure, .unarchived].map { target in
                LimitInput(name: "\(target.rawValue): \(name)") { _ in _ = try target.feed(Data(text.utf8)) }
            } + [
                LimitInput(name: "a path into \(name)") { _ in
                    _ = InsidePath("a", ["b"]).value(in: Data(text.utf8))
                }
            ]
        }
    }

    // MARK: Models and stores

    private static func models() -> [LimitInput] {
        func model(_ content: String) -> Data { Data("<model documentVersion=\"1.0\">\(content)</model>".utf8) }
        let many = 20_000
        let chain = (0..<many).map { "<entity name=\"E\($0)\" parentEntity=\"E\($0 + 1)\"/>" }.joined()
        let wide = (0..<many).map { "<attribute name=\"a\($0)\" attributeType=\"String\"/>" }.joined()
        let attributes = (0..<many).map { " a\($0)=\"1\"" }.joined()
        let composite = { (name: String) in
            "<attribute name=\"\(name)\" attributeType=\"Composite\" compositeName=\"C\"/>"
        }
        let request = "<fetchRequest name=\"f\" entity=\"A\" predicateString=\"\(repeated("(", 100_000))\"/>"
        let sources: [(String, Data)] = [
            ("elements of 100,000 levels", model(repeated("<entity name=\"a\">", 100_000))),
            ("an element of 20,000 attributes", model("<entity name=\"a\"\(attributes)/>")),
            ("20,000 entities in a chain", model(chain)),
            ("20,000 attributes", model("<entity name=\"A\">\(wide)</entity>")),
            ("a name of 10 MB", model("<entity name=\"\(repeated("x", 10_000_000))\"/>")),
            (
                "a composite of itself",
                model(
                    "<entity name=\"A\">\(composite("a"))</entity><composite name=\"C\">\(composite("c"))</composite>")
            ),
            ("a predicate of 100,000 levels", model("<entity name=\"A\"/>\(request)")),
        ]
        return sources.flatMap { name, source in
            [
                LimitInput(name: "a model with \(name)") { _ in
                    let document = try ModelXMLReader.read(source)
                    let model = NSManagedObjectModel(document: document)
                    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
                    _ = try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
                },
                LimitInput(name: "a mapping with \(name)") { _ in _ = try MappingSource(xml: source) },
                LimitInput(name: "an XML store with \(name)") { _ in try ParserTarget.xml.feed(source) },
            ]
        }
    }

    private static func stores() -> [LimitInput] {
        [
            LimitInput(name: "a binary store of a terabyte without contents", answer: .refused) { place in
                let head = binaryHead + (0..<8).map { UInt8(truncatingIfNeeded: (1 << 40) >> ($0 * 8)) }
                try Data(head).write(to: place.store)
                truncate(place.store.path, 1 << 40)
                try open(NSBinaryStoreType, place)
            },
            LimitInput(name: "an XML store of a terabyte without contents", answer: .refused) { place in
                try Data("<?xml version=\"1.0\"?>".utf8).write(to: place.store)
                truncate(place.store.path, 1 << 40)
                try open(NSXMLStoreType, place)
            },
            LimitInput(name: "a SQLite store of a terabyte without contents", answer: .refused) { place in
                try Data().write(to: place.store)
                truncate(place.store.path, 1 << 40)
                try open(NSSQLiteStoreType, place)
            },
        ]
    }

    /// Magic number and version of a binary store.
    private static let binaryHead = Array("OCDATOM\0".utf8) + [1, 0, 0, 0, 0, 0, 0, 0]

    private static func open(_ type: String, _ place: Place) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ProvingModel.shared)
        _ = try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: place.store)
    }
}

private enum NoFormatArguments: FormatArgumentReading {
    static let allowsUnknownFunctions = false
    static func keyPath(_ argument: Any) -> String? { nil }
    static func tree(_ argument: Any) -> (tree: FormatArgumentTree, depth: Int)? { nil }
}
