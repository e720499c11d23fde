// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The line numbers of entities and properties in an `.xcdatamodel`, for messages.

package struct ModelSourceLines: Sendable {
    private var lines: [String: Int] = [:]

    /// No line numbers, for files that are not XML.
    package init() {}

    init(_ root: XMLTree) {
        for entity in root.children(named: "entity") {
            guard let name = entity.attribute("name") else { continue }
            note(name, entity.line)
            for property in entity.children where Self.properties.contains(property.name) {
                if let own = property.attribute("name") { note("\(name).\(own)", property.line) }
            }
        }
    }

    /// The line of the property, otherwise of the entity, otherwise 1.
    package func line(_ entity: String?, _ property: String? = nil) -> Int {
        guard let entity else { return 1 }
        return property.flatMap { lines["\(entity).\($0)"] } ?? lines[entity] ?? 1
    }

    /// If two elements have one name, the second is the one to report.
    private mutating func note(_ key: String, _ line: Int) { lines[key] = line }

    private static let properties: Set<String> = ["attribute", "relationship", "fetchedProperty"]
}
