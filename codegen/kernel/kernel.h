// Kernels: which values are stored, and which ops each stored value's kernel computes on the way.
//
// Outputs are always computed, never loaded: where an output's expression uses another output of
// the same kernel (at the same index), it is computed once for both. KERNEL_UPDATE and
// KERNEL_SCATTER work in place: before they run, outputs[i] already holds operand i of the op, so
// operand i is no input; they read and write outputs[i]. All other kernels find their outputs'
// memory undefined. The copy of a value (loop carries, results) is a stablehlo.reshape to the same
// shape, stored by a KERNEL_LOOP.
//
// A value of the device program is either *stored* (it has a Buffer) or *fused* (recomputed at
// every element of the kernels that use it, as an index map and a scalar expression:
// codegen/emit/emit.h). One kernel stores one or several values.
#ifndef SHARDC_CODEGEN_KERNEL_H
#define SHARDC_CODEGEN_KERNEL_H

#include "base/map.h"
#include "base/vec.h"
#include "ir/device_program.h"

// Of a dot_general: the right operand is [panels, k / group, columns, group], with so many columns
// of a panel. Of a transpose: it makes such an operand, and is stored. See passes/share_panels.c.
#define PANEL_COLUMNS "shardc.panel_columns"

// Of @main: the numbers of the arguments that the caller declares constant (constant_arguments.c).
#define CONSTANT_ARGUMENTS "shardc.constant_arguments"
// Of an op that such arguments alone decide: its result may be kept from one execution to the next
// (buffers/keep_values.c).
#define KEPT               "shardc.kept"

// Of a sort: so many elements of each row, and what remains at its end, are sorted already
// (passes/split/split_sorts.c).
#define SORTED_RUNS "shardc.sorted_runs"

// Of a dynamic_slice in a loop's body, of what lies outside of it: where it begins follows from the
// number of the step, so it begins there on all devices that meet in the loop.
#define SLICE_OF_STEP "shardc.slice_of_step"

typedef enum BufferKind {
    BUFFER_ARENA,    // device's arena
    BUFFER_CONSTANT, // shared, read-only
    BUFFER_ARGUMENT, // tile of the caller's array
    BUFFER_RESULT,   // tile of the caller's array
    BUFFER_LOCAL     // of a KERNEL_BLOCKS: a lane holds one block of its rows, in its scratch
} BufferKind;

// Where a stored value lives. Several values may share one buffer (in-place updates, loop
// carries). A static slice of a stored value is a buffer inside another one: kernels that differ
// in what they slice are then one kernel.
typedef struct Buffer Buffer;
struct Buffer {
    int number; // in the plan
    BufferKind kind;
    int index; // argument or result number
    ElementType element;
    int rank;
    int64_t dims[MAX_RANK];
    // elements; row-major and dense for arena and constants, the whole array's for tiles
    int64_t strides[MAX_RANK];
    size_t bytes;         // of an arena or constant buffer
    const void *constant; // BUFFER_CONSTANT: the bytes
    int64_t slot, offset; // set by the buffer plan: see runtime/abi.h
    bool is_dense;        // strides are row-major without gaps
    // argument and result buffers: 1 + number of the buffer that the caller may place in the
    // same memory (donation); 0 = none
    int may_alias;
    // argument and result tiles that reach beyond the array: elements that are there,
    // [device_count][rank]; NULL = all. Only KERNEL_TILE_IN and KERNEL_TILE_OUT touch such buffers.
    const int64_t *extents;
    // part of this buffer, as the op `part` says: a slice, or a dynamic_update_slice that would
    // store it there; NULL = memory of its own
    Buffer *base;
    const Op *part;
    bool is_kept; // written before and read in all executions that follow: nothing else lies there
    // not 0: the devices of a class (a row of Plan.barriers) have one memory, that of the first of
    // them: buffers/make_once.c
    int once_for;
};

typedef enum KernelKind {
    KERNEL_LOOP, // out[index] = expression
    // out[index] = fold over a reduced space (any body, several results); also sums over devices
    KERNEL_REDUCE,
    KERNEL_CONTRACT,  // dot_general
    KERNEL_ATTENTION, // dot_general of a softmax of another one's result, which is not stored
    KERNEL_CONV,      // convolution
    KERNEL_WINDOW,    // reduce_window, cumulative forms
    KERNEL_SELECT_SCATTER,
    KERNEL_SCATTER,
    KERNEL_UPDATE, // dynamic_update_slice in place: writes the slice only
    KERNEL_SORT,   // sort, top_k
    KERNEL_FFT,
    KERNEL_CHOLESKY,
    KERNEL_SOLVE,   // triangular_solve
    KERNEL_RANDOM,  // rng_bit_generator, rng
    KERNEL_CUSTOM,  // custom_call
    KERNEL_TILE_IN, // output = zero-padded copy of an argument's tile that reaches beyond the array
    KERNEL_TILE_OUT, // the part of a tile that lies inside the array, into the result
    KERNEL_BLOCKS    // other kernels, one block of rows after the other: plan/blocks/row_blocks.h
} KernelKind;

// Of a kernel that runs as a part of a KERNEL_BLOCKS: chunk number n of its grid is the n-th block
// of rows, and its scratch stays as it is from one block to the next.
typedef struct RowBlock {
    int64_t rows;   // of a block; 0 = the kernel is no part
    int64_t count;  // blocks of an outer place: the part gets them in order
    bool is_depth;  // KERNEL_CONTRACT: the rows are contracted, the last block makes the result
    bool is_turned; // KERNEL_CONTRACT: the operands are exchanged
    // KERNEL_CONTRACT: it multiplies rows that other parts make, of which a mask may have left
    // little: what is zero in whole pieces is not multiplied
    bool skips_zeros;
} RowBlock;

// A stored value that the kernel reads (inputs) or writes (outputs), in the order of its
// RtOperand array: outputs first.
typedef struct KernelOperand {
    const Value *value;
    Buffer *buffer;
    bool is_remote; // (also) read from other devices' memory, or written there
    // inputs: 1 + the output in whose memory it lies (in place); such an input is read at
    // the very element that is written and nowhere else, but may not be declared free of
    // aliasing with that output. 0 = none
    int shares;
    bool same_index; // inputs: read at the index of the element that is written and nowhere else
    // with is_remote: index into Plan.barriers of the devices that read or write each other's
    // memory
    int groups;
    // the same for what is made once for several devices: who else reads or writes the memory, as
    // one device's memory; 0 = nobody. See operand_groups.
    int once_for;
    // outputs: NULL = value. Else the elements are those of this value, the operand of an
    // all_to_all whose result is `value`: each is stored in the memory of the device where
    // it belongs, which is_remote says
    const Value *made;
    // outputs of a kernel with rows: by dimension, the row's axis; -1 = of the row's elements
    signed char row_axis[MAX_RANK];
} KernelOperand;

typedef struct Kernel {
    KernelKind kind;
    int number;
    const Op *scores; // KERNEL_ATTENTION: the product whose result is not stored
    const Op *root; // the op whose results it computes; for KERNEL_LOOP the op of the first output
    int also_count; // KERNEL_REDUCE: reductions of the same elements, in the same loops
    const Op **also;
    int output_count;
    // [output_count]: values (results of root, or of ops after it: the epilogue's result)
    KernelOperand *outputs;
    int input_count;
    KernelOperand *inputs; // stored values that the expressions end in
    // The fused epilogue: outputs[0] may be a value computed elementwise from the root's result
    // (KERNEL_CONTRACT, KERNEL_CONV, KERNEL_REDUCE): then its expression ends in the root's result
    // at the same number of elements.
    bool has_epilogue;
    // All outputs are made row by row: a row is a place of these axes, and folds over its elements
    // are needed for other elements of the same row.
    bool has_rows;
    // The rows are columns: neighbouring ones lie side by side, and are made together.
    bool by_columns;
    int row_rank;
    int64_t row_dims[MAX_RANK];
    // not NULL: some input is read remotely: the collective op's result, for messages
    const Value *remote_of;
    int64_t grid;          // number of chunks; 0 until the lowering function set it
    // not 0: index into Plan.barriers of classes of devices that would store the same. All lanes of
    // a class run parts of the grid, as its first device: buffers/make_once.c
    int once_for;
    int64_t scratch_bytes; // per worker thread
    const char *name;      // of the source ops: "dot_general+add+tanh"
    const Loc *loc;
    int64_t bytes, flops;                  // per device and execution, estimated
    int64_t collective_bytes, moved_bytes; // see runtime/abi.h
    int custom_call;                       // KERNEL_CUSTOM: number of the call, see CodegenResult
    int function; // index of the distinct kernel function (structurally equal kernels share one)
    const char *symbol; // its name
    RowBlock block;
    const struct RowBlocks *blocks; // KERNEL_BLOCKS
    bool is_part;        // its function is that of the loop that it is in, see Step.is_whole
    struct Stage *stage; // what it computes, as data: plan/stage.h
} Kernel;

// The device program as steps.
typedef struct Step Step;
typedef struct StepList {
    VEC(Step *) steps;
} StepList;

typedef enum StepKind {
    STEP_KERNEL,  // kernel
    STEP_BARRIER, // barrier
    STEP_WHILE,   // condition; test; body
    // test (i1 or i32 buffer); branches: case semantics (out of range = last); if: branch 0 is
    // "true"
    STEP_BRANCH
} StepKind;

struct Step {
    StepKind kind;
    Kernel *kernel;
    int barrier;       // index into Plan.barriers; 0 = the device's own team
    Buffer *test;      // scalar that decides
    bool test_is_bool; // STEP_BRANCH of stablehlo.if: true selects branch 0
    int branch_count;
    StepList **bodies; // STEP_WHILE: [0] condition, [1] body; STEP_BRANCH: [branch_count]
    const Op *op;      // for messages
    int number;        // unique: index into the model's step table
    // of the first steps of @main: done once for many executions (buffers/keep_values.c)
    bool is_kept;
    // STEP_WHILE, STEP_BRANCH: one lane alone runs all that is in it, without barriers
    bool is_single;
    // STEP_WHILE, is_single: it is one function, `function` as in Kernel, with all of its kernels
    bool is_whole;
    int function;
};

// A group set over which devices wait for each other; equal ones share an index.
typedef struct BarrierGroups {
    int32_t *group; // [device_count]; NULL = own team
    int32_t group_count;
    int32_t *first; // [group_count] the lowest device of each
} BarrierGroups;

typedef struct Plan {
    Arena *arena;
    DeviceProgram *program;
    const struct Target *target;
    bool streams_attention; // KERNEL_ATTENTION is allowed
    PtrMap buffers;         // const Value* -> Buffer*: stored values
    VEC(Buffer *) all_buffers;
    VEC(Kernel *) kernels;
    VEC(BarrierGroups) barriers; // [0] is the team
    VEC(int) once;               // rows of it: Kernel.once_for, in the order of their slots
    StepList *steps;             // of @main
    bool is_placed;              // buffers have their offsets
    size_t arena_bytes, constants_bytes, scratch_bytes;
    size_t kept_bytes;     // of the arena: what is kept between executions
    int64_t alive_bytes;   // the most bytes of the arena that are in use at one time
    const char *constants; // [constants_bytes]
    Diags *diags;
} Plan;

// Phases, in order; each false with a diagnostic. One file each (fuse_values.c,
// plan/schedule.c, collective_plan.c, buffer_plan.c). fuse_values.c: which values are stored;
// kernels; steps in program order
bool plan_kernels(Plan *plan);
void plan_schedule(Plan *plan);    // the loops of every kernel's stage
bool plan_collectives(Plan *plan); // barriers
bool plan_buffers(Plan *plan);     // offsets, in-place, loop carries

// How many lists of steps it holds: condition and body of a loop, branches, or none.
static inline int step_body_count(const Step *step) {
    return step->kind == STEP_WHILE ? 2 : step->kind == STEP_BRANCH ? step->branch_count : 0;
}

// The value whose elements the kernel computes for the output.
static inline const Value *kernel_made(const KernelOperand *output) {
    return output->made ? output->made : output->value;
}

// The place in Plan.once of the classes, which are there: of their slot, and of a lane's RtShare.
int plan_share(const Plan *plan, int once_for);
// The operand number (index into the RtOperand array) of a stored value in a kernel; -1 = it is
// fused.
int kernel_operand(const Kernel *kernel, const Value *value);
// [arguments] Which arguments of @main are constant; NULL = none.
const bool *constant_arguments_of(Arena *arena, const Op *main);
// The buffer whose memory it is.
static inline const Buffer *buffer_memory(const Buffer *buffer) {
    while (buffer->base) {
        buffer = buffer->base;
    }
    return buffer;
}
// The same, or the donated argument whose memory the result may take.
const Buffer *buffer_donated_memory(const Plan *plan, const Buffer *buffer);
// Where it begins in its base is known when kernels run: where the dynamic_update_slice says.
static inline bool buffer_is_stacked(const Buffer *buffer) {
    return buffer->base && buffer->part->code == OP_DYNAMIC_UPDATE_SLICE;
}
// Are its dimensions of more than one element those of the slice? Else it is the slice as a run of
// elements, in another shape.
bool buffer_is_like_slice(const Buffer *buffer);
void buffer_place_part(Buffer *buffer); // strides, slot and offset of a part from its base
void buffer_print_name(StrBuf *out, const Buffer *buffer); // "arg0", "b3"
const char *kernel_kind_text(KernelKind kind);             // "loop", "contract" ...

#endif
