// Runs stages on arrays, element by element: slow, and a second reader of the
// data beside emission. For tests.
#ifndef SHARDC_CODEGEN_PLAN_EVALUATE_H
#define SHARDC_CODEGEN_PLAN_EVALUATE_H

#include "codegen/plan/stage.h"

// The kernel's operands on all devices, outputs first.
typedef struct StageMemory {
    char *const *operands; // [device_count][output_count + input_count]: where each begins
} StageMemory;

// One device's part of a stage that is no special one. False: an op is not
// defined on its operands' types.
bool stage_evaluate(Arena *arena, const Stage *stage, const StageMemory *memory, int64_t device);

#endif
