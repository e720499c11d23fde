// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the section, row and item of index paths of two levels.

import CoreDataFoundation
import Foundation
import Testing

@Suite("Index paths") struct IndexPathTests {
    @Test("an index path has its section first")
    func parts() {
        var path = IndexPath(item: 3, section: 7)
        #expect(path == IndexPath(indexes: [7, 3]))
        #expect(path.item == 3 && path.section == 7)
        path.item += 1
        path.section = 0
        #expect(path == [0, 4])
        #expect(IndexPath(item: 9, section: 0) < IndexPath(item: 0, section: 1))
    }

    @Test("a path of another length has neither")
    func misuse() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = IndexPath(indexes: [1, 2, 3]).item
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("IndexPath(item:section:)"))
    }
}
