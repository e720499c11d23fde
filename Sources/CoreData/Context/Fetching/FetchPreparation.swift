// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Looks up every name in a fetch request and checks every comparison. Documentation/Internals/Fetching.md, "One road".

import CoreDataFoundation
import Foundation

/// Prepares a fetch for one request, or for all requests of its shape.
struct FetchPreparation {
    let settings: FetchSettings
    let layout: EntityLayout
    private let paths: KeyPathResolver
    private var model: ModelLayout { paths.model }

    init(_ settings: FetchSettings, _ layout: EntityLayout, _ model: ModelLayout) {
        self.settings = settings
        self.layout = layout
        paths = KeyPathResolver(model: model)
    }

    /// For all requests of a shape.
    ///
    /// - Throws: 134060 for a key that the model does not have, and for a comparison that no object can meet.
    func prepared(for shape: FetchShape) throws -> PreparedFetch {
        if let predicate = settings.predicate { try PathCheck(paths).check(predicate.syntax, from: layout) }
        return try prepared(shape, hasCode: false)
    }

    /// For this request only.
    ///
    /// - Throws: as `prepared(for:)`.
    func bound() throws -> BoundFetch {
        let predicate = try settings.predicate?.syntax.readingConstants()
        if let predicate { try PathCheck(paths).check(predicate, from: layout) }
        return BoundFetch(
            try prepared(nil, hasCode: predicate?.hasCode ?? false),
            matching: predicate.map { ConstantConversion(paths: paths).read($0, from: layout) })
    }

    private func prepared(_ shape: FetchShape?, hasCode: Bool) throws -> PreparedFetch {
        let sorting = try (settings.sortDescriptors ?? []).map(sort)
        for path in settings.relationshipKeyPathsForPrefetching ?? [] { try checkPrefetching(path) }
        return PreparedFetch(
            model: model, layout: layout, options: settings.options, resultType: settings.resultType,
            shape: shape, hasCode: hasCode, sorting: sorting,
            prefetchedKeyPaths: settings.relationshipKeyPathsForPrefetching,
            dictionaries: settings.resultType == .dictionaryResultType
                ? Result { try dictionaries(hasCode: hasCode) } : nil)
    }

    private func checkPrefetching(_ keyPath: String) throws {
        let path = try paths.resolve(keyPath, from: layout)
        let kinds = path.steps.map { model.layouts[$0.layoutIndex][$0.slot].kind }
        guard path.tail == .value, kinds.allSatisfy({ $0 == .reference || $0 == .toMany }) else {
            throw CoreDataError.general(
                "'\(layout.name).\(keyPath)' is no key path of relationships: it cannot be prefetched.")
        }
    }

    /// The columns of dictionary results.
    ///
    /// - Throws: 134060 for a key that the entity does not have, and for a predicate with code, which needs objects.
    private func dictionaries(hasCode: Bool) throws -> DictionaryRequest {
        if hasCode {
            throw CoreDataError.general(
                "The predicate of the fetch of '\(layout.name)' has code in it, which is asked of objects: it cannot choose dictionaries."
            )
        }
        var result = DictionaryRequest(columns: [])
        if let properties = settings.propertiesToFetch, !properties.isEmpty {
            result.columns = try properties.map(column)
        } else {
            result.columns = layout.attributeSlots.filter { !layout[$0].isTransient }.map { slot in
                .init(
                    name: layout.properties[slot].name,
                    value: .property([PathStep(layoutIndex: layout.index, slot: slot, element: nil)]))
            }
        }
        result.groupBy = try (settings.propertiesToGroupBy ?? []).map { property in
            switch try column(property).value {
            case .property(let path): return DictionaryRequest.Group(path: path)
            case .datePart(let path, let part): return DictionaryRequest.Group(path: path, part: part)
            case .expression, .objectID:
                throw CoreDataError.general("Results can be grouped by properties alone, not by '\(property)'.")
            }
        }
        result.window = settings.groupWindow
        result.having = try settings.havingPredicate?.syntax.readingConstants()
        if let having = result.having {
            try PathCheck(paths, aliases: Set(result.columns.map(\.name))).check(having, from: layout)
            result.having = ConstantConversion(paths: paths, columns: result.columns).read(having, from: layout)
        }
        result.isDistinct = settings.options.contains(.returnsDistinctResults)
        return result
    }

    private func column(_ property: Any) throws -> DictionaryRequest.Column {
        switch property {
        case let description as NSExpressionDescription:
            guard let expression = description.expression else { return try column(without: description) }
            if case .evaluatedObject = expression.syntax { return .init(name: description.name, value: .objectID) }
            if let path = try PathCheck(paths).check(expression.syntax, from: layout) {
                try checkSingle(path, description.name)
            }
            let syntax = ConstantConversion(paths: paths).read(expression.syntax, from: layout)
            return .init(name: description.name, value: .expression(syntax), resultType: description.givenType)
        case let description as NSPropertyDescription: return try column(named: description.name)
        case let name as String: return try column(named: name)
        case let part as DatePartProperty: return try column(part)
        default:
            throw CoreDataError.general("'\(property)' is neither a property's description nor its name.")
        }
    }

    /// A description without an expression refers to the property with its name, or to the object.
    private func column(without description: NSExpressionDescription) throws -> DictionaryRequest.Column {
        if layout.slot(description.name) == nil, description.expressionResultType == .objectIDAttributeType {
            return .init(name: description.name, value: .objectID)
        }
        guard layout.slot(description.name) != nil || description.name.contains(".") else {
            throw CoreDataError.general(
                "The expression description '\(description.name)' has no expression, and '\(layout.name)' has no property "
                    + "of that name.\(layout.names(near: description.name))")
        }
        var column = try column(named: description.name)
        column.resultType = description.givenType
        return column
    }

    /// - Throws: 134060 for the members of a to-many relationship.
    private func checkSingle(_ path: CheckedPath, _ name: String) throws {
        guard path.path.tail == .value, let last = path.path.steps.last,
            model.layouts[last.layoutIndex][last.slot].kind == .toMany
        else { return }
        throw CoreDataError.general(
            "The expression of '\(name)' is the to-many relationship '\(layout.name).\(path.text)': dictionaries hold "
                + "attributes and to-one relationships. Count the members by '\(path.text).@count'.")
    }

    private func column(named name: String) throws -> DictionaryRequest.Column {
        if name == "objectID", layout.slot(name) == nil { return .init(name: name, value: .objectID) }
        let path = try paths.resolve(name, from: layout)
        guard path.tail == .value, let last = path.steps.last else {
            throw CoreDataError.general("'\(name)' cannot be fetched into a dictionary.")
        }
        for step in path.steps where model.layouts[step.layoutIndex][step.slot].kind == .toMany {
            throw CoreDataError.general(
                "'\(layout.name).\(name)' goes through a to-many relationship: dictionaries hold attributes and to-one relationships."
            )
        }
        if paths.pathInside(name, from: layout) != nil {
            throw CoreDataError.general(
                "'\(layout.name).\(name)' is a path into a value: dictionaries hold whole attributes. Name the value by an "
                    + "expression description with this key path.")
        }
        guard model.layouts[last.layoutIndex][last.slot].word >= 0 else {
            throw CoreDataError.general("'\(layout.name).\(name)' has no value in a store.")
        }
        return .init(name: name, value: .property(path.steps))
    }

    /// - Throws: 134060 for an attribute that is no date.
    private func column(_ property: DatePartProperty) throws -> DictionaryRequest.Column {
        guard case .property(let path) = try column(named: property.path).value, let last = path.last,
            attribute(at: last)?.attributeType == .dateAttributeType
        else {
            throw CoreDataError.general("'\(layout.name).\(property.path)' is no date: it has no parts by a calendar.")
        }
        return .init(name: property.name, value: .datePart(path, property.part))
    }

    /// An attribute, or an element of a composite one.
    private func attribute(at step: PathStep) -> NSAttributeDescription? {
        var attribute = model.layouts[step.layoutIndex].properties[step.slot] as? NSAttributeDescription
        for name in step.element?.split(separator: ".") ?? [] {
            let elements = (attribute as? NSCompositeAttributeDescription)?.elements
            attribute = elements?.first { $0.name == name }
        }
        return attribute
    }

    private func sort(_ descriptor: NSSortDescriptor) throws -> PreparedFetch.Sort {
        guard let key = descriptor.sortKey else {
            throw CoreDataError.general(
                "A fetch request sorts by a key, as stores do; \(descriptor) has none, or a comparator. Name a key and a "
                    + "selector, or sort what was fetched.")
        }
        let path = try paths.resolve(key.key, from: layout)
        if path.tail == .value,
            path.steps.contains(where: { model.layouts[$0.layoutIndex][$0.slot].kind == .toMany })
        {
            throw CoreDataError.general(
                "'\(layout.name).\(key.key)' goes through a to-many relationship: results cannot be sorted by it. Sort by "
                    + "attributes, of the entity or of objects at to-one relationships.")
        }
        if paths.pathInside(key.key, from: layout) != nil {
            throw CoreDataError.general(
                "'\(layout.name).\(key.key)' is a path into a value: no store sorts by it. Sort the objects that were "
                    + "fetched.")
        }
        return PreparedFetch.Sort(
            keyPath: path, isAscending: key.ascending, comparison: key.comparison, descriptor: descriptor.byKey)
    }
}

extension NSExpressionDescription {
    /// nil for a value that keeps the type of its expression.
    fileprivate var givenType: NSAttributeType? {
        expressionResultType == .undefinedAttributeType ? nil : expressionResultType
    }
}
