// Which devices have the same numbers in a value.
#ifndef SHARDC_CODEGEN_REPLICAS_H
#define SHARDC_CODEGEN_REPLICAS_H

#include "base/vec.h"
#include "ir/device_program.h"
#include "ir/eval/eval.h"

// Partitions of the devices, [devices]: each device has the number of the first one of its class.
// Equal partitions are one array.
typedef struct Replicas {
    Arena *arena;
    int64_t devices;
    const int32_t *uniform, *apart; // all in one class; each alone
    VEC(const int32_t *) known;
    const int32_t **classes; // by Value.number; NULL = nothing is known
    int64_t values;          // of classes: values that were made later are not known
    int32_t *scratch;        // [devices]
    const Module *module;
    const Tensor ***numbers; // by Value.number; [devices] what follows from the device's number
    bool fails;
} Replicas;

// Of @main: [arguments, devices] the classes of the arguments, for passes on the module alone.
#define ARGUMENT_REPLICAS "shardc.argument_replicas"
// Of @main: each device's arguments are tiles of the caller's whole arrays.
#define WHOLE_ARRAYS      "shardc.whole_arrays"
void replicas_mark_arguments(DeviceProgram *program);

Replicas replicas_find(const DeviceProgram *program, Arena *arena);
// The same where the arguments are marked; else false.
bool replicas_find_marked(const Module *module, const Op *main, Arena *arena, Replicas *r);
// Do the devices of each row of the groups hold the same? The groups hold every device once.
bool replicas_are_alike(const Replicas *r, const Value *value, const Attr *groups);
const int32_t *replicas_of(const Replicas *r, const Value *value);
// Groups of two devices or more, [groups, size], that hold each of groups * size devices once?
bool groups_hold_all(Arena *arena, const Attr *groups);
// The one number that all elements are on a device; a truth value is 0 or 1. False: it is not
// known, or they differ.
bool replicas_number(
    const Replicas *r, Context *context, const Value *value, int64_t device, int64_t *number);
// The devices that hold the same tile of an argument or result.
const int32_t *replicas_of_tiles(Replicas *r, const GlobalLayout *layout);
// The coarsest partition that is finer than both.
const int32_t *replicas_meet(Replicas *r, const int32_t *a, const int32_t *b);

#endif
