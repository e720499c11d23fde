// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The version of the tools.

/// The version of the package, such as "0.1.0", which its tools print and name to their clients. `Scripts/release`
/// compares it with the changelog.
public let toolVersion = "0.1.0"
