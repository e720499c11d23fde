// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The row of an index path, which UIKit declares. Section and item are in CoreData.

public import Foundation

extension IndexPath {
    /// Makes the path of a row in a section. The section comes first.
    ///
    /// ```swift
    /// let path = IndexPath(row: 2, section: 0)
    /// print(results.object(at: path))
    /// ```
    public init(row: Int, section: Int) { self.init(indexes: [section, row]) }

    /// The second index: the position in the section. Stops the program unless the path has two indexes.
    public var row: Int {
        get {
            checkLength()
            return self[1]
        }
        set {
            checkLength()
            self[1] = newValue
        }
    }

    private func checkLength() {
        precondition(count == 2, "\(self) is no path of a section and a row; make it with IndexPath(row:section:).")
    }
}
