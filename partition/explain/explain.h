// explain: says where every sharding of a program came from, why every collective is there and
// which annotation would avoid it.
//
//   values        from the records of propagation (provenance.h): for every axis the
//                 chain back to where it was written
//   collectives   of the device program, each with the cause that its place leads to
//   advice        for a collective: changes of one annotation, each tried by
//                 partitioning the changed program; only what made the cause's bytes and
//                 the program's bytes smaller is given
#ifndef SHARDC_PARTITION_EXPLAIN_H
#define SHARDC_PARTITION_EXPLAIN_H

#include "shardc/explain.h"

#include "partition/partition.h"

typedef struct ExplainOptions {
    PartitionOptions partition; // only_propagate and provenance are not used
    StrView text;               // the program's text, for the names in it; may be empty
    StrView name;               // the program's
    int advise_first, advise_count;
    bool programs;
} ExplainOptions;

// Fills *explanation (in the arena); `module` stays as it is. False with diagnostics.
bool explain_module(
    const Module *module, const ExplainOptions *options, Arena *arena,
    shardc_explanation *explanation, Diags *diags);

#endif
