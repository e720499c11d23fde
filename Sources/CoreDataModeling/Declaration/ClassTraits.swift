// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The indexes and arguments of `@ManagedObject`.

import CoreDataModelFiles

/// An index over properties of an entity: `["title", "pages"]`, or with a name, directions and a condition.
public struct ManagedIndex: Sendable, ExpressibleByArrayLiteral {
    /// A property in an index.
    public struct Element: Sendable, ExpressibleByStringLiteral {
        let property: String
        let isAscending: Bool

        /// Creates an ascending element, so that an index can be written as names.
        public init(stringLiteral value: String) { self = .ascending(value) }

        private init(_ property: String, _ isAscending: Bool) {
            self.property = property
            self.isAscending = isAscending
        }

        /// A property in ascending order in the index.
        public static func ascending(_ property: String) -> Element { Element(property, true) }
        /// A property in descending order in the index.
        public static func descending(_ property: String) -> Element { Element(property, false) }
    }

    let name: String?
    let elements: [Element]
    let condition: String?
    private var isTree = false

    /// A spatial index of numbers, for conditions that limit several of them: `.rTree("latitude", "longitude")`. Its
    /// name is `by` followed by the property names. Stores other than SQLite's ignore it.
    public static func rTree(_ properties: String...) -> ManagedIndex {
        var index = ManagedIndex(elements: properties.map { .ascending($0) })
        index.isTree = true
        return index
    }

    /// - Parameters:
    ///   - name: `by` followed by the property names unless given.
    ///   - elements: most significant first.
    ///   - condition: a predicate in the format language that restricts the index to matching objects.
    public init(_ name: String? = nil, on elements: Element..., where condition: String? = nil) {
        self.name = name
        self.elements = elements
        self.condition = condition
    }

    /// Creates an index without a condition, with a name made of its properties. Most significant first.
    public init(arrayLiteral elements: Element...) { self.init(elements: elements) }

    private init(elements: [Element]) {
        name = nil
        self.elements = elements
        condition = nil
    }

    static func name(over properties: [String]) -> String {
        "by" + properties.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: "And")
    }

    var document: ModelDocument.FetchIndex {
        var index = ModelDocument.FetchIndex(name: name ?? Self.name(over: elements.map(\.property)))
        index.elements = elements.map {
            ModelDocument.FetchIndex.Element(
                property: $0.property, isAscending: $0.isAscending, collation: isTree ? 1 : 0)
        }
        index.partialPredicateFormat = condition
        return index
    }
}

/// The arguments of `@ManagedObject`, documented there.
public struct ClassTraits: Sendable {
    let entityName: String?
    let isAbstract: Bool
    let uniqueness: [[String]]
    let indexes: [ManagedIndex]
    let originalName: String?
    let hashModifier: String?
    let userInfo: [String: String]

    /// Creates the traits of one class; the arguments are those of `@ManagedObject`.
    public init(
        entity entityName: String? = nil, isAbstract: Bool = false, uniqueness: [[String]] = [],
        indexes: [ManagedIndex] = [], originalName: String? = nil, hashModifier: String? = nil,
        userInfo: [String: String] = [:]
    ) {
        self.entityName = entityName
        self.isAbstract = isAbstract
        self.uniqueness = uniqueness
        self.indexes = indexes
        self.originalName = originalName
        self.hashModifier = hashModifier
        self.userInfo = userInfo
    }
}
