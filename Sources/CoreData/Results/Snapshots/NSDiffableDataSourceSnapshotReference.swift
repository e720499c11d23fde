// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A snapshot of results for delegates: section names and object ids, as in Apple's interface frameworks.

public import Foundation

/// The sections and objects of a results controller at one moment, by name and id.
///
/// It replaces the class of Apple's interface frameworks, with the API that delegates of results controllers read.
/// Section identifiers are `String`, item identifiers `NSManagedObjectID`. It is immutable and may be used on any
/// thread.
public final class NSDiffableDataSourceSnapshotReference: NSObject, @unchecked Sendable {  // immutable
    private let names: [String]
    private let ids: [[NSManagedObjectID]]
    private let reloaded: [NSManagedObjectID]

    init(_ view: ResultsView, reloaded: [NSManagedObjectID]) {
        names = view.sections.map(\.name)
        ids = view.sections.map(\.ids)
        self.reloaded = reloaded
    }

    /// The number of objects.
    public var numberOfItems: Int { ids.reduce(0) { $0 + $1.count } }
    /// The number of sections.
    public var numberOfSections: Int { names.count }
    /// The names of the sections, in order.
    public var sectionIdentifiers: [Any] { names }
    /// The ids of all objects, in order.
    public var itemIdentifiers: [Any] { Array(ids.joined()) }
    /// The ids of objects that were updated and kept their positions.
    public var reloadedItemIdentifiers: [Any] { reloaded }
    /// Always empty: sections have no content except their objects.
    public var reloadedSectionIdentifiers: [Any] { [] }
    /// Always empty: see `reloadedItemIdentifiers`.
    public var reconfiguredItemIdentifiers: [Any] { [] }

    /// The number of objects in a section; 0 for an unknown name.
    public func numberOfItems(inSection sectionIdentifier: Any) -> Int { section(sectionIdentifier)?.count ?? 0 }

    /// The ids of a section's objects, in order; empty for an unknown name.
    public func itemIdentifiersInSection(withIdentifier sectionIdentifier: Any) -> [Any] {
        section(sectionIdentifier) ?? []
    }

    /// The name of the section of an object; nil for an unknown id.
    public func sectionIdentifier(forSectionContainingItemIdentifier itemIdentifier: Any) -> Any? {
        guard let id = itemIdentifier as? NSManagedObjectID else { return nil }
        return ids.firstIndex { $0.contains(id) }.map { names[$0] }
    }

    /// The position of an object among all objects; `NSNotFound` for an unknown id.
    public func index(ofItemIdentifier itemIdentifier: Any) -> Int {
        guard let id = itemIdentifier as? NSManagedObjectID else { return NSNotFound }
        return ids.joined().enumerated().first { $0.element == id }?.offset ?? NSNotFound
    }

    /// The position of a section; `NSNotFound` for an unknown name.
    public func index(ofSectionIdentifier sectionIdentifier: Any) -> Int {
        (sectionIdentifier as? String).flatMap { names.firstIndex(of: $0) } ?? NSNotFound
    }

    private func section(_ identifier: Any) -> [NSManagedObjectID]? {
        (identifier as? String).flatMap { names.firstIndex(of: $0) }.map { ids[$0] }
    }

    /// By section names and ids.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSDiffableDataSourceSnapshotReference else { return false }
        return names == other.names && ids == other.ids && reloaded == other.reloaded
    }

    public override var hash: Int { names.hashValue ^ numberOfItems }
}
