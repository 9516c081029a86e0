// What generated code and the runtime share; versioned by SHARDC_MODEL_ABI.
//
// A lane is a pair (device, rank in the device's team). Each lane runs its device's program: a
// native function whose whole state between two barriers is one program counter (everything live is
// in the arena), so it can return at a barrier and be called again later. A worker thread runs its
// lanes in turn. With T workers and D devices: D divisible by T: one lane per device, D/T lanes per
// worker; T divisible by D: T/D lanes per device, one per worker; else T/gcd(D,T) lanes per device.
//
//     int32_t program(RtLane *lane)      1 = finished, 0 = waits at lane->waiting
//     {
//         switch (lane->pc) { case 0: break; case 1: goto after_barrier_1; ... }
//         kernel_7(lane, operands_7, begin, end);  // this lane's share of kernel 7's grid
//         lane->pc = 1;
//         if (!shardc_rt_arrive(lane, barrier, step)) return 0;
//     after_barrier_1: ...
//
// A kernel's grid of G chunks depends on its shape alone; lane r of a team of n takes chunks
// [G*r/n, G*(r+1)/n), so results do not depend on the number of threads.
//
// Memory: every buffer is (slot, byte offset); its address on device d is
// lane->bases[d * slot_count + slot] + offset.
//     slot 0                       the device's arena
//     slot 1                       constants (of joined per-shard files: each device its own copy)
//     slot 2 .. 2+arg_count-1      where the device's tile of each argument begins in the caller's
//                                  array (strides: the whole array's)
//     then result_count slots      where the device's tile of each result begins
//     then share_count slots       the arena of the first device of the device's class (RtShare)
// A tiled model's strides are the tile's, and each device's tile is an array of its own.
// A replicated result has one owner (shardc_model_array.owner): for the other devices the slot
// points into private memory of the instance; where the result is made once, to the memory of the
// first device of the class.
#ifndef SHARDC_RUNTIME_ABI_H
#define SHARDC_RUNTIME_ABI_H

#include "shardc/model.h"

#include <stddef.h>
#include <stdint.h>

// The struct of files that were made when it ended before constant_args.
#define SHARDC_MODEL_LEAST_SIZE offsetof(shardc_model, constant_args)

enum { RT_SLOT_ARENA = 0, RT_SLOT_CONSTANTS = 1, RT_SLOT_FIRST_ARGUMENT = 2 };

// One operand or output of a kernel call.
typedef struct RtOperand {
    int64_t slot;
    int64_t offset; // bytes
} RtOperand;

// Kernels that are made once for the devices of a class (shardc_model.leaders): this lane takes the
// chunks [G*before/all, G*after/all), in place of the class's first device, `leader`. Of the lanes
// of a class that a worker runs, one takes the part of all.
typedef struct RtShare {
    int64_t before, after, all;
    int64_t leader;
} RtShare;

// Generated code reads and writes the fields down to `shares`; their order
// and sizes are part of the ABI.
typedef struct shardc_rt_lane {
    char *const *bases; // [device_count * slot_count]
    int64_t device;
    int64_t rank, team_size; // this lane is rank `rank` of team_size lanes of its device
    int64_t slot_count;
    int64_t pc;               // where the program resumes; 0 at the start of an execution
    int64_t collective_bytes; // the program adds the result bytes of each collective that it passes
    int64_t moved_bytes;      // and the bytes that it reads from other devices
    int64_t profiling;        // != 0: the program calls shardc_rt_step_begin/end around every step
    // [scratch_bytes] of the worker thread, 64-byte aligned, contents undefined between kernels
    char *scratch;
    // != 0: what is kept between executions is in the arena, and the program skips its first steps
    int64_t is_bound;
    const RtShare *shares; // [share_count]
    struct RtWait *wait; // the runtime's own from here on
    struct shardc_model_instance *instance;
} RtLane;

// Generated code loads and stores these fields as 8 bytes each, and writes RtOperand as two
// numbers.
_Static_assert(
    sizeof(void *) == 8 && offsetof(RtLane, wait) == 12 * sizeof(int64_t), "fields of 8 bytes");
_Static_assert(
    offsetof(RtOperand, slot) == 0 && offsetof(RtOperand, offset) == 8 && sizeof(RtOperand) == 16,
    "two numbers");

typedef int32_t RtProgram(RtLane *lane);
typedef void RtKernel(RtLane *lane, const RtOperand *operands, int64_t begin, int64_t end);

// Called by generated code. (Hidden in model.so; the just-in-time linker
// resolves them to libshardc's copy.)
//
// Arrives at a barrier: 1 = everybody of the group is there, go on; 0 = return 0 from
// the program, the runtime calls it again when the group is complete. `step` names the
// step in messages and profiles.
int32_t shardc_rt_arrive(RtLane *lane, int64_t barrier, int64_t step);
void shardc_rt_step_begin(RtLane *lane, int64_t step);
void shardc_rt_step_end(RtLane *lane, int64_t step);
// Reports that the program found an impossible state (never in a right program); the
// execution fails with the message.
void shardc_rt_fail(RtLane *lane, int64_t step);
// Calls number `call` of the program's custom calls through the instance's handler; buffers:
// addresses of its operands, then its results.
void shardc_rt_custom(RtLane *lane, int64_t call, void *const *buffers);
// 0 = the execution has failed: return 0 from the program. Asked after each custom call.
int32_t shardc_rt_may_go_on(const RtLane *lane);

// The functions that shardc_model's function pointers name.
int shardc_rt_create(
    const shardc_model *model, const shardc_model_options *options,
    shardc_model_instance **instance, char *error, uint64_t error_size);
int shardc_rt_execute(
    shardc_model_instance *instance, const void *const *inputs, void *const *outputs);
int shardc_rt_execute_tiles(
    shardc_model_instance *instance, const void *const *inputs, void *const *outputs);
void shardc_rt_destroy(shardc_model_instance *instance);
int shardc_rt_rebind(shardc_model_instance *instance);
const char *shardc_rt_message(const shardc_model_instance *instance);
void shardc_rt_counters(const shardc_model_instance *instance, shardc_model_counters *counters);
int64_t shardc_rt_events(
    const shardc_model_instance *instance, shardc_model_event *events, int64_t capacity);
int64_t shardc_rt_workspace_bytes(const shardc_model *model, int32_t threads);
int shardc_rt_join(
    const shardc_model *const *shards, int32_t count, shardc_model **joined, char *error,
    uint64_t error_size);
void shardc_rt_release(shardc_model *joined);

#endif
