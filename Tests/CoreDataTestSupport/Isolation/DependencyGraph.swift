// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The dependencies between transactions, and the cycles among them.

/// One transaction must come before another one.
struct Dependency {
    enum Kind: String {
        /// ww: the second one replaces the version that the first one wrote.
        case overwrite = "ww"
        /// wr: the second one read the version that the first one wrote.
        case read = "wr"
        /// rw: the second one replaces the version that the first one read.
        case replacement = "rw"
        /// The first one ended before the second one began.
        case time
    }

    var from: Int
    var to: Int
    var kind: Kind
    var key: Int
}

/// Finds one cycle of each kind in each strongly connected component.
struct DependencyGraph {
    private let names: [String]
    private let edges: [[Dependency]]

    init(_ names: [String], _ dependencies: [Dependency]) {
        self.names = names
        var edges: [[Dependency]] = Array(repeating: [], count: names.count)
        for dependency in dependencies { edges[dependency.from].append(dependency) }
        self.edges = edges
    }

    func cycles() -> [AnomalyFinding] {
        var findings: [AnomalyFinding] = []
        func report(_ anomaly: Anomaly, _ cycle: [Dependency]) {
            let steps = cycle.map { "\(names[$0.from]) -\($0.kind.rawValue)(\($0.key))-> " }.joined()
            findings.append(AnomalyFinding(anomaly: anomaly, text: steps + names[cycle[0].from]))
        }
        for component in components([.overwrite]) {
            if let cycle = cycle(in: component, [.overwrite]) { report(.dirtyWrite, cycle) }
        }
        let written: Set<Dependency.Kind> = [.overwrite, .read, .time]
        for component in components(written) {
            if let cycle = cycle(in: component, written, through: [.read, .time]) {
                report(.circularInformation, cycle)
            }
        }
        for component in components([.overwrite, .read, .time, .replacement]) {
            if let cycle = cycle(in: component, written, through: [.replacement]) {
                report(.readSkew, cycle)
            } else if let cycle = cycle(
                in: component, [.overwrite, .read, .time, .replacement], through: [.replacement])
            {
                report(.writeSkew, cycle)
            }
        }
        return findings
    }

    /// The shortest cycle that begins with an edge of the second kinds and goes on by edges of the first kinds.
    private func cycle(
        in component: Set<Int>, _ kinds: Set<Dependency.Kind>, through first: Set<Dependency.Kind>? = nil
    ) -> [Dependency]? {
        var best: [Dependency]?
        for node in component.sorted() {
            for edge in edges[node] where component.contains(edge.to) && (first ?? kinds).contains(edge.kind) {
                guard let path = path(from: edge.to, to: node, in: component, kinds) else { continue }
                if path.count + 1 < best?.count ?? .max { best = [edge] + path }
                if best?.count == 2 { return best }
            }
        }
        return best
    }

    /// The shortest path, by breadth first.
    private func path(from start: Int, to end: Int, in component: Set<Int>, _ kinds: Set<Dependency.Kind>)
        -> [Dependency]?
    {
        var came: [Int: Dependency] = [:]
        var queue = [start]
        var next = 0
        while next < queue.count {
            let node = queue[next]
            next += 1
            for edge in edges[node]
            where component.contains(edge.to) && kinds.contains(edge.kind) && edge.to != start && came[edge.to] == nil {
                came[edge.to] = edge
                if edge.to == end {
                    var path: [Dependency] = []
                    var place = end
                    while place != start, let step = came[place] {
                        path.append(step)
                        place = step.from
                    }
                    return path.reversed()
                }
                queue.append(edge.to)
            }
        }
        return nil
    }

    /// The strongly connected components of more than one node, by Tarjan's method without recursion.
    private func components(_ kinds: Set<Dependency.Kind>) -> [Set<Int>] {
        var result: [Set<Int>] = []
        var numbers: [Int?] = Array(repeating: nil, count: names.count)
        var lowest = Array(repeating: 0, count: names.count)
        var isOpen = Array(repeating: false, count: names.count)
        var (open, count): ([Int], Int) = ([], 0)
        func enter(_ node: Int) {
            numbers[node] = count
            lowest[node] = count
            count += 1
            open.append(node)
            isOpen[node] = true
        }
        for root in names.indices where numbers[root] == nil {
            enter(root)
            var calls: [(node: Int, next: Int)] = [(root, 0)]
            while let (node, next) = calls.last {
                guard next < edges[node].count else {
                    calls.removeLast()
                    if let caller = calls.last?.node { lowest[caller] = min(lowest[caller], lowest[node]) }
                    guard lowest[node] == numbers[node], let start = open.lastIndex(of: node) else { continue }
                    let component = Set(open[start...])
                    open.removeSubrange(start...)
                    for member in component { isOpen[member] = false }
                    if component.count > 1 { result.append(component) }
                    continue
                }
                calls[calls.count - 1].next += 1
                let edge = edges[node][next]
                guard kinds.contains(edge.kind) else { continue }
                if numbers[edge.to] == nil {
                    enter(edge.to)
                    calls.append((edge.to, 0))
                } else if isOpen[edge.to], let number = numbers[edge.to] {
                    lowest[node] = min(lowest[node], number)
                }
            }
        }
        return result
    }
}
