// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The request of J8: count and average salary of each department.

import CoreData

private typealias NSExpression = CoreData.NSExpression

enum Summary {
    static func request() -> NSFetchRequest<NSDictionary> {
        let request = NSFetchRequest<NSDictionary>(entityName: "Employee")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = [
            "department", column("count", "count:", of: "badge", .integer64AttributeType),
            column("average", "average:", of: "salary", .doubleAttributeType),
        ]
        request.propertiesToGroupBy = ["department"]
        return request
    }

    private static func column(
        _ name: String, _ function: String, of key: String, _ type: NSAttributeType
    ) -> NSExpressionDescription {
        let description = NSExpressionDescription()
        description.name = name
        description.expression = NSExpression(forFunction: function, arguments: [NSExpression(forKeyPath: key)])
        description.expressionResultType = type
        return description
    }
}
