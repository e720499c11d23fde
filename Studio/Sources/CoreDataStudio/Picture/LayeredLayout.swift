// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Arranges the nodes of a graph in layers: few crossings, short lines.

/// Layers from left to right, after the method of Sugiyama: cycles are broken, nodes get layers, long lines get a place
/// in each layer, the order in the layers is improved by barycentres, and places are found that keep lines straight.
///
/// - Complexity: the nodes and lines times a fixed number of sweeps.
struct LayeredLayout {
    struct Size {
        var width: Double
        var height: Double
    }

    struct Point {
        var x: Double
        var y: Double
    }

    /// A line. Its ends are heights above the middle of the nodes.
    struct Edge {
        var source: Int
        var target: Int
        var sourceOffset = 0.0
        var targetOffset = 0.0
    }

    private struct Item {
        var layer: Int
        var height: Double
        /// nil for a place of a long line.
        var node: Int?
        var y = 0.0
    }

    private static let layerGap = 112.0
    private static let nodeGap = 22.0
    private static let sweeps = 16

    /// The top left corner of each node.
    private(set) var places: [Point]
    /// The points of each line between its ends, from the source to the target.
    private(set) var bends: [[Point]]
    private(set) var size = Size(width: 0, height: 0)

    private let sizes: [Size]
    private let edges: [Edge]
    private var items: [Item] = []
    private var layers: [[Int]] = []
    /// For each item: neighbours to the left and to the right, with the offsets of both ends.
    private var left: [[(item: Int, own: Double, other: Double)]] = []
    private var right: [[(item: Int, own: Double, other: Double)]] = []
    private var chains: [[Int]] = []

    init(_ sizes: [Size], _ edges: [Edge]) {
        self.sizes = sizes
        self.edges = edges
        places = Array(repeating: Point(x: 0, y: 0), count: sizes.count)
        bends = Array(repeating: [], count: edges.count)
        guard !sizes.isEmpty else { return }
        makeItems(assignLayers())
        orderLayers()
        placeItems()
        finish()
    }

    // MARK: Layers

    /// The longest path from a node without a predecessor, after the lines that close a cycle are reversed.
    private func assignLayers() -> [Int] {
        var outgoing: [[Int]] = Array(repeating: [], count: sizes.count)
        for edge in edges where edge.source != edge.target { outgoing[edge.source].append(edge.target) }
        var state = Array(repeating: 0, count: sizes.count)
        var order: [Int] = []
        var kept: [[Int]] = Array(repeating: [], count: sizes.count)
        var incoming = Array(repeating: 0, count: sizes.count)
        for edge in edges where edge.source != edge.target { incoming[edge.target] += 1 }
        // Sources first, so that as few lines as possible are reversed.
        let starts = sizes.indices.sorted {
            (incoming[$0], -outgoing[$0].count, $0) < (incoming[$1], -outgoing[$1].count, $1)
        }
        for start in starts where state[start] == 0 {
            var stack: [(node: Int, next: Int)] = [(start, 0)]
            state[start] = 1
            while let (node, next) = stack.last {
                guard next < outgoing[node].count else {
                    state[node] = 2
                    order.append(node)
                    stack.removeLast()
                    continue
                }
                stack[stack.count - 1].next += 1
                let target = outgoing[node][next]
                if state[target] == 1 {
                    kept[target].append(node)
                } else {
                    kept[node].append(target)
                    if state[target] == 0 {
                        state[target] = 1
                        stack.append((target, 0))
                    }
                }
            }
        }
        var layer = Array(repeating: 0, count: sizes.count)
        for node in order.reversed() {
            for target in kept[node] { layer[target] = max(layer[target], layer[node] + 1) }
        }
        // A node without a predecessor moves next to its nearest successor.
        var hasPredecessor = Set<Int>()
        for targets in kept { hasPredecessor.formUnion(targets) }
        for node in sizes.indices where !hasPredecessor.contains(node) {
            if let nearest = kept[node].map({ layer[$0] }).min() { layer[node] = max(0, nearest - 1) }
        }
        return wrapIsolated(layer)
    }

    /// Nodes without lines are spread over the layers, so that no layer is much higher than the others.
    private func wrapIsolated(_ layer: [Int]) -> [Int] {
        var layer = layer
        var isConnected = Array(repeating: false, count: sizes.count)
        for edge in edges where edge.source != edge.target {
            isConnected[edge.source] = true
            isConnected[edge.target] = true
        }
        let isolated = sizes.indices.filter { !isConnected[$0] }
        let count = max((layer.max() ?? 0) + 1, Int(Double(isolated.count).squareRoot().rounded(.up)))
        var heights = Array(repeating: 0.0, count: count)
        for node in sizes.indices where isConnected[node] { heights[layer[node]] += sizes[node].height }
        for node in isolated {
            let lowest = heights.indices.min { heights[$0] < heights[$1] } ?? 0
            layer[node] = lowest
            heights[lowest] += sizes[node].height
        }
        return layer
    }

    private mutating func makeItems(_ layer: [Int]) {
        items = sizes.indices.map { Item(layer: layer[$0], height: sizes[$0].height, node: $0) }
        chains = edges.map { edge in
            guard edge.source != edge.target else { return [] }
            let (from, to) = (layer[edge.source], layer[edge.target])
            let step = to > from ? 1 : -1
            var chain = [edge.source]
            for between in stride(from: from + step, to: to, by: step) {
                items.append(Item(layer: between, height: 4, node: nil))
                chain.append(items.count - 1)
            }
            return chain + [edge.target]
        }
        left = Array(repeating: [], count: items.count)
        right = Array(repeating: [], count: items.count)
        for (edge, chain) in zip(edges, chains) where chain.count > 1 {
            for place in 1..<chain.count {
                let (one, other) = (chain[place - 1], chain[place])
                let oneOffset = place == 1 ? edge.sourceOffset : 0
                let otherOffset = place == chain.count - 1 ? edge.targetOffset : 0
                if items[one].layer < items[other].layer {
                    right[one].append((other, oneOffset, otherOffset))
                    left[other].append((one, otherOffset, oneOffset))
                } else {
                    left[one].append((other, oneOffset, otherOffset))
                    right[other].append((one, otherOffset, oneOffset))
                }
            }
        }
        layers = Array(repeating: [], count: (items.map(\.layer).max() ?? 0) + 1)
        for item in items.indices { layers[items[item].layer].append(item) }
    }

    // MARK: Order

    private mutating func orderLayers() {
        var best = layers
        var fewest = crossings()
        for sweep in 0..<Self.sweeps where fewest > 0 {
            let isForward = sweep.isMultiple(of: 2)
            for number in isForward ? Array(layers.indices) : layers.indices.reversed() {
                sort(number, by: isForward ? left : right)
            }
            let count = crossings()
            if count < fewest { (best, fewest) = (layers, count) }
        }
        layers = best
    }

    private mutating func sort(_ number: Int, by neighbours: [[(item: Int, own: Double, other: Double)]]) {
        var rank: [Int: Double] = [:]
        for layer in layers {
            for (place, item) in layer.enumerated() { rank[item] = Double(place) / Double(max(1, layer.count)) }
        }
        let keys = layers[number].map { item -> (item: Int, key: Double) in
            let ranks = neighbours[item].compactMap { rank[$0.item] }
            return (item, ranks.isEmpty ? rank[item] ?? 0 : ranks.reduce(0, +) / Double(ranks.count))
        }
        layers[number] = keys.enumerated().sorted { ($0.element.key, $0.offset) < ($1.element.key, $1.offset) }
            .map(\.element.item)
    }

    private func crossings() -> Int {
        var place = Array(repeating: 0, count: items.count)
        for layer in layers { for (number, item) in layer.enumerated() { place[item] = number } }
        var count = 0
        for layer in layers {
            let lines = layer.flatMap { item in right[item].map { (place[item], place[$0.item]) } }
            guard lines.count < 600 else { continue }
            for one in lines.indices {
                for other in lines.indices where other > one {
                    if (lines[one].0 - lines[other].0) * (lines[one].1 - lines[other].1) < 0 { count += 1 }
                }
            }
        }
        return count
    }

    // MARK: Places

    private mutating func placeItems() {
        for layer in layers {
            var y = 0.0
            for item in layer {
                items[item].y = y + items[item].height / 2
                y += items[item].height + Self.nodeGap
            }
        }
        for sweep in 0..<Self.sweeps {
            let isForward = sweep.isMultiple(of: 2)
            for number in isForward ? Array(layers.indices) : layers.indices.reversed() {
                align(layers[number], to: isForward ? left : right)
            }
        }
    }

    /// Moves the middles of a layer as near as possible to their neighbours, in order and without overlap: the pools of
    /// isotonic regression.
    private mutating func align(_ layer: [Int], to neighbours: [[(item: Int, own: Double, other: Double)]]) {
        var pools: [(sum: Double, weight: Double, count: Int)] = []
        var offset = 0.0
        var offsets: [Double] = []
        for (place, item) in layer.enumerated() {
            if place > 0 {
                offset += (items[layer[place - 1]].height + items[item].height) / 2 + Self.nodeGap
            }
            offsets.append(offset)
            let wanted = neighbours[item].map { items[$0.item].y + $0.other - $0.own }
            let target = wanted.isEmpty ? items[item].y : wanted.reduce(0, +) / Double(wanted.count)
            let weight = wanted.isEmpty ? 0.1 : items[item].node == nil ? 4 : Double(wanted.count)
            pools.append(((target - offset) * weight, weight, 1))
            while pools.count > 1, case let last = pools[pools.count - 1], case let before = pools[pools.count - 2],
                before.sum / before.weight > last.sum / last.weight
            {
                pools.removeLast()
                pools[pools.count - 1] = (before.sum + last.sum, before.weight + last.weight, before.count + last.count)
            }
        }
        var place = 0
        for pool in pools {
            for _ in 0..<pool.count {
                items[layer[place]].y = pool.sum / pool.weight + offsets[place]
                place += 1
            }
        }
    }

    private mutating func finish() {
        let top = items.map { $0.y - $0.height / 2 }.min() ?? 0
        var x = 0.0
        var middles: [Double] = []
        var starts: [Double] = []
        for layer in layers {
            let width = layer.compactMap { items[$0].node.map { sizes[$0].width } }.max() ?? 20
            starts.append(x)
            middles.append(x + width / 2)
            x += width + Self.layerGap
        }
        for item in items.indices {
            items[item].y -= top
            guard let node = items[item].node else { continue }
            places[node] = Point(
                x: middles[items[item].layer] - sizes[node].width / 2, y: items[item].y - sizes[node].height / 2)
        }
        for (number, chain) in chains.enumerated() where chain.count > 2 {
            bends[number] = chain.dropFirst().dropLast().map { Point(x: middles[items[$0].layer], y: items[$0].y) }
        }
        size = Size(
            width: max(0, x - Self.layerGap), height: items.map { $0.y + $0.height / 2 }.max() ?? 0)
    }
}
