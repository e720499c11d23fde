// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Arranges boxes in a grid so that connected boxes are close to each other.

/// Assigns nodes to rows and columns of a grid.
struct DiagramOrder {
    /// The row and column of each node.
    private(set) var places: [(row: Int, column: Int)]
    let columnCount: Int
    let rowCount: Int

    init(_ graph: ModelGraph, columns: Int) {
        let order = Self.order(graph)
        columnCount = max(1, min(columns, order.count))
        rowCount = max(1, (order.count + columnCount - 1) / columnCount)
        places = Array(repeating: (0, 0), count: graph.nodes.count)
        for (position, node) in order.enumerated() {
            let row = position / columnCount
            let column = position % columnCount
            // Every other row runs backwards, so that neighbours in the order stay neighbours at the end of a row.
            places[node] = (row, row.isMultiple(of: 2) ? column : columnCount - 1 - column)
        }
        improve(graph)
    }

    /// Starts with the best connected node, and continues with the node that has the most lines to placed ones.
    private static func order(_ graph: ModelGraph) -> [Int] {
        let neighbours = neighbours(graph)
        var rest = Set(graph.nodes.indices)
        var strength = Array(repeating: 0, count: graph.nodes.count)
        var order: [Int] = []
        while !rest.isEmpty {
            let next = rest.max { one, other in
                (strength[one], neighbours[one].count, -one) < (strength[other], neighbours[other].count, -other)
            }
            guard let next else { break }
            rest.remove(next)
            order.append(next)
            for neighbour in neighbours[next] { strength[neighbour] += 1 }
        }
        return order
    }

    private static func neighbours(_ graph: ModelGraph) -> [[Int]] {
        var result: [[Int]] = Array(repeating: [], count: graph.nodes.count)
        for edge in graph.edges where edge.source != edge.destination {
            result[edge.source].append(edge.destination)
            result[edge.destination].append(edge.source)
        }
        return result
    }

    /// Exchanges pairs while that shortens the lines; a few rounds achieve most of the gain.
    private mutating func improve(_ graph: ModelGraph) {
        let neighbours = Self.neighbours(graph)
        func length(_ node: Int, _ places: [(row: Int, column: Int)]) -> Int {
            neighbours[node].reduce(0) { sum, other in
                sum + abs(places[node].row - places[other].row) + abs(places[node].column - places[other].column)
            }
        }
        for _ in 0..<8 {
            var isBetter = false
            for one in graph.nodes.indices {
                for other in graph.nodes.indices where other > one {
                    let before = length(one, places) + length(other, places)
                    places.swapAt(one, other)
                    if length(one, places) + length(other, places) < before {
                        isBetter = true
                    } else {
                        places.swapAt(one, other)
                    }
                }
            }
            if !isBetter { break }
        }
    }
}
