// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A list of lines that follows a results controller.

import CoreData

/// Prints the list after each report, with a mark before the lines that changed. Used on the controller's queue.
final class ListView: NSFetchedResultsControllerDelegate {
    private struct Line {
        var text: String
        var mark = " "
    }

    /// The changes of one report. Removals and sources of moves are places before it, all others places after it.
    private struct Report {
        var goneSections: [Int] = []
        var newSections: [(index: Int, name: String)] = []
        var gone: [IndexPath] = []
        var new: [(path: IndexPath, chore: Chore, mark: String)] = []
        var updated: [(path: IndexPath, chore: Chore)] = []
    }

    private let controller: NSFetchedResultsController<Chore>
    private var sections: [(name: String, lines: [Line])] = []
    private var report = Report()
    /// Called after each report with the titles.
    private let didShow: ([String]) -> Void

    init(_ context: NSManagedObjectContext, didShow: @escaping ([String]) -> Void) throws {
        controller = NSFetchedResultsController(
            fetchRequest: Chore.request(), managedObjectContext: context, sectionNameKeyPath: "room", cacheName: nil)
        self.didShow = didShow
        controller.delegate = self
        try controller.performFetch()
        sections = (controller.sections ?? []).map { section in
            (section.name, (section.objects ?? []).compactMap { $0 as? Chore }.map { Line(text: $0.title) })
        }
        show()
    }

    // MARK: Reports

    func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        for section in sections.indices {
            for line in sections[section].lines.indices { sections[section].lines[line].mark = " " }
        }
        report = Report()
    }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType
    ) {
        if type == .delete { report.goneSections.append(sectionIndex) }
        if type == .insert { report.newSections.append((sectionIndex, sectionInfo.name)) }
    }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        guard let chore = anObject as? Chore else { return }
        if type == .update {
            if let newIndexPath { report.updated.append((newIndexPath, chore)) }
            return
        }
        // A move is a removal from one place and an insertion at another.
        if let indexPath { report.gone.append(indexPath) }
        if let newIndexPath { report.new.append((newIndexPath, chore, type == .move ? ">" : "+")) }
    }

    /// Applies a report: removals by old places, then insertions by new ones.
    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        for path in report.gone.sorted(by: >) { sections[path[0]].lines.remove(at: path[1]) }
        for index in report.goneSections.sorted(by: >) { sections.remove(at: index) }
        for section in report.newSections.sorted(by: { $0.index < $1.index }) {
            sections.insert((section.name, []), at: section.index)
        }
        for new in report.new.sorted(by: { $0.path < $1.path }) {
            sections[new.path[0]].lines.insert(Line(text: new.chore.title, mark: new.mark), at: new.path[1])
        }
        for (path, chore) in report.updated { sections[path[0]].lines[path[1]] = Line(text: chore.title, mark: "*") }
        show()
    }

    // MARK: Showing

    private var titles: [String] { sections.flatMap { $0.lines.map(\.text) } }

    private func show() {
        var text = "\n"
        for section in sections {
            text += "\(section.name)\n" + section.lines.map { " \($0.mark) \($0.text)\n" }.joined()
        }
        print(text + "\(titles.count) chores")
        didShow(titles)
    }

    /// Whether the lines equal those of the controller.
    var isRight: Bool { titles == controller.fetchedObjects?.map(\.title) }
}
