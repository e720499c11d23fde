// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The animations that models of views name. Without a screen, a change has its effect at once.

/// A kind of animation, without effect.
public struct Animation: Hashable, Sendable {
    /// The usual one.
    public static let `default` = Animation()
    /// Slow at the beginning.
    public static let easeIn = Animation()
    /// Slow at the end.
    public static let easeOut = Animation()
    /// Slow at the beginning and at the end.
    public static let easeInOut = Animation()
    /// At one speed.
    public static let linear = Animation()
    /// As of a spring.
    public static let spring = Animation()
    /// As of a spring without overshoot.
    public static let smooth = Animation()
    /// As of a short spring.
    public static let snappy = Animation()
    /// As of a spring with overshoot.
    public static let bouncy = Animation()

    /// Slow at the beginning and at the end.
    ///
    /// - Parameter duration: seconds.
    public static func easeInOut(duration: Double) -> Animation { Animation() }

    /// At one speed.
    ///
    /// - Parameter duration: seconds.
    public static func linear(duration: Double) -> Animation { Animation() }

    /// As of a spring.
    public static func spring(
        response: Double = 0.5, dampingFraction: Double = 0.825, blendDuration: Double = 0
    ) -> Animation {
        Animation()
    }
}

/// Calls the closure, which changes values that views show on Apple's systems.
///
/// ```swift
/// withAnimation { items.remove(atOffsets: offsets) }
/// ```
///
/// - Throws: the error of the closure.
public func withAnimation<Result>(_ animation: Animation? = .default, _ body: () throws -> Result) rethrows -> Result {
    try body()
}
