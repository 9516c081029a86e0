// Between the phases of fusion: which values are stored (fuse_values.c), the copies that carries
// and results need (copies.c), and the kernels that come out (kernel_build.c).
#ifndef SHARDC_CODEGEN_FUSE_H
#define SHARDC_CODEGEN_FUSE_H

#include "codegen/kernel/kernel.h"
#include "codegen/kernel/lower_class.h"

// A collective with this attribute is a part of another that was split: its bytes are not counted
// again.
#define UNCOUNTED   "shardc.uncounted"
// Of what passes/spread/spread_rows.c makes: a reduction of whole rows, where there was one over so
// many devices; it counts as that. The exchanges around it count as nothing.
#define SPREAD_OVER "shardc.spread_over"

// A copy that nobody reads: its memory is there, and no kernel writes it.
#define UNWRITTEN "shardc.unwritten"

// A part of an array that an update overwrites next: it is stored before, for what reads it later.
#define READ_BEFORE "shardc.read_before"

// Of an update in a loop's body: it alone reads the carried array that it changes, at a place that
// follows from the number of the step (stacks.c).
#define STACKS "shardc.stacks"

// Of @main: [results] the number of devices, where they may make the result together
// (spread_maps.c); 0 = each makes its own.
#define SPREAD_RESULTS "shardc.spread_results"

// Makes every value that must lie in a place of its own the result of an op of its own: see
// copies.c.
void insert_copies(DeviceProgram *program);
// The copy of a value: a reshape to the same shape, placed before `before`.
Value *make_copy(Module *module, Op *before, Value *value);
bool type_is_stored(const Type *type); // a tensor, not a token
// Does the tile of some device reach beyond the array?
bool layout_is_uneven(const GlobalLayout *layout, int64_t device_count);

// A kernel of attention in the making (find_attention.c): the product of the weights, and the
// product of the scores, which is computed block by block in it.
typedef struct Streamed {
    const Op *product, *scores;
    // NULL, or what the rows' sums make of the product: it is stored, and nothing between
    const Value *end;
    int64_t query_blocks;
} Streamed;

// Where a kernel reads a value: by dimension of the value the axis of the kernel's index space
// (FusionRoot.type) that its index is; -1 = anything else.
typedef struct DimMap {
    signed char axis[MAX_RANK];
} DimMap;

// A kernel in the making. Members are the stored values that one loop nest computes.
typedef struct FusionRoot FusionRoot;
struct FusionRoot {
    KernelKind kind;
    const Op *op; // KERNEL_LOOP: of the last member; else the op that the kernel is made for
    Region *region;
    int64_t position;           // of the last member's op in the program
    const Type *type;           // its index space
    VEC(const Op *) also;       // KERNEL_REDUCE: see join_reductions.c
    VEC(const Value *) members; // stored values, last first
    const Op *scores;           // KERNEL_ATTENTION: Streamed.scores
    VEC(DimMap) maps;           // of the members
    bool has_rows;              // its elements are made row by row: see rows.c
    uint32_t row_axes;          // of its index space, bits
    bool by_columns;            // the last of its index space is one of them
    bool moves_lanes;           // reads something along another dimension than its last
    int fused_ops;              // size of the expression
    bool has_epilogue;
    bool is_closed;           // no further member
    bool is_pure_copy;        // from memory to memory: no kernel takes it over
    bool sends;               // some member is stored in other devices' memory
    const FusionRoot *joined; // the kernel that makes its members instead; NULL = none
    // KERNEL_UPDATE: all that it would store, which another kernel stores there; NULL = none
    const Value *stacks;
};

// What fusion finds about a value, by Value.number.
typedef struct ValueInfo {
    bool is_stored;
    bool is_forced; // somebody needs it in memory
    bool is_free;   // costs nothing to compute: splat constants, iota, device ids and views of them
    bool is_view;   // an index map of a stored value
    bool is_stacked; // its memory is a part of the array that it is stacked in
    // its elements are stored in the memory of that value, on other devices: see send.c
    const Value *goes_to;
    bool is_remote_shape; // another form of what lies in memory, where other devices read it
    float work;           // to compute one element from stored values
    // it is computed block by block in this kernel, or is its product's result
    const Streamed *streamed;
    // of a stored value that a kernel computes; of a fused value that is a kernel's root op: that
    // kernel
    FusionRoot *root;
} ValueInfo;

typedef struct Fusion {
    Plan *plan;
    Module *module;
    ValueInfo *infos;   // [module->next_value_number]
    int64_t *positions; // [module->next_op_number] place of each op in the program, from 1
    VEC(FusionRoot *) roots;
} Fusion;

static inline ValueInfo *value_info(const Fusion *fusion, const Value *value) {
    return &fusion->infos[value->number];
}

// A product of panels, whose columns are two dimensions of it: a reshape follows.
static inline bool is_of_panels(const Value *value) {
    return value->def && value->def->code == OP_DOT_GENERAL && op_extra(value->def, PANEL_COLUMNS);
}

// Panels that devices pack for each other: they are read where they lie, however often.
static inline bool gathers_panels(const Op *op) {
    const Op *part = op->code == OP_ALL_GATHER ? op_operand(op, 0)->def : NULL;
    return part && op_extra(part, PANEL_COLUMNS);
}

// stacks.c. May slices and updates carry the marks STACKS and SLICE_OF_STEP?
bool is_slice_of_step(const Op *op);
void mark_stacks(DeviceProgram *program);
// What an update alone stores of a step of a loop, and its kernel may store there; NULL = nothing.
const Value *stacked_value(const Op *update);
void place_stacks(Fusion *fusion);
void find_attention(Fusion *fusion); // find_attention.c: marks the values of kernels of attention
// How often such a kernel evaluates an element of an operand of its products.
double attention_evaluations(const Streamed *streamed, const Op *op, int operand);
void fuse_values(Fusion *fusion);   // fuse_values.c: decides
bool build_kernels(Fusion *fusion); // kernel_build.c: buffers, kernels and steps from the decisions
// The value whose elements can go where the copy `value` would put them; NULL = none. Of a kernel's
// member: does it store it there?
const Value *sent_value(const Fusion *fusion, const Value *value); // send.c
bool root_can_send(const FusionRoot *root);
// spread_maps.c: who makes what of the results. A kernel with more stores than this stays as it is.
enum { SPREAD_MOST_STORES = 32 };
void spread_maps(Plan *plan);
void mark_spread_results(DeviceProgram *program);
// keep_values.c: what constant arguments alone decide comes first, and is kept
void keep_values(Plan *plan);
// make_once.c: which kernels are made once for devices that would store the same
void make_once(Plan *plan);
// share.c: removes copies whose source and destination can be one buffer
void share_buffers(Plan *plan);

// Index into plan->barriers of the groups of devices that a collective reads among.
int collective_groups(Plan *plan, const Op *op);
int64_t collective_group_size(const Op *op);
int barrier_groups_intern(Plan *plan, const int32_t *group); // [device_count], any numbering
int barrier_groups_join(Plan *plan, int a, int b);           // the finest that is coarser than both
bool barrier_groups_cover(const Plan *plan, int wide, int narrow);
// The devices that read or write the operand's memory together; 0 = each its own.
int operand_groups(Plan *plan, const KernelOperand *operand);

// Are rows gathered whose k's lie on several devices, to be multiplied with many columns? Stored,
// by one device for all that hold them alike, they are read where they lie, or packed in long runs.
bool cost_gathers_along_k(const Value *value);

#endif
