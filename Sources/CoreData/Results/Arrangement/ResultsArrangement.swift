// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The results in sections, with the position of each object, searched and changed in bounded time.

import Foundation

/// The ordered data structure of a results controller. Documentation/Internals/ResultsController.md.
///
/// # Invariants
/// (1) Each object has one entry, in one section; `entries` finds it.
/// (2) The entries of a section are in order, and share its name (ResultsController-5).
/// (3) Sections are in the order of their first entries, and none is empty. Without a section key path there is one
///     section, which may be empty.
final class ResultsArrangement {
    let order: ResultOrder
    let isSectioned: Bool
    /// Reads the placement of an entry.
    private let read: (ResultEntry) -> ResultPlacement
    var sections: [ResultSection] = []
    var sectionsByName: [String: ResultSection] = [:]
    var entries: [ObjectIdentifier: ResultEntry] = [:]
    /// Sections that may have another first entry since the edit began.
    var touched: [ResultSection] = []

    /// - Parameter entries: in order.
    init(
        _ order: ResultOrder, isSectioned: Bool, _ entries: [ResultEntry],
        read: @escaping (ResultEntry) -> ResultPlacement
    ) {
        self.order = order
        self.isSectioned = isSectioned
        self.read = read
        self.entries.reserveCapacity(entries.count)
        if !isSectioned { addSection("") }
        var last = sections.last
        for entry in entries {
            self.entries[ObjectIdentifier(entry.object)] = entry
            let name = isSectioned ? entry.sectionName : ""
            if let last, last.name == name {
                last.append(entry)
            } else {
                let section = sectionsByName[name] ?? addSection(name)
                section.append(entry)
                last = section
            }
        }
    }

    @discardableResult
    private func addSection(_ name: String) -> ResultSection {
        let section = ResultSection(name)
        section.index = sections.count
        sections.append(section)
        sectionsByName[name] = section
        return section
    }

    var count: Int { entries.count }

    /// For an arrangement without sections.
    var last: ResultEntry? { sections.last?.chunks.last?.entries.last }

    func entry(of object: NSManagedObject) -> ResultEntry? { entries[ObjectIdentifier(object)] }

    func path(of object: NSManagedObject) -> ResultPath? {
        guard let entry = entry(of: object), let section = entry.chunk?.section,
            let item = section.position(of: entry)
        else { return nil }
        return ResultPath(section: section.index, item: item)
    }

    /// The placement that determines the position of an entry; read on first use.
    func placement(of entry: ResultEntry) -> ResultPlacement {
        if let placement = entry.placement { return placement }
        let placement = read(entry)
        entry.placement = placement
        return placement
    }

    func precedes(_ one: ResultEntry, _ other: ResultEntry) -> Bool {
        order.precedes(placement(of: one), placement(of: other))
    }

    /// The entries at some positions, for an arrangement without sections.
    func entries(from start: Int, limit: Int) -> [ResultEntry] {
        var result: [ResultEntry] = []
        var base = 0
        for chunk in sections.first?.chunks ?? [] {
            result += chunk.entries.dropFirst(max(start - base, 0)).prefix(limit - result.count)
            if result.count == limit { break }
            base += chunk.entries.count
        }
        return result
    }

    func checkInvariants() {
        assert(sections.reduce(0) { $0 + $1.count } == entries.count, "(1)")
        assert(!isSectioned || sections.allSatisfy { $0.count > 0 }, "(3)")
        assert(sections.enumerated().allSatisfy { $0.offset == $0.element.index }, "(3)")
    }
}

/// The results at one moment.
struct ResultsView {
    struct Section {
        let name: String
        let count: Int
        fileprivate let chunks: [[ResultEntry]]

        var objects: [NSManagedObject] { chunks.flatMap { $0.map(\.object) } }
        var ids: [NSManagedObjectID] { chunks.flatMap { $0.map(\.id) } }

        func object(at position: Int) -> NSManagedObject {
            var rest = position
            for chunk in chunks {
                if rest < chunk.count { return chunk[rest].object }
                rest -= chunk.count
            }
            preconditionFailure("Section '\(name)' has no position \(position): it has \(count) objects.")
        }

        func position(of object: NSManagedObject) -> Int? {
            var base = 0
            for chunk in chunks {
                if let place = chunk.firstIndex(where: { $0.object === object }) { return base + place }
                base += chunk.count
            }
            return nil
        }
    }

    let sections: [Section]

    init(_ arrangement: ResultsArrangement) {
        sections = arrangement.sections.map {
            Section(name: $0.name, count: $0.count, chunks: $0.chunks.map(\.entries))
        }
    }

    var objects: [NSManagedObject] {
        var result: [NSManagedObject] = []
        result.reserveCapacity(sections.reduce(0) { $0 + $1.count })
        for section in sections { result += section.objects }
        return result
    }

    /// The paths of some objects, found in one pass.
    func paths(of objects: Set<ObjectIdentifier>) -> [ObjectIdentifier: ResultPath] {
        var paths: [ObjectIdentifier: ResultPath] = [:]
        if objects.isEmpty { return paths }
        for (number, section) in sections.enumerated() {
            for (item, object) in section.objects.enumerated() where objects.contains(ObjectIdentifier(object)) {
                paths[ObjectIdentifier(object)] = ResultPath(section: number, item: item)
            }
        }
        return paths
    }

    func path(of object: NSManagedObject) -> ResultPath? {
        for (number, section) in sections.enumerated() {
            if let item = section.position(of: object) { return ResultPath(section: number, item: item) }
        }
        return nil
    }
}
