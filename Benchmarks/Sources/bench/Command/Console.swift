// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tells on standard error how far a run has come.

import Foundation

enum Console {
    static func say(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }
}
