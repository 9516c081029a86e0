// A model of eight devices that sums: written by hand, so that the runtime is tested without the
// compiler.
#ifndef SHARDC_TESTS_UNIT_RUNTIME_MODEL_FIXTURE_H
#define SHARDC_TESTS_UNIT_RUNTIME_MODEL_FIXTURE_H

#include "runtime/abi.h"
#include "tests/unit/cmocka_all.h"

#include <stdbool.h>
#include <string.h>

enum { DEVICES = 8, CHUNKS = 8, TILE = CHUNKS, ROUNDS = 50 };
enum { BARRIER_ALL, BARRIER_ROWS, BARRIER_TEAM, BARRIER_COUNT };

// The arena of a device: what its lanes keep between two barriers.
typedef struct Arena {
    int64_t values[CHUNKS], sums[CHUNKS], round[64];
} Arena;

static inline Arena *arena_of(const RtLane *lane, int64_t device) {
    return (void *)lane->bases[device * lane->slot_count + RT_SLOT_ARENA];
}

static inline int64_t share(const RtLane *lane, int64_t rank) {
    return CHUNKS * rank / lane->team_size;
}

static const int32_t one_group[DEVICES] = {0};
static const int32_t rows[DEVICES] = {0, 0, 0, 0, 1, 1, 1, 1};
static const shardc_model_barrier barriers[BARRIER_COUNT] = {
    {one_group, 1, 0}, {rows, 2, 0}, {NULL, 0, 0}};

static const shardc_model_step steps[] = {
    {"write", "loop", "m.mlir:1:1", 8, 8, 0, 0, 0},
    {"sum", "all_reduce", "m.mlir:2:1", 8, 8, 64, 1, 0},
};

static inline bool in_group(const RtLane *lane, int64_t barrier, int64_t device) {
    return barriers[barrier].group[device] == barriers[barrier].group[lane->device];
}

// ROUNDS times: every device writes CHUNKS values; barrier; every device sums those of its group;
// barrier. Then each device writes its tile of the result: sum + its tile of the input.
static inline int32_t sum_program(RtLane *lane, int64_t barrier) {
    Arena *mine = arena_of(lane, lane->device);
    int64_t *round = &mine->round[lane->rank];
    int64_t begin = share(lane, lane->rank), end = share(lane, lane->rank + 1);
    switch (lane->pc) {
    case 0:
        *round = 0;
        for (int64_t i = begin; i < end; i++)
            mine->sums[i] = 0;
        while (*round < ROUNDS) {
            if (lane->profiling) shardc_rt_step_begin(lane, 0);
            for (int64_t i = begin; i < end; i++) {
                mine->values[i] = (lane->device + 1) * 1000 + i * *round;
            }
            if (lane->profiling) shardc_rt_step_end(lane, 0);
            lane->pc = 1;
            if (!shardc_rt_arrive(lane, barrier, 1)) return 0;
            __attribute__((fallthrough));
        case 1:
            for (int64_t d = 0; d < DEVICES; d++) {
                if (!in_group(lane, barrier, d)) continue;
                for (int64_t i = begin; i < end; i++) {
                    mine->sums[i] += arena_of(lane, d)->values[CHUNKS - 1 - i];
                }
            }
            lane->collective_bytes += 64;
            lane->moved_bytes += 56;
            lane->pc = 2;
            if (!shardc_rt_arrive(lane, barrier, 1)) return 0;
            __attribute__((fallthrough));
        case 2: ++*round;
        }
        lane->pc = 3;
        if (!shardc_rt_arrive(lane, BARRIER_TEAM, 0)) return 0;
        __attribute__((fallthrough));
    default: break;
    }
    char *const *slots = &lane->bases[lane->device * lane->slot_count];
    const int32_t *input = (const void *)slots[RT_SLOT_FIRST_ARGUMENT];
    int64_t *output = (void *)slots[RT_SLOT_FIRST_ARGUMENT + 1];
    int64_t *total = (void *)slots[RT_SLOT_FIRST_ARGUMENT + 2];
    for (int64_t i = begin; i < end; i++)
        output[i] = mine->sums[i] + input[i];
    for (int64_t i = begin; i < end; i++)
        total[i] = mine->sums[i]; // every device: owned by the first
    return 1;
}

static inline int32_t sum_all(RtLane *lane) { return sum_program(lane, BARRIER_ALL); }
static inline int32_t sum_rows(RtLane *lane) { return sum_program(lane, BARRIER_ROWS); }

// Device 1 leaves without arriving at a barrier where all others wait.
static inline int32_t deserting(RtLane *lane) {
    if (lane->device == 1 || lane->pc) return 1;
    lane->pc = 1;
    return shardc_rt_arrive(lane, BARRIER_ALL, 1);
}

static inline int32_t failing(RtLane *lane) {
    if (lane->device == 2 && !lane->pc) {
        shardc_rt_fail(lane, 0);
        return 1;
    }
    return deserting(lane);
}

typedef int32_t Program(RtLane *);

typedef struct Fixture {
    shardc_model model;
    shardc_model_array input, results[2];
    int64_t dims[1], tile_dims[1], offsets[DEVICES], zeros[DEVICES];
    int64_t tile_only[1];
    uint8_t owner_all[DEVICES], owner_first[DEVICES];
    Program *programs[DEVICES];
    int32_t in[DEVICES * TILE];
    int64_t out[DEVICES * TILE], total[TILE];
} Fixture;

static inline void make_fixture(Fixture *f, Program *program) {
    memset(f, 0, sizeof *f);
    f->dims[0] = DEVICES * TILE;
    f->tile_dims[0] = f->tile_only[0] = TILE;
    for (int d = 0; d < DEVICES; d++) {
        f->offsets[d] = d * TILE;
        f->owner_all[d] = 1;
        f->owner_first[d] = d == 0;
        f->programs[d] = program;
    }
    for (int i = 0; i < DEVICES * TILE; i++)
        f->in[i] = 7 * i;
    f->input = (shardc_model_array){
        .name = "x",
        .type = "i32",
        .sharding = "",
        .element_bytes = 4,
        .bytes = sizeof f->in,
        .rank = 1,
        .alias = -1,
        .dims = f->dims,
        .tile_dims = f->tile_dims,
        .offsets = f->offsets};
    f->results[0] = f->input;
    f->results[0].name = "y";
    f->results[0].type = "i64";
    f->results[0].element_bytes = 8;
    f->results[0].bytes = sizeof f->out;
    f->results[0].owner = f->owner_all;
    f->results[1] = f->results[0];
    f->results[1].name = "total";
    f->results[1].bytes = sizeof f->total;
    f->results[1].dims = f->results[1].tile_dims = f->tile_only;
    f->results[1].offsets = f->zeros;
    f->results[1].owner = f->owner_first;
    f->model = (shardc_model){
        .abi_version = SHARDC_MODEL_ABI,
        .struct_size = sizeof(shardc_model),
        .name = "sum",
        .cpu_features = "",
        .device_count = DEVICES,
        .arg_count = 1,
        .result_count = 2,
        .step_count = 2,
        .barrier_count = BARRIER_COUNT,
        .shard_count = DEVICES,
        .slot_count = 5,
        .args = &f->input,
        .results = f->results,
        .steps = steps,
        .barriers = barriers,
        .arena_bytes = sizeof(Arena),
        .scratch_bytes = 256,
        .programs = f->programs};
}

static inline shardc_model_instance *create(
    const Fixture *f, int threads, int profile, double watchdog) {
    shardc_model_options options = {
        .struct_size = sizeof options,
        .threads = threads,
        .profile = profile,
        .watchdog_seconds = watchdog};
    shardc_model_instance *instance = NULL;
    char error[256] = "";
    assert_int_equal(shardc_rt_create(&f->model, &options, &instance, error, sizeof error), 0);
    assert_string_equal(error, "");
    return instance;
}

static inline int execute(Fixture *f, shardc_model_instance *instance) {
    const void *inputs[] = {f->in};
    void *outputs[] = {f->out, f->total};
    return shardc_rt_execute(instance, inputs, outputs);
}

static inline bool is_right(const Fixture *f, bool by_rows) {
    for (int64_t d = 0; d < DEVICES; d++) {
        for (int64_t i = 0; i < TILE; i++) {
            int64_t sum = 0;
            for (int64_t peer = 0; peer < DEVICES; peer++) {
                if (by_rows && rows[peer] != rows[d]) continue;
                for (int64_t r = 0; r < ROUNDS; r++)
                    sum += (peer + 1) * 1000 + (CHUNKS - 1 - i) * r;
            }
            if (f->out[d * TILE + i] != sum + 7 * (d * TILE + i)) return false;
            if (d == 0 && f->total[i] != sum) return false;
        }
    }
    return true;
}

#endif
