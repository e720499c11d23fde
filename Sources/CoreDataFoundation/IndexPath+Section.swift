// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Adds section and item to index paths, as Apple's interface frameworks do.

public import Foundation

extension IndexPath {
    /// Creates the path of an item in a section. The section comes first.
    public init(item: Int, section: Int) { self.init(indexes: [section, item]) }

    /// The first index. Traps unless the path has two indexes.
    public var section: Int {
        get { element(0) }
        set { setElement(0, newValue) }
    }

    /// The second index: the position in the section. Traps unless the path has two indexes.
    public var item: Int {
        get { element(1) }
        set { setElement(1, newValue) }
    }

    private func element(_ place: Int) -> Int {
        checkLength()
        return self[place]
    }

    private mutating func setElement(_ place: Int, _ value: Int) {
        checkLength()
        self[place] = value
    }

    private func checkLength() {
        precondition(
            count == 2,
            "\(self) is no path of a section and an item; make it with IndexPath(item:section:).")
    }
}
