// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the anomalies in a record of transactions: those of single values here, cycles in `DependencyGraph`.

/// Checks a record that includes, as its last transaction, a read of all keys.
public struct IsolationCheck {
    private struct Element: Hashable {
        var key: Int
        var value: Int
    }

    private let transactions: [RecordedTransaction]
    private var writers: [Element: Int] = [:]
    /// The last number that a transaction appended to a key.
    private var lastAppends: [[Int: Int]] = []
    private var findings: [AnomalyFinding] = []

    public init(_ transactions: [RecordedTransaction]) {
        self.transactions = transactions
        for (index, transaction) in transactions.enumerated() {
            var last: [Int: Int] = [:]
            for case .append(let key, let value) in transaction.steps {
                writers[Element(key: key, value: value)] = index
                last[key] = value
            }
            lastAppends.append(last)
        }
    }

    /// - Parameters:
    ///   - losesUpdates: whether saves overrule each other, so that lists do not tell the order of versions.
    ///   - inRealTime: whether the end of one transaction before the beginning of another is a dependency.
    public func anomalies(losesUpdates: Bool = false, inRealTime: Bool = false) -> [AnomalyFinding] {
        var check = self
        for index in transactions.indices { check.examineReads(of: index) }
        if losesUpdates { return check.findings }
        let orders = check.orders()
        check.examineLosses(orders)
        check.examineStaleness(orders)
        if check.findings.contains(where: { $0.anomaly == .lostUpdate }) { return check.findings }
        let graph = DependencyGraph(transactions.map(\.name), check.dependencies(orders, inRealTime))
        return check.findings + graph.cycles()
    }

    private mutating func report(_ anomaly: Anomaly, _ text: String) {
        findings.append(AnomalyFinding(anomaly: anomaly, text: text))
    }

    /// The lists that a transaction read before it appended to them.
    private func firstReads(of index: Int) -> [(key: Int, list: [Int])] {
        var reads: [(key: Int, list: [Int])] = []
        var known: Set<Int> = []
        for step in transactions[index].steps {
            switch step {
            case .read(let key, let list): if known.insert(key).inserted { reads.append((key, list)) }
            case .append(let key, _): known.insert(key)
            }
        }
        return reads
    }

    // MARK: Values

    private mutating func examineReads(of index: Int) {
        let transaction = transactions[index]
        var present: [Int: [Int]] = [:]
        for step in transaction.steps {
            switch step {
            case .append(let key, let value): present[key]?.append(value)
            case .read(let key, let list):
                if let expected = present[key], expected != list {
                    report(.ownRead, "\(transaction.name) read \(list) of key \(key), expected \(expected)")
                }
                present[key] = list
            }
        }
        for (key, list) in firstReads(of: index) {
            for value in list {
                guard let writer = writers[Element(key: key, value: value)] else {
                    report(.abortedRead, "\(transaction.name) read \(value) of key \(key), which no client wrote")
                    continue
                }
                if transactions[writer].outcome == .failed {
                    report(
                        .abortedRead,
                        "\(transaction.name) read \(value) of key \(key) from \(transactions[writer].name), which failed"
                    )
                }
            }
            if let value = list.last, let writer = writers[Element(key: key, value: value)],
                let last = lastAppends[writer][key], last != value
            {
                report(
                    .intermediateRead,
                    "\(transaction.name) read \(value) of key \(key), after which \(transactions[writer].name) "
                        + "appended \(last)")
            }
        }
    }

    // MARK: Orders of versions

    /// The longest list of each key.
    private func orders() -> [Int: [Int]] {
        var orders: [Int: [Int]] = [:]
        for index in transactions.indices {
            for (key, list) in firstReads(of: index) where list.count > orders[key]?.count ?? -1 { orders[key] = list }
        }
        return orders
    }

    /// Whether a transaction took effect: it was acknowledged, or another one has read its numbers.
    private func counts(_ index: Int, _ orders: [Int: [Int]]) -> Bool {
        switch transactions[index].outcome {
        case .committed: true
        case .failed: false
        case .unknown: lastAppends[index].contains { key, value in orders[key]?.contains(value) ?? false }
        }
    }

    private mutating func examineLosses(_ orders: [Int: [Int]]) {
        var bases: [Element: Int] = [:]
        for (index, transaction) in transactions.enumerated() {
            for (key, list) in firstReads(of: index) {
                let order = orders[key] ?? []
                if list.count > order.count || !order.starts(with: list) {
                    report(.lostUpdate, "\(transaction.name) read \(list) of key \(key), which became \(order)")
                }
                guard transaction.outcome == .committed, lastAppends[index][key] != nil else { continue }
                let base = Element(key: key, value: list.last ?? -1)
                if let other = bases.updateValue(index, forKey: base) {
                    report(
                        .lostUpdate,
                        "\(transactions[other].name) and \(transaction.name) appended to the same \(list) of key \(key)"
                    )
                }
            }
            guard transaction.outcome == .committed else { continue }
            for (key, value) in lastAppends[index] where !(orders[key]?.contains(value) ?? false) {
                report(.lostUpdate, "\(value) of \(transaction.name) is not in key \(key) at the end")
            }
        }
    }

    private mutating func examineStaleness(_ orders: [Int: [Int]]) {
        /// For each key the ends of its writers in time, with the least length of a list that has all until then.
        var ends: [Int: [(end: UInt64, length: Int)]] = [:]
        for (key, order) in orders {
            var known: [(end: UInt64, length: Int)] = []
            for (place, value) in order.enumerated() {
                guard let writer = writers[Element(key: key, value: value)],
                    transactions[writer].outcome == .committed
                else { continue }
                known.append((transactions[writer].end, place + 1))
            }
            known.sort { $0.end < $1.end }
            for index in known.indices.dropFirst() {
                known[index].length = max(known[index].length, known[index - 1].length)
            }
            ends[key] = known
        }
        for (index, transaction) in transactions.enumerated() {
            for (key, list) in firstReads(of: index) {
                guard let known = ends[key]?.last(where: { $0.end < transaction.begin }), list.count < known.length
                else {
                    continue
                }
                report(
                    .staleRead,
                    "\(transaction.name) read \(list.count) numbers of key \(key) when \(known.length) had been saved")
            }
        }
    }

    // MARK: Dependencies

    private func dependencies(_ orders: [Int: [Int]], _ inRealTime: Bool) -> [Dependency] {
        var dependencies: [Dependency] = []
        func add(_ from: Int?, _ to: Int?, _ kind: Dependency.Kind, _ key: Int) {
            guard let from, let to, from != to, counts(from, orders), counts(to, orders) else { return }
            dependencies.append(Dependency(from: from, to: to, kind: kind, key: key))
        }
        for (key, order) in orders {
            let chain = order.map { writers[Element(key: key, value: $0)] }
            for place in chain.indices.dropFirst() { add(chain[place - 1], chain[place], .overwrite, key) }
        }
        for index in transactions.indices {
            for (key, list) in firstReads(of: index) {
                if let value = list.last { add(writers[Element(key: key, value: value)], index, .read, key) }
                if let order = orders[key], list.count < order.count {
                    add(index, writers[Element(key: key, value: order[list.count])], .replacement, key)
                }
            }
        }
        guard inRealTime else { return dependencies }
        // Only the nearest ones: a transaction precedes those that began between its end and the next such end.
        let byBegin = transactions.indices.sorted { transactions[$0].begin < transactions[$1].begin }
        for index in transactions.indices where transactions[index].outcome == .committed {
            var horizon = UInt64.max
            for other in byBegin where transactions[other].begin > transactions[index].end {
                if transactions[other].begin > horizon { break }
                add(index, other, .time, 0)
                if transactions[other].outcome == .committed { horizon = min(horizon, transactions[other].end) }
            }
        }
        return dependencies
    }
}
