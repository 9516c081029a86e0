/* Explanations: where every sharding came from, why every collective is there, and
 * which annotation would avoid it. */
#ifndef SHARDC_EXPLAIN_H
#define SHARDC_EXPLAIN_H

#include "shardc/module.h"
#include "shardc/options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How an axis came to a dimension of a value. */
typedef struct shardc_explain_link {
    /* as Shardy prints it: "x", or "x":(1)2 for a part of an axis; with the quotes */
    const char *axis;
    int32_t dim;    /* of the value */
    int32_t source; /* where the axis was: an index into values; -1: it is written here */
    int32_t source_dim;
    int32_t source_link; /* index into that value's links; -1: its beginning is not known */
    /* "written", "constraint", "group" (another member of the sharding group), "step" (of
     * propagation) */
    const char *how;
    const char *op; /* the op that it passed through, or that wrote it: "stablehlo.dot_general" */
    const char *location; /* of that op */
    /* of the op's sharding rule: "pass_through", "reduction", "need_replication", "permutation";
     * else "" */
    const char *factor;
    /* of a step, else 0 */
    int32_t step;          /* number, in order of time */
    int32_t user_priority; /* 0 is the highest */
    int32_t round;         /* of op priorities, 0 is the first */
    const char *strategy;  /* "basic", "aggressive"; else "" */
} shardc_explain_link;

typedef struct shardc_explain_value {
    /* as the program's text has it: "%12", "%4#1", "@f:%3" in a function that main calls;
     * "result 0" */
    const char *name;
    const char *op;       /* that makes it; "argument", "result" */
    const char *type;     /* "tensor<8x16xf32>" */
    const char *sharding; /* "<@mesh, [{\"x\"}, {}]>"; "" = on every device */
    const char *written;  /* what the program says, in the same form; "" = nothing */
    const char *location; /* "program.mlir:12:5 (model.py:3)" */
    int64_t tile_bytes;   /* on one device */
    int32_t rank;
    const int64_t *dims, *tile_dims;
    /* [device * rank + d]: number of the tile that the device holds; NULL for more than 1024
     * devices */
    const int32_t *tiles;
    int32_t link_count;
    const shardc_explain_link *links; /* one for every axis */
} shardc_explain_value;

/* One change of one annotation, tried: what the program costs with it. */
typedef struct shardc_explain_advice {
    /* "change the annotation of argument %arg1", "add a sharding constraint on %4" */
    const char *what;
    const char *location;   /* of the value */
    const char *before;     /* the annotation now; "" = none */
    const char *after;      /* "<@mesh, [{\"x\"}, {}]>" */
    const char *jax;        /* the same as JAX has it: "P('x', None)"; "" for parts of axes */
    int64_t bytes;          /* of all collectives at this op, with the change */
    int64_t total_bytes;    /* of all collectives on one device */
    int64_t argument_bytes; /* of all arguments on one device */
    int64_t work;           /* arithmetic operations of one device, roughly */
    const char *program;    /* the changed program, as MLIR text; NULL when not asked for */
} shardc_explain_advice;

typedef struct shardc_explain_collective {
    /* "all_gather", "all_reduce", "reduce_scatter", "all_to_all", "collective_permute", ... */
    const char *kind;
    int64_t bytes;        /* of its result on one device, once */
    int32_t group_size;   /* devices that take part together; 0 = pairs */
    int32_t loop_depth;   /* of loops around it */
    const char *op;       /* that needs it */
    const char *location; /* of that op */
    int32_t value;        /* that it moves: an index into values; -1 = none is known */
    /* the sharding that the value has and the one that is needed; "" = on every device */
    const char *from, *to;
    const char *cause; /* a sentence */
    int32_t reason_count;
    const char *const *reasons; /* sentences: which shardings competed, and how it was decided */
    /* of all collectives at this op (where a value crosses the border of a region: for this
     * value) */
    int64_t here_bytes;
    int32_t advice_count;
    const shardc_explain_advice *advice; /* best first */
    const char *no_advice; /* why there is none; "" when it was not looked for, or is there */
    /* collectives that the program does as one, this one included; 1 = it is alone */
    int32_t part_count;
    int64_t channel; /* 0 = none */
    /* of devices, "{{0,1},{2,3}}"; of a collective_permute the pairs of source and target */
    const char *groups;
    /* of the mesh that the groups lie along: "\"x\", \"y\"", "part of \"x\""; "" = none or not
     * known */
    const char *axes;
} shardc_explain_collective;

/* Where a value is resharded. */
typedef struct shardc_explain_reshard {
    int32_t value;            /* an index into values */
    const char *op;           /* that needs that sharding, or computes it */
    const char *location;     /* of that op */
    const char *from, *to;    /* "" = on every device */
    const char *cause;        /* a sentence */
    int32_t collective_count; /* that do it; 0 = no communication, each device has what it needs */
    int64_t bytes;            /* of their results on one device, each counted once */
} shardc_explain_reshard;

/* An array that is alive where most memory is. */
typedef struct shardc_explain_live {
    const char *name; /* of the value, as in the program's text */
    const char *type; /* "tensor<8x16xf32>" */
    int64_t bytes;
    const char *op;            /* that makes it; "argument" */
    const char *location;      /* of that op */
    const char *last_op;       /* the last that reads it */
    const char *last_location; /* of that op */
} shardc_explain_live;

/* The arrays of a program, each with memory of its own from the op that makes it to the last that
 * reads it; arguments as long as the program runs. Compiled programs need less: kernels keep the
 * intermediate values of fused ops in registers. */
typedef struct shardc_explain_memory {
    int64_t argument_bytes, result_bytes;
    int64_t peak_bytes;   /* of the arguments and all that is alive at `op` */
    const char *op;       /* where most is alive; "" for a program of no op */
    const char *location; /* of it */
    int32_t live_count;
    const shardc_explain_live *live; /* there: most bytes first */
} shardc_explain_memory;

typedef struct shardc_explain_mesh {
    const char *name; /* without @ */
    const char *axes; /* <["x"=2, "y"=4]> */
    int32_t axis_count;
    const char *const *axis_names;
    const int64_t *axis_sizes;
    const int64_t *devices; /* row-major over the axes */
} shardc_explain_mesh;

typedef struct shardc_explanation {
    const char *program; /* its name */
    int32_t device_count;
    int32_t mesh_count;
    const shardc_explain_mesh *meshes;
    int32_t value_count; /* arguments first, then in program order */
    const shardc_explain_value *values;
    int32_t collective_count; /* most bytes first */
    const shardc_explain_collective *collectives;
    int32_t free_reshards; /* reshards that cost no communication */
    int64_t total_bytes, argument_bytes, work;
    int32_t reshard_count; /* in the order in which they were found */
    const shardc_explain_reshard *reshards;
    /* the program before it was partitioned; one device's afterwards */
    shardc_explain_memory whole, device;
    void *memory; /* the library's */
} shardc_explanation;

/* Set struct_size (or call shardc_explain_options_init). */
typedef struct shardc_explain_options {
    size_t struct_size;
    /* advice is looked for from collective advise_first on (0 = the one with most bytes), for
     * advise_count of them (0 = none); every piece of advice is tried, which partitions the program
     * anew */
    int advise_first;
    int advise_count;
    int programs; /* 1: advice has the changed program */
} shardc_explain_options;

SHARDC_API void shardc_explain_options_init(shardc_explain_options *options);

/* Propagates and partitions a copy of the module and tells why. options: as for compiling
 * (entry, mesh, progress), may be NULL; explain may be NULL: advice for the five costliest
 * collectives. explanation: owned by the caller, free with shardc_explanation_free; it may
 * outlive the module and the context. Errors: as
 * shardc_compile. */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_explain(
    shardc_module *module, const shardc_options *options, const shardc_explain_options *explain,
    shardc_explanation **explanation);
SHARDC_API void shardc_explanation_free(shardc_explanation *owned); /* NULL is fine */

#ifdef __cplusplus
}
#endif
#endif
