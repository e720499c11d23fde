// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Converts positions of a request to cursors, and cursors of the same request back to positions. Cursors-6, Cursors-7.

import CoreDataFoundation
import CoreDataModelFiles
import Foundation

struct CursorCoding {
    private let entity: String
    private let model: String
    private let request: String
    private let sorting: [PreparedFetch.Sort]
    private let layouts: ModelLayout
    private let signature: CursorSignature

    /// - Parameter predicate: of the request, as the program wrote it.
    init(_ route: RoutedFetch, predicate: NSPredicate?, key: Data?) {
        let prepared = route.fetch.prepared
        entity = prepared.layout.name
        sorting = prepared.sorting
        signature = CursorSignature(key: key)
        layouts = prepared.model
        let indexes = prepared.layout.familyIndexes + prepared.sorting.flatMap(\.keyPath.steps).map(\.layoutIndex)
        let versions = indexes.map { [layouts] in layouts.layouts[$0].entity.versionHash }
        model = Self.digest(versions.reduce(Data(), +))
        var parts = [Self.text(of: predicate), prepared.options.contains(.includesSubentities) ? "family" : "entity"]
        for sort in sorting {
            let key = sort.descriptor.sortKey?.key ?? ""
            parts.append("\(key) \(sort.isAscending) \(sort.comparison.rawValue)")
        }
        parts += route.stores.map(\.identity.identifier)
        // The length of each part keeps them apart.
        request = Self.digest(Data(parts.map { "\($0.utf8.count):\($0)" }.joined().utf8))
    }

    private static func digest(_ data: Data) -> String { SHA2.sha256(data).prefix(12).base64EncodedString() }

    /// Objects are represented by their URIs, and code by nothing.
    private static func text(of predicate: NSPredicate?) -> String {
        let named = predicate?.syntax.withoutCode?.mappingConstants { value in
            guard let value, !FormatArguments.isPlain(type(of: value)) else { return value }
            if let uri = uri(value) { return uri }
            let members = ExpressionSyntax.constant(value).listElements?.compactMap { member in
                if case .constant(let member?) = member { uri(member) } else { nil }
            }
            guard let members, !members.isEmpty else { return value }
            return members.sorted()
        }
        return named.map { "\($0)" } ?? ""
    }

    private static func uri(_ value: Any) -> String? {
        if let object = FormatArguments.object(value, as: NSManagedObject.self) {
            return object.objectID.uriRepresentation().absoluteString
        }
        return FormatArguments.object(value, as: NSManagedObjectID.self)?.uriRepresentation().absoluteString
    }

    // MARK: Coding

    /// - Throws: `unsupportedOrder` for a value without an order.
    func cursor(at position: FetchPosition, id: NSManagedObjectID, in state: ContextState) throws -> FetchCursor {
        let values = try zip(sorting, position.values).map { sort, value in
            guard let value = CursorContent.Value(value) else { throw error(.unsupportedOrder, at: sort, Self.noOrder) }
            return value
        }
        let content = CursorContent(
            entity: entity, model: model, request: request, values: values,
            id: position.key < 0
                ? .unsaved(key: position.key, context: marker(of: state))
                : .saved(id.uriRepresentation().absoluteString))
        return FetchCursor(rawValue: signature.text(try content.encoded()))
    }

    private func marker(of state: ContextState) -> UUID {
        let marker = state.cursorMarker ?? UUID()
        state.cursorMarker = marker
        return marker
    }

    static let noOrder = "its values have no order that all stores share. Sort by numbers, texts, dates or UUIDs."

    func error(_ reason: FetchCursorError.Reason, at sort: PreparedFetch.Sort? = nil, _ sentence: String)
        -> FetchCursorError
    {
        FetchCursorError(reason, entity: entity, property: sort?.descriptor.sortKey?.key, sentence)
    }

    /// - Throws: a `FetchCursorError` for a text that is not a cursor of this request.
    func position(_ cursor: FetchCursor, in state: ContextState, _ coordinator: NSPersistentStoreCoordinator) throws
        -> FetchPosition
    {
        let content = try content(cursor)
        guard content.entity == entity else {
            throw error(.otherEntity, "the cursor is of a request for '\(content.entity)'.")
        }
        guard content.model == model else {
            throw error(.otherModel, "the entity had another version then. Begin with the first page.")
        }
        guard content.request == request, content.values.count == sorting.count else {
            throw error(
                .otherRequest,
                "the cursor is of a request with another predicate, order or stores."
            )
        }
        let values = zip(sorting, content.values).compactMap {
            $0.accepts($1.comparable, in: layouts) ? $1.comparable : nil
        }
        guard values.count == content.values.count else { throw error(.malformed, "the cursor has a damaged value.") }
        switch content.id {
        case .saved(let uri):
            guard let id = URL(string: uri).flatMap(coordinator.managedObjectID(forURIRepresentation:)), id.key > 0,
                id.layout.rootIndex == coordinator.model.layout(named: entity)?.rootIndex
            else { throw error(.otherRequest, "no store of the context has the cursor's object.") }
            return FetchPosition(values: values, key: id.key, home: id.home)
        case .unsaved(let key, let context):
            guard context == state.cursorMarker, key < 0 else {
                throw error(.unsavedObject, "the cursor is at an object that was not saved, in another context.")
            }
            let object = state.cursorObjects[key]
            return FetchPosition(values: values, key: object?.key ?? key, home: object?.table.home)
        }
    }

    private func content(_ cursor: FetchCursor) throws -> CursorContent {
        do {
            let data = try signature.content(cursor.rawValue)
            if JSONBounds.allow(data) {
                let content = try JSONDecoder().decode(CursorContent.self, from: data)
                if content.version == 1 { return content }
            }
        } catch CursorSignature.Failure.altered {
            throw error(.altered, "the cursor was changed, or signed with another key.")
        } catch {}
        throw error(.malformed, "the text is not that of a cursor.")
    }
}

extension PreparedFetch.Sort {
    /// Whether a value can be one of the sort values.
    fileprivate func accepts(_ value: ComparableValue?, in model: ModelLayout) -> Bool {
        switch value {
        case nil: return false
        case .null?: return true
        case .double(let number)?: if number.isNaN { return false }
        case .date(let date)?: if date.timeIntervalSinceReferenceDate.isNaN { return false }
        default: break
        }
        guard let family = family(in: model) else { return true }
        return family == value?.original.flatMap { ValueFamily(value: $0) }
    }

    /// Whether it sorts by values with an order that all stores share: not by objects (Cursors-9).
    func hasValues(in model: ModelLayout) -> Bool {
        switch keyPath.tail {
        case .count, .collection: true
        case .entity: false
        case .value: keyPath.steps.last?.element != nil || family(in: model) != nil
        }
    }

    /// nil for objects, elements of composites, and values of functions.
    private func family(in model: ModelLayout) -> ValueFamily? {
        guard keyPath.tail == .value, let last = keyPath.steps.last, last.element == nil else { return nil }
        let property = model.layouts[last.layoutIndex].properties[last.slot]
        return (property as? NSAttributeDescription).flatMap { ValueFamily($0) }
    }
}
