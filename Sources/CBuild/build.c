#include "CBuild.h"

#ifndef OPENMARKET_COMMIT
#define OPENMARKET_COMMIT ""
#endif

const char *openmarket_commit(void) { return OPENMARKET_COMMIT; }
