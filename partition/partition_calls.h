// partition_calls: hosts that partition custom calls. docs/c-api.md says how a host is one.
#ifndef SHARDC_PARTITION_PARTITION_CALLS_H
#define SHARDC_PARTITION_PARTITION_CALLS_H

#include "ir/module.h"

// What a host makes of a custom call.
typedef struct CallPartition {
    // of the body's arguments and results: on the mesh that was named; NULL: whole
    const Sharding *const *operands, *const *results;
    Module *body; // of the module's context: one device's program; NULL: results are the operands
} CallPartition;

// A host that partitions custom calls of names that it knows.
typedef struct CallPartitioner {
    bool (*knows)(void *user, StrView target);
    // What it makes is in the module's arena. False with diagnostics.
    bool (*partition)(
        void *user, const Module *module, const Op *call, StrView mesh, CallPartition *made,
        Diags *diags);
    void *user;
} CallPartitioner;

#endif
