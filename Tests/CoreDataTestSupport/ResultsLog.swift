// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Records the reports of a results controller, and applies them to a copy of the results as a list on the screen does.

public import CoreData
import Foundation

/// A delegate that takes single calls. Each report is a line: "will", "did", "insert Dune to 0.1",
/// "delete Dune at 0.1", "move Dune from 0.1 to 1.0", "update Dune from 0.1 to 0.2", "insert section 0 A of 1".
public final class ResultsLog: NSFetchedResultsControllerDelegate {
    public private(set) var reports: [String] = []
    /// The results that the controller showed in `controllerWillChangeContent`.
    public private(set) var former: [[NSManagedObject]] = []
    /// The controller of the last report.
    public private(set) var controller: NSFetchedResultsController<any NSFetchRequestResult>?
    /// Called with each report.
    public var onReport: (String) -> Void = { _ in }
    private let name: (NSManagedObject) -> String

    /// - Parameter name: the name of an object in reports.
    public init(_ name: @escaping (NSManagedObject) -> String) { self.name = name }

    /// An object is called by the value of a key.
    public convenience init(by key: String) {
        self.init { $0.value(forKey: key).map { "\($0)" } ?? "-" }
    }

    /// The reports since the last call.
    public func take() -> [String] {
        defer { reports = [] }
        return reports
    }

    private func add(_ report: String, _ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        reports.append(report)
        self.controller = controller
        onReport(report)
    }

    public func forgetController() { controller = nil }

    public func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        former = Self.objects(controller)
        add("will", controller)
    }

    public func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        add("did", controller)
    }

    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType
    ) {
        add("\(type) section \(sectionIndex) \(sectionInfo.name) of \(sectionInfo.numberOfObjects)", controller)
    }

    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        let text = (anObject as? NSManagedObject).map(name) ?? "\(anObject)"
        let places =
            switch (indexPath.map(Self.text), newIndexPath.map(Self.text)) {
            case (let old?, let new?): "from \(old) to \(new)"
            case (let old?, nil): "at \(old)"
            case (nil, let new?): "to \(new)"
            case (nil, nil): "nowhere"
            }
        add("\(type) \(text) \(places)", controller)
    }

    private static func text(_ path: IndexPath) -> String { path.map(String.init).joined(separator: ".") }

    public static func objects<T>(_ controller: NSFetchedResultsController<T>) -> [[NSManagedObject]] {
        (controller.sections ?? []).map { ($0.objects ?? []).compactMap { $0 as? NSManagedObject } }
    }
}

/// A list that follows the reports, and nothing else.
public final class MirroredList: NSFetchedResultsControllerDelegate {
    public private(set) var sections: [[NSManagedObject]] = []
    public private(set) var names: [String] = []
    /// Reports that could not be applied.
    public private(set) var failures: [String] = []
    public private(set) var pairs = 0
    private var deletedSections: [Int] = []
    private var insertedSections: [(Int, String)] = []
    private var taken: [IndexPath] = []
    private var put: [(IndexPath, NSManagedObject)] = []
    private var updated: [(IndexPath, NSManagedObject)] = []
    private var isOpen = false

    public init() {}

    public func start<T>(_ controller: NSFetchedResultsController<T>) {
        sections = ResultsLog.objects(controller)
        names = (controller.sections ?? []).map(\.name)
    }

    public func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        check(!isOpen, "a pair inside a pair")
        check(ResultsLog.objects(controller) == sections, "the old results are not shown")
        isOpen = true
    }

    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType
    ) {
        check(taken.isEmpty && put.isEmpty, "a section report after an object report")
        if type == .delete {
            check(
                names.indices.contains(sectionIndex) && names[sectionIndex] == sectionInfo.name, "a wrong section goes")
            deletedSections.append(sectionIndex)
        } else {
            insertedSections.append((sectionIndex, sectionInfo.name))
        }
    }

    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        guard let object = anObject as? NSManagedObject else { return check(false, "\(anObject) is no object") }
        if let path = indexPath {
            check(self.object(at: path) === object, "\(type) names another object by its old path")
            if type != .update { taken.append(path) }
        }
        guard let path = newIndexPath else { return check(type == .delete, "\(type) without a new path") }
        if type == .update { updated.append((path, object)) } else { put.append((path, object)) }
    }

    public func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        check(isOpen, "the end of a pair that has no beginning")
        isOpen = false
        pairs += 1
        apply()
        check(sections == ResultsLog.objects(controller), "the applied reports give other results")
        check(names == (controller.sections ?? []).map(\.name), "the applied reports give other sections")
        for (path, object) in updated { check(self.object(at: path) === object, "an update names another object") }
        (deletedSections, insertedSections, taken, put, updated) = ([], [], [], [], [])
    }

    private func object(at path: IndexPath) -> NSManagedObject? {
        guard sections.indices.contains(path[0]), sections[path[0]].indices.contains(path[1]) else { return nil }
        return sections[path[0]][path[1]]
    }

    private func apply() {
        for path in taken.sorted(by: >) where object(at: path) != nil { sections[path[0]].remove(at: path[1]) }
        for index in deletedSections.sorted(by: >) where sections.indices.contains(index) {
            check(sections[index].isEmpty, "a section goes that is not empty")
            sections.remove(at: index)
            names.remove(at: index)
        }
        for (index, name) in insertedSections.sorted(by: { $0.0 < $1.0 }) {
            guard index <= sections.count else { return check(false, "a section comes beyond the end") }
            sections.insert([], at: index)
            names.insert(name, at: index)
        }
        for (path, object) in put.sorted(by: { $0.0 < $1.0 }) {
            guard sections.indices.contains(path[0]), path[1] <= sections[path[0]].count else {
                return check(false, "an object comes beyond the end")
            }
            sections[path[0]].insert(object, at: path[1])
        }
    }

    private func check(_ condition: Bool, _ failure: String) {
        if !condition { failures.append(failure) }
    }
}
