// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Calls the registration of AppleShims when the program starts. It has no interface.
