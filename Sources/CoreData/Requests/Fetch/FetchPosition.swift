// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A position in the order of a fetch, and the part of the order that a page reads. Cursors-1, Cursors-3.

import CoreDataFoundation
import Foundation

/// The place of one result in the order of its fetch: its sort values, and its key among equal ones.
package struct FetchPosition {
    /// One value for each sort descriptor.
    package let values: [ComparableValue]
    /// Negative for an unsaved object.
    package let key: Int64
    /// nil for an unsaved object.
    let home: StoreIdentity?
    /// The answer for results that the sort values leave equal, in the store that receives the fetch.
    package var ties = Ties.none

    package enum Ties {
        case all
        case none
        /// Those after this key.
        case after(Int64)
    }

    init(values: [ComparableValue], key: Int64, home: StoreIdentity?) {
        self.values = values
        self.key = key
        self.home = home
    }
}

/// The results that a fetch of a page may return.
package struct FetchPaging {
    package enum Part {
        case whole
        /// Results with a value of the first sort descriptor.
        case present
        /// Results without one.
        case missing
    }

    package let part: Part
    /// nil for a part that is read from its beginning.
    package var start: FetchPosition?

    package init(_ part: Part, after start: FetchPosition? = nil) {
        self.part = part
        self.start = start
    }

    /// The parts of the order after a position, in order.
    package static func parts(after position: FetchPosition?, _ sorting: [PreparedFetch.Sort]) -> [FetchPaging] {
        guard let position else { return [FetchPaging(.whole)] }
        guard let first = sorting.first, let value = position.values.first else {
            return [FetchPaging(.whole, after: position)]
        }
        if case .null = value {
            let rest = FetchPaging(.missing, after: position)
            return first.isAscending ? [rest, FetchPaging(.present)] : [rest]
        }
        let rest = FetchPaging(.present, after: position)
        return first.isAscending ? [rest] : [rest, FetchPaging(.missing)]
    }
}
