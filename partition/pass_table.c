// pass_table: the passes of partition/ by number.
#include "partition/partition.h"
#include "partition/passes.h"

#include <assert.h>

static const Pass passes[] = {
#define PASS(name, function, help) {name, function, help},
#include "partition/passes.def"
};

enum { PASS_COUNT = sizeof passes / sizeof passes[0] };

int partition_pass_count(void) { return PASS_COUNT; }

const Pass *partition_pass(int i) {
    assert(i >= 0 && i < PASS_COUNT);
    return &passes[i];
}
