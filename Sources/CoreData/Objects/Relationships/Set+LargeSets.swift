// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Sets of many objects, filled as fast as possible.

extension Set {
    /// Makes a set of distinct elements.
    ///
    /// In a nearly full set each insertion compares with many members: with spare room it costs half. A large set does
    /// not fit into the processor's caches, and the next retain waits until the previous insertion has reached memory;
    /// so elements are retained a few ahead, and insertions overlap. (`update(with:)`, because `insert(_:)` retains the
    /// member that it returns.)
    init(roomy elements: some RandomAccessCollection<Element>) {
        self.init(minimumCapacity: elements.count + elements.count / 2)
        let most = 64
        withUnsafeTemporaryAllocation(of: Element.self, capacity: most) { counted in
            guard let first = counted.baseAddress else { return }
            var next = elements.startIndex
            while next != elements.endIndex {
                var run = 0
                while run < most, next != elements.endIndex {
                    (first + run).initialize(to: elements[next])
                    elements.formIndex(after: &next)
                    run += 1
                }
                for offset in 0..<run { update(with: (first + offset).move()) }
            }
        }
    }
}

extension Set<NSManagedObject> {
    /// The same set as a set of the members' class, which the caller has checked. A cast would check each member and
    /// fill a second set.
    func unchecked<Member: NSManagedObject>() -> Set<Member> {
        CollectionCasts.set(self)
    }
}
