// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Applies an edit to an arrangement, and describes its changes.

import Foundation

extension ResultsArrangement {
    /// # Order
    /// 1. Records the old positions.
    /// 2. Removes entries, and pulls changed entries that are no longer in order.
    /// 3. Puts inserted and pulled entries in by binary search.
    /// 4. Arranges sections with another first entry.
    /// 5. Records the new positions, and describes the difference.
    func apply(_ edit: ResultsEdit) -> ResultsChange {
        let before = sections
        for section in sections { (section.oldIndex, section.oldCount) = (section.index, section.count) }
        let changed = edit.changed.map(\.entry)
        notePositions(of: edit.removed + changed, \.oldPath)
        for entry in edit.removed {
            take(entry)
            entries[ObjectIdentifier(entry.object)] = nil
        }
        let pulled = pull(edit.changed)
        for entry in edit.inserted { entries[ObjectIdentifier(entry.object)] = entry }
        for entry in edit.inserted + pulled { put(entry) }
        let hasOtherSections = !touched.isEmpty && isSectioned
        if hasOtherSections { arrangeSections() }
        for section in touched { section.isTouched = false }
        touched = []
        notePositions(of: edit.inserted + changed, \.newPath)
        let description = ChangeDescription(
            edit, pulled, before: before, after: sections, hasOtherSections: hasOtherSections)
        let change = description.change()
        finish(edit, before)
        checkInvariants()
        return change
    }

    private func finish(_ edit: ResultsEdit, _ before: [ResultSection]) {
        for entry in edit.removed + edit.inserted + edit.changed.map(\.entry) {
            (entry.oldPath, entry.newPath, entry.state) = (nil, nil, .none)
        }
        for section in before where !section.vacated.isEmpty { section.vacated = [] }
    }

    // MARK: Positions

    /// Finds few entries one by one; for many, it passes through their sections once.
    private func notePositions(of list: [ResultEntry], _ path: ReferenceWritableKeyPath<ResultEntry, ResultPath?>) {
        if list.count < 8 {
            for entry in list {
                guard let section = entry.chunk?.section, let item = section.position(of: entry) else { continue }
                entry[keyPath: path] = ResultPath(section: section.index, item: item)
            }
            return
        }
        var chunks: Set<ObjectIdentifier> = []
        var sections: [ObjectIdentifier: ResultSection] = [:]
        for entry in list {
            guard let chunk = entry.chunk else { continue }
            entry.isNoted = true
            if chunks.insert(ObjectIdentifier(chunk)).inserted {
                sections[ObjectIdentifier(chunk.section)] = chunk.section
            }
        }
        for section in sections.values {
            var item = 0
            for chunk in section.chunks {
                guard chunks.contains(ObjectIdentifier(chunk)) else {
                    item += chunk.entries.count
                    continue
                }
                for entry in chunk.entries {
                    if entry.isNoted {
                        entry[keyPath: path] = ResultPath(section: section.index, item: item)
                        entry.isNoted = false
                    }
                    item += 1
                }
            }
        }
    }

    // MARK: Entries

    private func touch(_ section: ResultSection) {
        guard !section.isTouched else { return }
        section.isTouched = true
        touched.append(section)
    }

    private func take(_ entry: ResultEntry) {
        guard let section = entry.chunk?.section else { return }
        if section.first === entry { touch(section) }
        section.remove(entry)
        if let old = entry.oldPath { section.vacated.append(old.item) }
    }

    private func put(_ entry: ResultEntry) {
        let name = isSectioned ? entry.sectionName : ""
        let section = sectionsByName[name] ?? ResultSection(name)
        sectionsByName[name] = section
        section.insert(entry) { precedes(entry, $0) }
        if section.first === entry { touch(section) }
    }

    /// Removes the changed entries that are no longer in order between their neighbours.
    private func pull(_ changes: [ResultsEdit.Change]) -> [ResultEntry] {
        for change in changes {
            change.entry.placement = change.placement
            change.entry.state = .inPlace
        }
        var pulled: [ResultEntry] = []
        var waiting = changes.map(\.entry)
        while let entry = waiting.popLast() {
            guard entry.state == .inPlace, let section = entry.chunk?.section else { continue }
            let (previous, next) = section.neighbours(of: entry)
            let isAfter = previous.map { precedes($0, entry) } ?? true
            let isBefore = next.map { precedes(entry, $0) } ?? true
            let isInItsSection = !isSectioned || section.name == entry.sectionName
            if isInItsSection, isAfter, isBefore {
                if previous == nil { touch(section) }
                continue
            }
            // If both entries of a pair have changed, either may be the one that moves: both are pulled, and compared
            // later.
            let adjacent = isInItsSection ? [isAfter ? nil : previous, isBefore ? nil : next] : []
            for case let rival? in [entry] + adjacent where rival.state == .inPlace {
                let beside = section.neighbours(of: rival)
                take(rival)
                rival.state = .pulled
                pulled.append(rival)
                // Changed neighbours have new neighbours now.
                for case let neighbour? in [beside.before, beside.after] where neighbour.state == .inPlace {
                    waiting.append(neighbour)
                }
            }
        }
        return pulled
    }

    // MARK: Sections

    private func arrangeSections() {
        var result = sections.filter { !$0.isTouched }
        for section in touched {
            guard let first = section.first else {
                sectionsByName[section.name] = nil
                section.index = -1
                continue
            }
            let place = BinarySearch.first(of: result.count) { position in
                result[position].first.map { precedes(first, $0) } ?? false
            }
            result.insert(section, at: place)
        }
        for (index, section) in result.enumerated() { section.index = index }
        sections = result
    }
}

/// Describes an edit after it was applied.
private struct ChangeDescription {
    private let edit: ResultsEdit
    private let pulled: [ResultEntry]
    private let before: [ResultSection]
    private let after: [ResultSection]
    /// Sections that moved past others: they count as deleted and inserted, with all objects moved.
    private var relocated: Set<ObjectIdentifier> = []

    init(
        _ edit: ResultsEdit, _ pulled: [ResultEntry], before: [ResultSection], after: [ResultSection],
        hasOtherSections: Bool
    ) {
        self.edit = edit
        self.pulled = pulled
        self.before = before
        self.after = after
        guard hasOtherSections else { return }
        let survivors = after.filter { $0.oldIndex >= 0 }
        let stays = OrderedSubsequence.stays(survivors.map { ($0.oldIndex, $0.count) })
        for (section, stays) in zip(survivors, stays) where !stays { relocated.insert(ObjectIdentifier(section)) }
    }

    func change() -> ResultsChange {
        var change = ResultsChange()
        change.deletedSections = before.filter { $0.index < 0 || isRelocated($0) }
            .map { .init(index: $0.oldIndex, name: $0.name) }
        change.insertedSections = after.filter { $0.oldIndex < 0 || isRelocated($0) }
            .map { .init(index: $0.index, name: $0.name) }
        change.deletions = edit.removed.map { .init(entry: $0, old: $0.oldPath, new: nil) }
        change.insertions = edit.inserted.map { .init(entry: $0, old: nil, new: $0.newPath) }
        let moved = moved()
        for item in edit.changed {
            let entry = item.entry
            let report = ResultsChange.ObjectChange(entry: entry, old: entry.oldPath, new: entry.newPath)
            if moved.contains(ObjectIdentifier(entry)) {
                change.moves.append(report)
            } else if let section = entry.chunk?.section, isRelocated(section) {
                continue
            } else if item.isUpdate {
                change.updates.append(report)
            }
        }
        for section in after where isRelocated(section) { change.moves += fixedMoves(in: section) }
        change.sort()
        return change
    }

    private func isRelocated(_ section: ResultSection) -> Bool {
        !relocated.isEmpty && relocated.contains(ObjectIdentifier(section))
    }

    /// The pulled entries with another position among the others.
    private func moved() -> Set<ObjectIdentifier> {
        var moved: Set<ObjectIdentifier> = []
        var gaps: [Gap: [ResultEntry]] = [:]
        let vacated = vacatedPositions()
        let occupied = occupiedPositions()
        for entry in pulled {
            guard let old = entry.oldPath, let new = entry.newPath, before[old.section] === after[new.section],
                !isRelocated(after[new.section])
            else {
                moved.insert(ObjectIdentifier(entry))
                continue
            }
            // The number of remaining entries before it.
            let oldRank = old.item - rank(old.item, vacated[old.section])
            let newRank = new.item - rank(new.item, occupied[new.section])
            if oldRank == newRank {
                gaps[Gap(section: new.section, rank: newRank), default: []].append(entry)
            } else {
                moved.insert(ObjectIdentifier(entry))
            }
        }
        for gap in gaps.values where gap.count > 1 {
            let entries = gap.sorted { ($0.newPath?.item ?? 0) < ($1.newPath?.item ?? 0) }
            let stays = OrderedSubsequence.stays(entries.map { ($0.oldPath?.item ?? 0, 1) })
            for (entry, stays) in zip(entries, stays) where !stays { moved.insert(ObjectIdentifier(entry)) }
        }
        return moved
    }

    /// A position between two remaining entries.
    private struct Gap: Hashable {
        let section: Int
        let rank: Int
    }

    /// By old section, ascending.
    private func vacatedPositions() -> [Int: [Int]] {
        var result: [Int: [Int]] = [:]
        for section in before where !section.vacated.isEmpty { result[section.oldIndex] = section.vacated.sorted() }
        return result
    }

    /// By new section, ascending.
    private func occupiedPositions() -> [Int: [Int]] {
        var result: [Int: [Int]] = [:]
        for entry in edit.inserted + pulled {
            if let path = entry.newPath { result[path.section, default: []].append(path.item) }
        }
        return result.mapValues { $0.sorted() }
    }

    private func rank(_ item: Int, _ positions: [Int]?) -> Int {
        guard let positions else { return 0 }
        return BinarySearch.first(of: positions.count) { positions[$0] >= item }
    }

    /// The moves of entries that the edit did not touch, in a section that moved.
    private func fixedMoves(in section: ResultSection) -> [ResultsChange.ObjectChange] {
        let vacated = Set(section.vacated)
        var free = (0..<section.oldCount).lazy.filter { !vacated.contains($0) }.makeIterator()
        var moves: [ResultsChange.ObjectChange] = []
        let arrived = Set((edit.inserted + pulled).map { ObjectIdentifier($0) })
        for (item, entry) in section.entries.enumerated() where !arrived.contains(ObjectIdentifier(entry)) {
            guard let old = free.next() else { break }
            moves.append(
                .init(
                    entry: entry, old: ResultPath(section: section.oldIndex, item: old),
                    new: ResultPath(section: section.index, item: item)))
        }
        return moves
    }
}
