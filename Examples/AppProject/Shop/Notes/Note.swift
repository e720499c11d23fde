// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A class of SwiftData, and a view of its objects in the same file.

import SwiftData
import SwiftUI

@Model
final class Note {
    var text: String
    var written: Date
    var shade: Double

    init(_ text: String, written: Date = .now) {
        self.text = text
        self.written = written
        shade = 0.5
    }

    /// A gray, which Linux has as a value.
    var color: Color { Color(white: shade) }
}

struct NoteList: View {
    @Query(sort: \Note.written) private var notes: [Note]

    var body: some View {
        List(notes) { Text($0.text).foregroundStyle($0.color) }
    }
}
