// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One report of a results controller: the changes of one event, with the results before them.

import Foundation

struct ResultsReport {
    let change: ResultsChange
    let before: ResultsView
    /// Objects that got permanent ids.
    var renamed = RenamedEntries()
}
