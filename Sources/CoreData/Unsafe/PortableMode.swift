// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Determines whether unsafe code is replaced by its portable fallbacks.

/// `OCD_PORTABLE=1 swift build` (Documentation/Internals/UnsafeCode.md).
enum PortableMode {
    #if OCD_PORTABLE
        static let isOn = true
    #else
        static let isOn = false
    #endif
}
