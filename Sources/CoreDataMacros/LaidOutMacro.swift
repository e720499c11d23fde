// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A macro that lays out its expansion itself.

public import SwiftSyntaxMacros

/// A macro that writes its expansion with all spaces and line ends.
///
/// SwiftSyntax formats the expansions of other macros once more. In a debug build, where the plug-in is not optimized,
/// that is a third of the time that the compiler spends on a module of models.
public protocol LaidOutMacro: Macro {}

extension LaidOutMacro {
    /// The compiler takes the text as it is.
    public static var formatMode: FormatMode { .disabled }
}
