// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Prints a last text on standard error after the report of a trap.

#include "LastWords.h"

#if defined(_WIN32)

#include <stdio.h>

void ocd_set_last_words(const char *text) { fputs(text, stderr); }

#else

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A trap raises one of these signals, depending on the processor.
static const int signals[] = {SIGILL, SIGTRAP};
enum { signal_count = 2 };

static struct sigaction earlier[signal_count];
static const char *last_words;

// Only calls functions that are allowed in a signal handler.
static void print(const char *text) {
    size_t left = strlen(text);
    while (left > 0) {
        ssize_t count = write(STDERR_FILENO, text, left);
        if (count <= 0) return;
        text += count;
        left -= (size_t)count;
    }
}

static void report(int number, siginfo_t *info, void *place) {
    struct sigaction *handler = &earlier[number == signals[0] ? 0 : 1];
    if (handler->sa_flags & SA_SIGINFO) {
        handler->sa_sigaction(number, info, place);
    } else if (handler->sa_handler != SIG_DFL && handler->sa_handler != SIG_IGN) {
        handler->sa_handler(number);
    }
    print(last_words);
    // The instruction runs again after the return, and ends the process.
    signal(number, SIG_DFL);
}

void ocd_set_last_words(const char *text) {
    static atomic_flag taken = ATOMIC_FLAG_INIT;
    while (atomic_flag_test_and_set(&taken)) pause();
    last_words = strdup(text);
    if (!last_words) return;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = report;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    for (int each = 0; each < signal_count; each++) sigaction(signals[each], &action, &earlier[each]);
}

#endif
