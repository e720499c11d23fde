// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Sets of many objects, filled as fast as that goes.

extension Set {
    /// Of distinct elements.
    ///
    /// In a set that is nearly full each insertion compares with many members: with room to spare it costs half. A
    /// large one is in no cache, and the next count of a reference waits until the insertion before it has reached
    /// memory: so references are counted some ahead, and insertions overlap. (`update(with:)`, as `insert(_:)` counts
    /// the member that it returns.)
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
    /// The same set as one of a class that all members have, as the caller has checked. A cast would check each, and
    /// fill another.
    func unchecked<Member: NSManagedObject>() -> Set<Member> {
        CollectionCasts.set(self)
    }
}
