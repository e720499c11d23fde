// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The objects that answer calls in expressions themselves: contexts for FETCH, and receivers of FUNCTION.

/// An object of a higher module that carries out FETCH(request, context, countOnly): a context.
package protocol FetchAnswering: AnyObject {
    /// - Parameter request: the value of the first argument.
    /// - Returns: the array of results, or their number.
    /// - Throws: an error for a value that is no fetch request; the error of the fetch.
    func answer(toFetch request: Any, countsOnly: Bool) throws -> Any
}

/// An object that answers FUNCTION(object, 'selector', …) for the selectors of its choice.
package protocol FunctionAnswering: AnyObject {
    /// - Throws: an error for an unknown selector.
    func value(ofFunction selector: String, arguments: [Any?]) throws -> Any?
}
