// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Exports the predicate language: its error is a part of the public API.

@_exported public import PredicateLanguage
