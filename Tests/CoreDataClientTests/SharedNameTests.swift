// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Names that Foundation has as well, in a file with the imports of an app.

import CoreData
import Foundation
import Testing

// `coredata-tool port` writes these.
#if !canImport(ObjectiveC)
    import class CoreData.NSComparisonPredicate
    import class CoreData.NSExpression
#endif

@Suite("Names that Foundation has as well") struct SharedNameTests {
    private func comparison(_ left: NSExpression, _ right: NSExpression) -> NSComparisonPredicate {
        NSComparisonPredicate(leftExpression: left, rightExpression: right, modifier: .direct, type: .equalTo)
    }

    @Test("are this package's where their classes are imported, as types and in calls")
    func types() {
        let key: NSExpression = NSExpression(forKeyPath: "pages")
        let predicate: NSComparisonPredicate = comparison(key, NSExpression(forConstantValue: 3))
        #expect(predicate.evaluate(with: ["pages": 3]) && !predicate.evaluate(with: ["pages": 4]))
    }

    @Test("a transformer of an app needs no prefix")
    func transformer() {
        final class Upper: ValueTransformer {
            override func transformedValue(_ value: Any?) -> Any? { (value as? String)?.uppercased() }
        }
        let name = NSValueTransformerName("SharedNameTests.Upper")
        ValueTransformer.setValueTransformer(Upper(), forName: name)
        #expect(ValueTransformer(forName: name)?.transformedValue("a") as? String == "A")
    }
}
