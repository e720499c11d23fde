// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Imports that a port adds.

import CoreDataModelFiles
import Foundation
import Testing

@testable import CoreDataAdoption

@Suite("Imports of ported sources") struct PortedImportTests {
    private static let guarded = "#if !canImport(ObjectiveC)\n    import class CoreData.NSExpression\n#endif"

    @Test(
        "a file imports CoreData if it names its types, or those that Foundation lacks",
        arguments: [
            (
                "import SwiftUI\n\nvar a: NSManagedObjectContext?",
                "import SwiftUI\nimport CoreData\n\nvar a: NSManagedObjectContext?"
            ),
            (
                "import Foundation\nlet a = [NSSQLiteStoreType]",
                "import Foundation\nimport CoreData\nlet a = [NSSQLiteStoreType]"
            ),
            (
                "import UIKit  // for colours\n\nfinal class T: ValueTransformer {}",
                "import UIKit  // for colours\nimport CoreData\n\nfinal class T: ValueTransformer {}"
            ),
            (
                "import Foundation\nlet a = NSPredicate(format: \"a == 1\")",
                "import Foundation\nimport CoreData\nlet a = NSPredicate(format: \"a == 1\")"
            ),
            (
                "import Foundation\nlet a = NSSortDescriptor(key: \"a\", ascending: true)",
                "import Foundation\nimport CoreData\nlet a = NSSortDescriptor(key: \"a\", ascending: true)"
            ),
            (
                "import Foundation\nclass T: Foundation.ValueTransformer {}",
                "import Foundation\nimport CoreData\nclass T: ValueTransformer {}"
            ),
            (
                "import Foundation\nlet a = #selector(getter: Car.owner)",
                "import Foundation\nimport CoreData\nlet a = Selector(\"owner\")"
            ),
            (
                "public import Foundation\npublic var a: NSManagedObject?",
                "public import Foundation\npublic import CoreData\npublic var a: NSManagedObject?"
            ),
            (
                "import struct CoreData.NSFetchRequestResultType\nvar a: NSFetchRequestResultType, b: NSMergePolicy",
                "import struct CoreData.NSFetchRequestResultType\nimport CoreData\n"
                    + "var a: NSFetchRequestResultType, b: NSMergePolicy"
            ),
        ])
    func missing(old: String, new: String) throws {
        let ported = try PortedSources.file(old)
        #expect(ported.text == new && ported.again == new && ported.reports.isEmpty, "\(ported)")
    }

    @Test(
        "imports inside of a condition on another platform do not count, and get no others",
        arguments: [
            (
                "#if canImport(UIKit)\n    import UIKit\n#endif\nvar a: NSManagedObject?",
                "import CoreData\n#if canImport(UIKit)\n    import UIKit\n#endif\nvar a: NSManagedObject?"
            ),
            (
                "import Foundation\n#if os(iOS)\n    import CoreData\n#endif\nvar a: NSManagedObject?",
                "import Foundation\nimport CoreData\n#if os(iOS)\n    import CoreData\n#endif\nvar a: NSManagedObject?"
            ),
            (
                "// Head\n\n/// A car.\nclass Car: NSManagedObject {}",
                "// Head\n\nimport CoreData\n\n/// A car.\nclass Car: NSManagedObject {}"
            ),
            (
                "#if canImport(CoreData)\n    import CoreData\n    var a: NSManagedObject?\n#endif",
                "#if canImport(CoreData)\n    import CoreData\n    var a: NSManagedObject?\n#endif"
            ),
        ])
    func conditions(old: String, new: String) throws {
        let ported = try PortedSources.file(old)
        #expect(ported.text == new && ported.again == new && ported.reports.isEmpty, "\(ported)")
    }

    @Test(
        "classes that are ambiguous with Foundation get an import of the class",
        arguments: [
            (
                "import CoreData\nimport Foundation\n\nlet e: NSExpression? = nil",
                "import CoreData\nimport Foundation\n\(guarded)\n\nlet e: NSExpression? = nil"
            ),
            (
                "import Foundation\nfunc f(_ p: NSComparisonPredicate) {}",
                "import Foundation\nimport CoreData\n#if !canImport(ObjectiveC)\n"
                    + "    import class CoreData.NSComparisonPredicate\n#endif\nfunc f(_ p: NSComparisonPredicate) {}"
            ),
            ("import CoreData\nlet e: NSExpression? = nil", "import CoreData\nlet e: NSExpression? = nil"),
        ])
    func ambiguous(old: String, new: String) throws {
        let ported = try PortedSources.file(old)
        #expect(ported.text == new && ported.again == new && ported.reports.isEmpty, "\(ported)")
    }

    @Test(
        "members, labels, comments and types of the sources need no import",
        arguments: [
            "import Foundation\nlet a = b.NSManagedObject, c = f(Selector: 1)  // NSManagedObject",
            "import Foundation\nstruct Selector {}\nvar a: Selector?",
            "import class CoreData.NSManagedObject\nvar a: NSManagedObject?",
            "import Foundation\nlet a = NSPredicate(value: true), b = NSSortDescriptor(keyPath: c, ascending: true)",
        ])
    func unneeded(source: String) throws {
        let ported = try PortedSources.file(source)
        #expect(ported.text == source && ported.reports.isEmpty, "\(ported)")
    }

    @Test("the names of Core Data are those that the module declares") func names() throws {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Sources")
        var declared: Set<String> = []
        let pattern =
            #/^(?:@\S+ )*(?:public|open) (?:final |nonisolated )*(?:class|struct|enum|protocol|let|var) (NS\w+)/#
        for file in SourcePort.files([
            sources.appendingPathComponent("CoreData"), sources.appendingPathComponent("CoreDataFoundation"),
        ]) {
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            for line in lines where line.contains(" NS") && !line.hasPrefix(" ") {
                if let match = line.firstMatch(of: pattern) { declared.insert(String(match.1)) }
            }
        }
        let ours: Set = [
            "NSDiffableDataSourceSnapshotReference", "NSFullTextIndexOption", "NSPredicateValidating",
            "NSStoreConnectionLimitOption", "NSStoreConnectionTimeoutOption", "NSStoreWaitingLimitOption",
            "NSValueIndexOption",
        ]
        let known = declared.filter { name in
            ForeignNames.areOfCoreData(name) || ForeignNames.ofFoundation.contains(name)
                || ForeignNames.ambiguous.contains(name)
        }
        #expect(declared.subtracting(known).subtracting(ours) == [])
        #expect(ForeignNames.types.subtracting(declared).isEmpty && declared.count > 150)
    }
}
