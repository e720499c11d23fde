// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Routes the lines of a diagram through the gaps between rows and columns, so that no line crosses a box.

/// The lines of a diagram in terms of gaps and tracks, without coordinates.
///
/// Vertical gap `c` is left of column `c`, horizontal gap `r` above row `r`. Each gap has as many tracks as lines run
/// side by side in it.
struct DiagramRouting {
    struct Route {
        /// Whether the line starts, and ends, at the right side of the box.
        var startsAtRight: Bool
        var endsAtRight: Bool
        var firstGap: Int
        var firstTrack = 0
        /// nil if the line uses a single vertical gap.
        var middle: Middle?

        struct Middle {
            var rowGap: Int
            var rowTrack = 0
            var lastGap: Int
            var lastTrack = 0
        }
    }

    private(set) var routes: [Route] = []
    /// The number of tracks of each gap.
    private(set) var columnTracks: [Int]
    private(set) var rowTracks: [Int]

    init(_ graph: ModelGraph, _ order: DiagramOrder) {
        var columns = Array(repeating: TrackList(), count: order.columnCount + 1)
        var rows = Array(repeating: TrackList(), count: order.rowCount + 1)
        for edge in graph.edges {
            let (from, to) = (order.places[edge.source], order.places[edge.destination])
            var route = Self.route(from, to)
            // The position of a line's end within its box is unknown here, so the whole row counts as occupied.
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

    /// The length of a row and the gap above it, in steps of tracks.
    private static let rowSteps = 3

    private static func rows(_ one: Int, _ other: Int) -> ClosedRange<Int> {
        (min(one, other) * rowSteps + 1)...(max(one, other) * rowSteps + 2)
    }

    private static func route(_ from: (row: Int, column: Int), _ to: (row: Int, column: Int)) -> Route {
        let startsAtRight = to.column >= from.column
        let endsAtRight = to.column <= from.column
        let first = startsAtRight ? from.column + 1 : from.column
        let last = endsAtRight ? to.column + 1 : to.column
        guard first != last else {
            return Route(startsAtRight: startsAtRight, endsAtRight: endsAtRight, firstGap: first)
        }
        let rowGap = to.row > from.row ? from.row + 1 : from.row
        return Route(
            startsAtRight: startsAtRight, endsAtRight: endsAtRight, firstGap: first,
            middle: Route.Middle(rowGap: rowGap, lastGap: last))
    }
}

/// The tracks of one gap, each with its occupied stretches.
private struct TrackList {
    private var tracks: [[ClosedRange<Int>]] = []

    var count: Int { tracks.count }

    /// The first track that is free along a stretch, and up to an additional point if there is one.
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
