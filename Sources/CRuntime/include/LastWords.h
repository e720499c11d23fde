// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Text that a program prints last when it traps, below the stack trace that Swift's runtime prints.

#ifndef OPENCOREDATA_LASTWORDS_H
#define OPENCOREDATA_LASTWORDS_H

// Prints a text on standard error after the following trap has been reported. Only the first text of a process is used:
// a later thread waits for the end of the process.
void ocd_set_last_words(const char *_Nonnull text);

#endif
