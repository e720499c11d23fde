// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Leads the lines of a diagram through the gaps between rows and columns of boxes, so that none crosses a box.

/// The lines of a diagram in terms of gaps and tracks; where those are on paper is decided later.
///
/// Vertical gap `c` lies left of column `c`, horizontal gap `r` above row `r`. Each gap has as many tracks as lines run side
/// by side in it.
struct DiagramRouting {
    struct Route {
        /// Whether the line leaves the source, and reaches the destination, on the right of its box.
        var leavesRight: Bool
        var arrivesRight: Bool
        var firstGap: Int
        var firstTrack = 0
        /// Nil when one vertical gap leads all the way.
        var middle: Middle?

        struct Middle {
            var rowGap: Int
            var rowTrack = 0
            var lastGap: Int
            var lastTrack = 0
        }
    }

    private(set) var routes: [Route] = []
    /// How many tracks each gap has.
    private(set) var columnTracks: [Int]
    private(set) var rowTracks: [Int]

    init(_ graph: ModelGraph, _ order: DiagramOrder) {
        var columns = Array(repeating: TrackList(), count: order.columnCount + 1)
        var rows = Array(repeating: TrackList(), count: order.rowCount + 1)
        for edge in graph.edges {
            let (from, to) = (order.places[edge.source], order.places[edge.destination])
            var route = Self.route(from, to)
            // Where in its box a line ends is not known here: the whole row counts as taken.
            if var middle = route.middle {
                let height = middle.rowGap * Self.rowSteps
                route.firstTrack = columns[route.firstGap].add(Self.rows(from.row, from.row), height)
                middle.rowTrack = rows[middle.rowGap].add(route.firstGap...route.firstGap, middle.lastGap)
                middle.lastTrack = columns[middle.lastGap].add(Self.rows(to.row, to.row), height)
                route.middle = middle
            } else {
                route.firstTrack = columns[route.firstGap].add(Self.rows(from.row, to.row), nil)
            }
            routes.append(route)
        }
        columnTracks = columns.map(\.count)
        rowTracks = rows.map(\.count)
    }

    /// A row and the gap above it, in the measure of tracks.
    private static let rowSteps = 3

    private static func rows(_ one: Int, _ other: Int) -> ClosedRange<Int> {
        (min(one, other) * rowSteps + 1)...(max(one, other) * rowSteps + 2)
    }

    private static func route(_ from: (row: Int, column: Int), _ to: (row: Int, column: Int)) -> Route {
        let leavesRight = to.column >= from.column
        let arrivesRight = to.column <= from.column
        let first = leavesRight ? from.column + 1 : from.column
        let last = arrivesRight ? to.column + 1 : to.column
        guard first != last else { return Route(leavesRight: leavesRight, arrivesRight: arrivesRight, firstGap: first) }
        let rowGap = to.row > from.row ? from.row + 1 : from.row
        return Route(
            leavesRight: leavesRight, arrivesRight: arrivesRight, firstGap: first,
            middle: Route.Middle(rowGap: rowGap, lastGap: last))
    }
}

/// The tracks of one gap, each with the stretches that are taken.
private struct TrackList {
    private var tracks: [[ClosedRange<Int>]] = []

    var count: Int { tracks.count }

    /// The first track that is free along a stretch, up to a point outside of it where there is one.
    mutating func add(_ stretch: ClosedRange<Int>, _ point: Int?) -> Int {
        let point = point ?? stretch.lowerBound
        let stretch = min(stretch.lowerBound, point)...max(stretch.upperBound, point)
        if let free = tracks.firstIndex(where: { $0.allSatisfy { !$0.overlaps(stretch) } }) {
            tracks[free].append(stretch)
            return free
        }
        tracks.append([stretch])
        return tracks.count - 1
    }
}
