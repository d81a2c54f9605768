// The library comes with -sanitize=fuzzer.
#include "LibFuzzer.h"
