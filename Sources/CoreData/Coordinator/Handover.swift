// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Passes a block of the program, or its result, to another thread.

/// A value that one thread passes to another one and does not use afterwards.
///
/// Apple's framework takes blocks of any kind. So the author of a block checks its captures, not the compiler.
struct Handover<Value>: @unchecked Sendable {  // used by one thread after another
    let value: Value

    init(_ value: Value) { self.value = value }
}
