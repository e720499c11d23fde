// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Registers the archived names of AppleShims before `main`, because Swift has no such place.

extern void _OpenCoreDataRegisterShims(void);

__attribute__((constructor)) static void start(void) { _OpenCoreDataRegisterShims(); }
