// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The sections of a results controller as programs see them.

import Foundation

/// One section of a results controller's results, at the time when it was read from the controller.
///
/// A controller without a section key path has one section.
public protocol NSFetchedResultsSectionInfo {
    /// The value of the section key path as text: a string unchanged, a number in decimal, "" for nil and without a
    /// section key path.
    var name: String { get }
    /// The title for an index of sections: the first character of the name, capitalized, or the delegate's answer.
    var indexTitle: String? { get }
    /// The number of objects in the section.
    var numberOfObjects: Int { get }
    /// The objects of the section, in order.
    var objects: [Any]? { get }
}

final class ResultsSectionInfo: NSFetchedResultsSectionInfo {
    let name: String
    let numberOfObjects: Int
    private let section: ResultsView.Section?
    private weak var state: ResultsState?

    init(_ section: ResultsView.Section, _ state: ResultsState) {
        name = section.name
        numberOfObjects = section.count
        self.section = section
        self.state = state
    }

    /// A deleted section.
    init(named name: String, _ state: ResultsState) {
        self.name = name
        numberOfObjects = 0
        section = nil
        self.state = state
    }

    private(set) lazy var objects: [Any]? = section?.objects ?? []

    var indexTitle: String? {
        guard let state else { return ResultsState.standardTitle(of: name) }
        return state.indexTitle(ofSection: name)
    }
}
