#ifndef OPENMARKET_CBUILD_H
#define OPENMARKET_CBUILD_H

/// The commit that a package was built from; empty in other builds.
const char *_Nonnull openmarket_commit(void);

#endif
