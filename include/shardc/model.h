/* What every model.so exports (and what shardc's just-in-time executables look like inside): one
 * uniform symbol, `shardc_model_entry`, from which any program with dlopen learns the inputs,
 * outputs, types, shapes, shardings, mesh and memory of a model, and runs it. Beside it each
 * model.so has a generated header with a typed entry.
 *
 *     void *library = dlopen("./model.so", RTLD_NOW | RTLD_LOCAL);
 *     typedef const shardc_model *(*shardc_model_entry_fn)(void);
 *     shardc_model_entry_fn entry = (shardc_model_entry_fn)dlsym(library, "shardc_model_entry");
 *     const shardc_model *model = entry();
 *     if (model->abi_version != SHARDC_MODEL_ABI) ...
 *
 * Files of one device each (`shardc compile --per-shard`) are joined first: see `join` below.
 *
 * Arrays are whole (global), row-major, in the caller's memory: inputs are read in place and
 * results are written in place. Types that C lacks (bf16, f16, f8...) are the raw bits in the
 * unsigned type of the same width; i1 and narrower types take a byte each. This header needs
 * <stdint.h> alone and is valid C99 and C++.
 */
#ifndef SHARDC_MODEL_H
#define SHARDC_MODEL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SHARDC_MODEL_ABI 1

/* Status of the functions below; a message lies in the instance (or in the `error` text). */
enum {
    SHARDC_MODEL_OK = 0,
    SHARDC_MODEL_INVALID = 1, /* an argument is wrong */
    SHARDC_MODEL_OUT_OF_MEMORY = 3,
    SHARDC_MODEL_CPU = 4,   /* this CPU lacks instructions that the model was compiled for */
    SHARDC_MODEL_FAILED = 5 /* a device failed or did not finish; see the message */
};

/* One input or output of the model. */
typedef struct shardc_model_array {
    /* as the program calls it ("params['w']"), else "arg0", "result1"; different for all inputs,
     * and for all outputs */
    const char *name;
    /* StableHLO's name of the element type: "f32", "bf16", "complex<f32>" ...; "token": no
     * memory */
    const char *type;
    /* as Shardy prints it: "<@mesh, [{\"x\"}, {}]>"; "" = every device has all of it */
    const char *sharding;
    int64_t element_bytes; /* storage of one element */
    int64_t bytes;         /* of the whole array */
    int32_t rank;
    /* input: the output that may be the same memory (donation), -1 = none; output: the input */
    int32_t alias;
    const int64_t *dims; /* [rank] whole array */
    /* [rank] one device's tile; the last tile may reach beyond the array */
    const int64_t *tile_dims;
    const int64_t *offsets; /* [device_count][rank] where each device's tile begins, in elements */
    /* [device_count] output: 1 for the device that writes its tile (others hold copies) */
    const uint8_t *owner;
    /* output with alias >= 0: 1 = the program may write it where the input lies; 0 = the caller may
     * still pass the same memory, then the runtime writes the output elsewhere first */
    int32_t in_place;
    /* input: 1 = the caller gives its memory up: its contents may be lost even where no output
     * is an alias of it */
    int32_t is_donated;
} shardc_model_array;

/* One step of the device program, for profiles and for messages. */
typedef struct shardc_model_step {
    const char *name; /* the source ops that it holds: "dot_general+add+tanh" */
    const char *kind; /* "loop", "reduce", "contract", ..., or the collective: "all_reduce" */
    /* "model.mlir:12:10" of the op whose result it stores; then the model's own place if known */
    const char *location;
    int64_t bytes; /* read and written by one device, per execution of the step */
    int64_t flops; /* by one device, per execution of the step */
    /* result bytes on one device if the step is (or contains) a collective, else 0 */
    int64_t collective_bytes;
    int32_t is_collective;
    int32_t reserved;
} shardc_model_step;

/* A barrier of the device program: the devices of one group wait for each other. */
typedef struct shardc_model_barrier {
    /* [device_count] the group that each device belongs to: 0 .. group_count-1; NULL = each
     * device its own (its team) */
    const int32_t *group;
    int32_t group_count;
    int32_t reserved;
} shardc_model_barrier;

typedef struct shardc_model_instance shardc_model_instance;

/* An operand or result of a custom call, as one device has it: dense, row-major. */
typedef struct shardc_model_custom_array {
    const char *type; /* as shardc_model_array has it; "token": no memory */
    int64_t bytes;
    int32_t rank;
    int32_t reserved;
    const int64_t *dims; /* [rank] */
} shardc_model_custom_array;

/* A number in the dictionary backend_config of a custom call. */
typedef struct shardc_model_custom_attribute {
    const char *name;
    double number;
    int64_t integer; /* the same number, if it is one */
    int32_t is_integer;
    int32_t reserved;
} shardc_model_custom_attribute;

/* A call of a function that is not in the model (stablehlo.custom_call); its place in
 * custom_calls is its number. */
typedef struct shardc_model_custom_call {
    const char *name;     /* of the function: call_target_name */
    const char *location; /* "model.mlir:12:10" */
    const char *config;   /* backend_config where it is a text; else "" */
    int32_t operand_count, result_count, attribute_count, reserved;
    const shardc_model_custom_array *arrays;         /* [operand_count + result_count] */
    const shardc_model_custom_attribute *attributes; /* [attribute_count] */
    /* all attributes of the call as MLIR prints them: "{api_version = 4 : i32, ...,
     * backend_config = {...}}" */
    const char *dictionary;
} shardc_model_custom_call;

/* How an instance makes the model's custom calls: number `call`, for one device, with the addresses
 * of its operands, then its results. From worker threads. Returns 0, or another number with a
 * message in `error`: the execution fails. */
typedef int32_t shardc_model_custom(
    void *user, int64_t call, int64_t device, void *const *buffers, char *error,
    uint64_t error_size);

/* Options of create; zero means the default. struct_size lets it grow. */
typedef struct shardc_model_options {
    uint64_t struct_size;
    int32_t threads; /* 0 = one per core that this process may use (OMP_NUM_THREADS is respected) */
    int32_t profile; /* 1 = record events of every execution */
    /* devices that wait so long at a barrier that no device can complete, or for one custom
     * function, fail the execution; 0 = 60 s, < 0 = never */
    double watchdog_seconds;
    /* for models with custom calls; without it an execution that comes to one fails */
    shardc_model_custom *custom;
    void *custom_user; /* handed to `custom` */
} shardc_model_options;

/* One recorded event of a profile. */
typedef struct shardc_model_event {
    int32_t device, thread;   /* thread: 0 .. threads-1 */
    int32_t step;             /* index into steps */
    int32_t is_wait;          /* 1: waiting at the step's barrier, 0: running it */
    int64_t begin_ns, end_ns; /* since the execution began */
} shardc_model_event;

/* Totals over all executions of an instance. */
typedef struct shardc_model_counters {
    uint64_t struct_size;
    int64_t executions;
    /* result bytes of the executed collectives on device 0, last execution */
    int64_t collective_bytes;
    /* bytes that device 0 really read from other devices' memory, last execution */
    int64_t moved_bytes;
    /* that the last execution could use: fewer than asked for where the system gives no more */
    int32_t threads;
    int32_t lanes_per_device; /* threads that work for one device */
} shardc_model_counters;

struct shardc_rt_lane;

typedef struct shardc_model {
    uint32_t abi_version; /* SHARDC_MODEL_ABI */
    uint32_t struct_size; /* of this struct, as the model was compiled */
    const char *name;
    const char *producer;     /* "shardc 0.1.0" */
    const char *mesh;         /* as Shardy prints it; "" for one device */
    const char *cpu_features; /* what the code needs, as "avx2,fma,avx512f": checked by create */
    int32_t device_count, arg_count, result_count, step_count, barrier_count;
    int32_t first_device; /* per-shard files: the only device of this file; else 0 */
    /* devices whose code this model holds: device_count, or 1 for per-shard files; see join */
    int32_t shard_count;
    int32_t slot_count; /* see runtime/abi.h */
    const shardc_model_array *args, *results;
    const shardc_model_step *steps;
    const shardc_model_barrier *barriers;
    const void *constants; /* shared, read-only */
    int64_t constants_bytes;
    int64_t arena_bytes;   /* temporaries of one device */
    int64_t scratch_bytes; /* of one thread */
    /* The program of each device, resumable at its barriers: [device_count] (the same
     * function for all unless per-shard). */
    int32_t (*const *programs)(struct shardc_rt_lane *lane);
    /* The runtime's functions, so that no symbols are needed beyond shardc_model_entry.
     * Instances are independent of each other; one instance serves one execution at a time
     * (calls on it wait for each other). */
    int (*create)(
        const struct shardc_model *model, const shardc_model_options *options,
        shardc_model_instance **instance, char *error, uint64_t error_size);
    /* inputs[arg_count], outputs[result_count]: whole arrays, 64-byte alignment not needed;
     * outputs must not overlap inputs unless they are aliases of each other. Returns a
     * status; message by `message`. */
    int (*execute)(
        shardc_model_instance *instance, const void *const *inputs, void *const *outputs);
    void (*destroy)(shardc_model_instance *instance);
    const char *(*message)(const shardc_model_instance *instance);
    void (*counters)(const shardc_model_instance *instance, shardc_model_counters *counters);
    /* Events of the last execution, in any order; returns how many there are, writes at most
     * `capacity`. */
    int64_t (*events)(
        const shardc_model_instance *instance, shardc_model_event *events, int64_t capacity);
    /* Bytes that create takes: arenas of all devices, scratch of `threads` threads. */
    int64_t (*workspace_bytes)(const struct shardc_model *model, int32_t threads);
    const char *signature; /* JSON of the inputs and outputs with their layouts, for tools */
    uint64_t plan_id; /* of the program and its memory plan: files that are joined have the same */
    /* joined models: [device_count] each device's constants; else NULL */
    const void *const *shard_constants;
    /* Per-shard files as one model, whose devices communicate through shared memory:
     * shards[count] are the entries of the files of one compilation, in any order, each device
     * once and no gap. *joined: owned by the caller, free with `release` when its instances are
     * destroyed; it borrows the files, which stay loaded. Any file's `join` serves. Returns a
     * status; why not in `error`. */
    int (*join)(
        const struct shardc_model *const *shards, int32_t count, struct shardc_model **joined,
        char *error, uint64_t error_size);
    void (*release)(struct shardc_model *joined); /* NULL is fine */
    int32_t custom_count; /* functions that the caller's option `custom` must call */
    /* 1: every device has arrays of its own, its tiles, dense, in the order of `orders`:
     * `execute_tiles`; 0: whole arrays: `execute` */
    int32_t is_tiled;
    const shardc_model_custom_call *custom_calls;
    /* For tiled models. inputs[arg_count * device_count], outputs[result_count * device_count]: the
     * tile of array a on device d is number a * device_count + d. What lies beyond the array in a
     * tile is neither read nor written. Devices may be given the same memory for tiles that are
     * only read. An output's tile overlaps no other tile, but may be that of its alias where
     * `in_place` is 1; the caller answers for that. Returns a status; message by `message`. */
    int (*execute_tiles)(
        shardc_model_instance *instance, const void *const *inputs, void *const *outputs);
    /* [arg_count + result_count] of tiled models: the dimensions of a tile in memory, the slowest
     * first, as mhlo.layout_mode asks for; NULL, also in the list, is row-major. */
    const int64_t *const *orders;
    /* Models with a smaller struct_size end here: they have no constant arguments. */
    /* [arg_count] 1 = the arrays hold the same bytes in every execution of an instance, wherever
     * they lie, until `rebind`; NULL = no argument is constant */
    const uint8_t *constant_args;
    /* of arena_bytes: what is computed of constant arguments alone, once for all executions of an
     * instance */
    int64_t kept_bytes;
    /* The arrays of constant arguments hold other bytes from now on: the next execution computes
     * again what is kept. Waits for an execution that runs. Nothing without constant arguments.
     * Returns a status. */
    int (*rebind)(shardc_model_instance *instance);
    /* Partitions of the devices into classes: what the devices of a class would compute alike is
     * computed once, by all of their threads. leaders[share_count * device_count]: the first device
     * of each device's class. */
    int32_t share_count;
    int32_t reserved;
    const int32_t *leaders;
    const int32_t *result_shares; /* [result_count] the partition of a result made once; -1: none */
} shardc_model;

#ifdef __cplusplus
}
#endif
#endif
