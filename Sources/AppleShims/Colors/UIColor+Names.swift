// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The colours with names. System colours have the components of the light appearance.

extension UIColor {
    /// The colour 0xFF0000.
    public class var red: UIColor { UIColor(ColorComponents(0xFF0000)) }
    /// The colour 0x00FF00.
    public class var green: UIColor { UIColor(ColorComponents(0x00FF00)) }
    /// The colour 0x0000FF.
    public class var blue: UIColor { UIColor(ColorComponents(0x0000FF)) }
    /// The colour 0x00FFFF.
    public class var cyan: UIColor { UIColor(ColorComponents(0x00FFFF)) }
    /// The colour 0xFFFF00.
    public class var yellow: UIColor { UIColor(ColorComponents(0xFFFF00)) }
    /// The colour 0xFF00FF.
    public class var magenta: UIColor { UIColor(ColorComponents(0xFF00FF)) }
    /// The colour 0xFF8000.
    public class var orange: UIColor { UIColor(ColorComponents(0xFF8000)) }
    /// The colour 0x800080.
    public class var purple: UIColor { UIColor(ColorComponents(0x800080)) }
    /// The colour 0x996633.
    public class var brown: UIColor { UIColor(ColorComponents(0x996633)) }
    /// A gray with white 0.
    public class var black: UIColor { UIColor(ColorComponents(white: 0)) }
    /// A gray with white 1.0 / 3.
    public class var darkGray: UIColor { UIColor(ColorComponents(white: 1.0 / 3)) }
    /// A gray with white 2.0 / 3.
    public class var lightGray: UIColor { UIColor(ColorComponents(white: 2.0 / 3)) }
    /// A gray with white 1.
    public class var white: UIColor { UIColor(ColorComponents(white: 1)) }
    /// A gray with white 0.5.
    public class var gray: UIColor { UIColor(ColorComponents(white: 0.5)) }
    /// Black with alpha 0.
    public class var clear: UIColor { UIColor(ColorComponents(white: 0, alpha: 0)) }
    /// The system's blue, 0x007AFF.
    public class var systemBlue: UIColor { UIColor(ColorComponents(0x007AFF)) }
    /// The system's brown, 0xA2845E.
    public class var systemBrown: UIColor { UIColor(ColorComponents(0xA2845E)) }
    /// The system's cyan, 0x32ADE6.
    public class var systemCyan: UIColor { UIColor(ColorComponents(0x32ADE6)) }
    /// The system's green, 0x34C759.
    public class var systemGreen: UIColor { UIColor(ColorComponents(0x34C759)) }
    /// The system's indigo, 0x5856D6.
    public class var systemIndigo: UIColor { UIColor(ColorComponents(0x5856D6)) }
    /// The system's mint, 0x00C7BE.
    public class var systemMint: UIColor { UIColor(ColorComponents(0x00C7BE)) }
    /// The system's orange, 0xFF9500.
    public class var systemOrange: UIColor { UIColor(ColorComponents(0xFF9500)) }
    /// The system's pink, 0xFF2D55.
    public class var systemPink: UIColor { UIColor(ColorComponents(0xFF2D55)) }
    /// The system's purple, 0xAF52DE.
    public class var systemPurple: UIColor { UIColor(ColorComponents(0xAF52DE)) }
    /// The system's red, 0xFF3B30.
    public class var systemRed: UIColor { UIColor(ColorComponents(0xFF3B30)) }
    /// The system's teal, 0x30B0C7.
    public class var systemTeal: UIColor { UIColor(ColorComponents(0x30B0C7)) }
    /// The system's yellow, 0xFFCC00.
    public class var systemYellow: UIColor { UIColor(ColorComponents(0xFFCC00)) }
    /// The system's gray, 0x8E8E93.
    public class var systemGray: UIColor { UIColor(ColorComponents(0x8E8E93)) }
}
