// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The colours with names. System colours have the components of the light appearance.

extension Color {
    /// The system's blue, 0x007AFF.
    public static let blue = Color(ColorComponents(0x007AFF))
    /// The system's brown, 0xA2845E.
    public static let brown = Color(ColorComponents(0xA2845E))
    /// The system's cyan, 0x32ADE6.
    public static let cyan = Color(ColorComponents(0x32ADE6))
    /// The system's green, 0x34C759.
    public static let green = Color(ColorComponents(0x34C759))
    /// The system's indigo, 0x5856D6.
    public static let indigo = Color(ColorComponents(0x5856D6))
    /// The system's mint, 0x00C7BE.
    public static let mint = Color(ColorComponents(0x00C7BE))
    /// The system's orange, 0xFF9500.
    public static let orange = Color(ColorComponents(0xFF9500))
    /// The system's pink, 0xFF2D55.
    public static let pink = Color(ColorComponents(0xFF2D55))
    /// The system's purple, 0xAF52DE.
    public static let purple = Color(ColorComponents(0xAF52DE))
    /// The system's red, 0xFF3B30.
    public static let red = Color(ColorComponents(0xFF3B30))
    /// The system's teal, 0x30B0C7.
    public static let teal = Color(ColorComponents(0x30B0C7))
    /// The system's yellow, 0xFFCC00.
    public static let yellow = Color(ColorComponents(0xFFCC00))
    /// The system's gray, 0x8E8E93.
    public static let gray = Color(ColorComponents(0x8E8E93))
    /// White 0.
    public static let black = Color(ColorComponents(white: 0))
    /// White 1.
    public static let white = Color(ColorComponents(white: 1))
    /// Black with alpha 0.
    public static let clear = Color(ColorComponents(white: 0, alpha: 0))
    /// The colour of text in the light appearance: black.
    public static let primary = Color(ColorComponents(white: 0))
    /// The colour of secondary text in the light appearance.
    public static let secondary = Color(ColorComponents(white: 0, alpha: 0.5))
    /// The system's blue, the usual accent.
    public static let accentColor = blue
}
