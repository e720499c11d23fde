// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Index paths of two levels, as lists in sections have them: Apple's interface kits add these to Foundation's type.

public import Foundation

extension IndexPath {
    /// The place of an item in a section: the path has the section first.
    public init(item: Int, section: Int) { self.init(indexes: [section, item]) }

    /// The first index. Traps where the path has not two.
    public var section: Int {
        get { element(0) }
        set { setElement(0, newValue) }
    }

    /// The second index: the place in the section. Traps where the path has not two.
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
