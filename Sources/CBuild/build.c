#include "CBuild.h"

#ifdef __linux__
#include <unistd.h>

/// Ends the process before Swift starts if there is no /proc, such as in a chroot.
///
/// Swift has the arguments from there, and would find none; its threads trap without it.
__attribute__((constructor)) static void require_proc(void) {
    static const char words[] =
        "error: the arguments cannot be read, because /proc is not there\n"
        "  help: mount it: mount -t proc proc /proc\n";
    if (access("/proc/self/cmdline", R_OK) == 0) return;
    ssize_t written = write(STDERR_FILENO, words, sizeof words - 1);
    (void)written;
    _exit(1);
}
#endif

#ifndef OPENMARKET_COMMIT
#define OPENMARKET_COMMIT ""
#endif

const char *openmarket_commit(void) { return OPENMARKET_COMMIT; }
