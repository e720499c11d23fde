// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The colours with names. System colours have the components of the light appearance.

extension NSColor {
    /// The colour 0xFF0000.
    public class var red: NSColor { NSColor(ColorComponents(0xFF0000)) }
    /// The colour 0x00FF00.
    public class var green: NSColor { NSColor(ColorComponents(0x00FF00)) }
    /// The colour 0x0000FF.
    public class var blue: NSColor { NSColor(ColorComponents(0x0000FF)) }
    /// The colour 0x00FFFF.
    public class var cyan: NSColor { NSColor(ColorComponents(0x00FFFF)) }
    /// The colour 0xFFFF00.
    public class var yellow: NSColor { NSColor(ColorComponents(0xFFFF00)) }
    /// The colour 0xFF00FF.
    public class var magenta: NSColor { NSColor(ColorComponents(0xFF00FF)) }
    /// The colour 0xFF8000.
    public class var orange: NSColor { NSColor(ColorComponents(0xFF8000)) }
    /// The colour 0x800080.
    public class var purple: NSColor { NSColor(ColorComponents(0x800080)) }
    /// The colour 0x996633.
    public class var brown: NSColor { NSColor(ColorComponents(0x996633)) }
    /// A gray with white 0.
    public class var black: NSColor { NSColor(ColorComponents(white: 0)) }
    /// A gray with white 1.0 / 3.
    public class var darkGray: NSColor { NSColor(ColorComponents(white: 1.0 / 3)) }
    /// A gray with white 2.0 / 3.
    public class var lightGray: NSColor { NSColor(ColorComponents(white: 2.0 / 3)) }
    /// A gray with white 1.
    public class var white: NSColor { NSColor(ColorComponents(white: 1)) }
    /// A gray with white 0.5.
    public class var gray: NSColor { NSColor(ColorComponents(white: 0.5)) }
    /// Black with alpha 0.
    public class var clear: NSColor { NSColor(ColorComponents(white: 0, alpha: 0)) }
    /// The system's blue, 0x007AFF.
    public class var systemBlue: NSColor { NSColor(ColorComponents(0x007AFF)) }
    /// The system's brown, 0xA2845E.
    public class var systemBrown: NSColor { NSColor(ColorComponents(0xA2845E)) }
    /// The system's cyan, 0x32ADE6.
    public class var systemCyan: NSColor { NSColor(ColorComponents(0x32ADE6)) }
    /// The system's green, 0x34C759.
    public class var systemGreen: NSColor { NSColor(ColorComponents(0x34C759)) }
    /// The system's indigo, 0x5856D6.
    public class var systemIndigo: NSColor { NSColor(ColorComponents(0x5856D6)) }
    /// The system's mint, 0x00C7BE.
    public class var systemMint: NSColor { NSColor(ColorComponents(0x00C7BE)) }
    /// The system's orange, 0xFF9500.
    public class var systemOrange: NSColor { NSColor(ColorComponents(0xFF9500)) }
    /// The system's pink, 0xFF2D55.
    public class var systemPink: NSColor { NSColor(ColorComponents(0xFF2D55)) }
    /// The system's purple, 0xAF52DE.
    public class var systemPurple: NSColor { NSColor(ColorComponents(0xAF52DE)) }
    /// The system's red, 0xFF3B30.
    public class var systemRed: NSColor { NSColor(ColorComponents(0xFF3B30)) }
    /// The system's teal, 0x30B0C7.
    public class var systemTeal: NSColor { NSColor(ColorComponents(0x30B0C7)) }
    /// The system's yellow, 0xFFCC00.
    public class var systemYellow: NSColor { NSColor(ColorComponents(0xFFCC00)) }
    /// The system's gray, 0x8E8E93.
    public class var systemGray: NSColor { NSColor(ColorComponents(0x8E8E93)) }
}
