// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes the progress of a run to standard error.

import Foundation

enum Console {
    static func say(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }
}
