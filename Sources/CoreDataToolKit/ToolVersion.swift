// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The version of the tools.

/// The version of the package, which its tools print and tell their clients, such as "0.1.0". `Scripts/release` compares
/// it with the changelog.
public let toolVersion = "0.1.0"
