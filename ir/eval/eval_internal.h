// The door of eval/ for the ops' functions (eval/ops): the tensors that are alive, the devices that
// run, and how an op gets at them.
//
// The program runs op by op. Most ops are "lane ops": their eval function is called once per lane
// (a lane is one device, or the single lane 0 of a global program) and sees that lane's operands.
// Control flow, calls, collectives and manual computations are "team ops": called once for all
// lanes that are here together (eval->lanes).
//
// Storage is counted, not freed: a buffer whose last user is gone goes to a free list
// of its size and is used again.
#ifndef SHARDC_IR_EVAL_INTERNAL_H
#define SHARDC_IR_EVAL_INTERNAL_H

#include "base/map.h"
#include "ir/eval/eval.h"
#include "ir/scalar/scalar.h"

enum { EVAL_MAX_DEPTH = 256, EVAL_MAX_LANES = 4096, EVAL_SIZE_CLASSES = 256 };

// Bytes of one or more tensors.
typedef struct Buffer {
    struct Buffer *next; // in a free list
    void *data;
    size_t bytes; // capacity
    int size_class;
    int64_t refs;
} Buffer;

// A tensor of the evaluator: what eval.h shows, and its count of users.
typedef struct Cell {
    Tensor tensor;     // first: Tensor * and Cell * are the same address
    Buffer *buffer;    // NULL: borrowed bytes, tuples, tokens
    struct Cell *next; // in the free list
    int64_t refs;
} Cell;

// What a value is on each lane; NULL where it is not computed.
typedef struct Slot {
    Tensor **lanes;
    int capacity;
} Slot;

// The lanes that run an op together: device ids.
typedef struct Lanes {
    const int *ids; // borrowed
    int count;
} Lanes;

// The functions that are being called: recursion is refused.
typedef struct CallFrame {
    const Op *func;
    const struct CallFrame *parent;
} CallFrame;

typedef struct Body Body;
typedef struct EvalChannels EvalChannels; // eval_channels.c

typedef struct Eval Eval;
typedef bool EvalFn(Eval *eval, const Op *op);
#define IR(infer, eval, scalar, convert)                                                       EvalFn eval_##eval;
#define OP(name, dialect, text, traits, operands, results, regions, attributes, form, ir, ...) ir
#include "ir/dialects/ops.def"
#undef IR

struct Eval {
    EvalFn *const *functions;        // of each op, by its code
    bool (*is_team_op)(OpCode code); // called once for all lanes?
    Arena *arena;                    // borrowed; all that follows lives there
    const Module *module;            // borrowed
    Diags *diags;                    // borrowed
    EvalChecks *checks;              // borrowed; may be NULL
    int64_t max_steps, steps;
    size_t max_bytes, live_bytes;
    void (*print)(void *user, const Tensor *value); // NULL = nothing
    void *print_user;
    int depth;       // of regions
    Lanes lanes;     // that run now
    int lane;        // the one that a lane op works for
    bool on_devices; // lanes are devices (not the one lane of a global program)
    int64_t replica_count, partition_count; // lane = replica * partition_count + partition
    const CallFrame *calls;
    PtrMap slots;     // Value * -> Slot *
    PtrMap deaths;    // Op * -> the values of its region that nobody needs after it
    PtrMap regions;   // Region * whose deaths are known
    PtrMap bodies;    // Region * -> Body *
    PtrMap callees;   // Op * -> func Op *
    PtrMap legalized; // Op * -> func Op * that does what the shorthand does
    StrMap probes;    // probe_id -> ProbedValues *
    Buffer *free_buffers[EVAL_SIZE_CLASSES];
    Cell *free_cells;
    Buffer **scratch; // a stack of buffers that go back when the op is done
    int scratch_count, scratch_capacity;
    Tensor **infeed; // infeed queue: the results of the queue functions, in order
    int infeed_count, infeed_next;
    EvalChannels *channels; // messages between processes; NULL: none yet
};

#include <assert.h>

// --- eval_tensor.c: storage ---

// A new tensor with one user (the caller) and undefined elements; NULL after a diagnostic at op's
// place (over the limit, or a type without a size).
Tensor *eval_tensor(Eval *eval, const Op *op, const Type *type);
// of result i's type, or an op with a dynamic result: a diagnostic
Tensor *eval_result_tensor(Eval *eval, const Op *op, int i);
// A tensor of another type on the same bytes. One user.
Tensor *eval_view(Eval *eval, const Type *type, Tensor *of);
Tensor *eval_import(Eval *eval, const Tensor *borrowed); // one user; the bytes stay borrowed
// Takes one use of each part; NULL after a diagnostic.
Tensor *eval_tuple_tensor(
    Eval *eval, const Op *op, const Type *type, int count, Tensor *const *parts);
Tensor *eval_retain(Tensor *tensor);
void eval_release(Eval *eval, Tensor *tensor); // NULL is fine
// A plain copy for the caller of the evaluator, in the arena.
Tensor *eval_export(Arena *arena, const Tensor *tensor);
// Memory until the op is done; undefined bytes; NULL after a diagnostic.
void *eval_scratch(Eval *eval, const Op *op, int64_t count, size_t size);
int eval_scratch_mark(const Eval *eval);
void eval_scratch_release(Eval *eval, int mark);

// --- eval_errors.c ---

// "'name' op ..." diagnostics; both return false.
bool eval_fail(Eval *eval, const Op *op, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool eval_unsupported(Eval *eval, const Op *op, const char *what);

// --- eval_values.c ---

// borrowed; NULL when not computed
Tensor *eval_get(const Eval *eval, const Value *value, int lane);
void eval_set(Eval *eval, const Value *value, int lane, Tensor *tensor); // taken; replaces
Tensor *eval_operand(const Eval *eval, const Op *op, int i);             // on eval->lane
void eval_set_result(Eval *eval, const Op *op, int i, Tensor *tensor);   // on eval->lane; taken
// Finds, for every value of the region, the op after which no other op uses it.
void eval_find_last_uses(Eval *eval, const Region *region);
void eval_drop_dead(Eval *eval, const Op *op); // the values whose last user is op, on eval->lanes
void eval_drop_region(Eval *eval, const Region *region, Lanes lanes); // all values of the region
// The static type of result i: as written, or with the dims of `like` when it is dynamic.
const Type *eval_result_type(Eval *eval, const Op *op, int i, const Type *like);
bool eval_has_quantized(const Op *op); // an operand or result is quantised

// --- eval_region.c ---

bool eval_run_op(Eval *eval, const Op *op); // on eval->lanes
bool eval_plain(Eval *eval, const Op *op);  // the op's function, on eval->lane
// Runs a region on `lanes`. args: [lane][argument], taken. results: [lane][operand of the
// terminator], owned by the caller.
bool eval_region(
    Eval *eval, const Region *region, Lanes lanes, Tensor *const *args, Tensor **results);
const Op *eval_callee(Eval *eval, const Op *op, StrView name); // NULL after a diagnostic
// Calls a function on the lanes; arguments and results as eval_region.
bool eval_call_function(
    Eval *eval, const Op *op, const Op *func, Lanes lanes, Tensor *const *args, Tensor **results);

// --- attributes and indices ---

// An integer list attribute into `out`; `otherwise` where it is absent.
void eval_ints(const Op *op, AttrName name, int count, int64_t otherwise, int64_t *out);
// Strides in elements of a row-major array.
void row_major_strides(int rank, const int64_t *dims, int64_t *strides);
// The next index in row-major order; false after the last.
static inline bool next_index(int rank, const int64_t *dims, int64_t *index) {
    assert(rank >= 0 && rank <= MAX_RANK);
    for (int d = rank - 1; d >= 0; d--) {
        if (++index[d] < dims[d]) return true;
        index[d] = 0;
    }
    return false;
}
int64_t tensor_int(const Tensor *tensor, int64_t i);   // element i of an integer or bool tensor
double tensor_double(const Tensor *tensor, int64_t i); // element i of a real tensor
static inline int64_t tensor_count(const Tensor *tensor) {
    return type_element_count(tensor->type);
}
// Copies elements between strided arrays: out and in start at the first
// element; dims, strides in elements.
void copy_strided(
    int rank, const int64_t *dims, size_t element_size, char *out, const int64_t *out_strides,
    const char *in, const int64_t *in_strides);

// --- eval_body.c: the small regions of reduce, sort, scatter ... ---

// A region that is run on many scalars at once: it takes scalars of these types and returns
// scalars of those. Kept per region. NULL after a diagnostic (a body that computes in wider types
// than it is given is not supported).
Body *eval_body(
    Eval *eval, const Op *op, const Region *region, int arg_count, const ElementType *args,
    int result_count, const ElementType *results);
// args[i]: count elements of the region's argument i; results[i]: room for the
// terminator's operand i (may be args).
bool eval_body_run(
    Eval *eval, Body *body, const Op *op, int64_t count, const void *const *args,
    void *const *results);

// --- shared by families ---

// [count] elements to double or int64_t and back, see scalar.h. Sums of floats are
// made in double and rounded once.
bool eval_is_float_sum(const Region *region, ElementType element);
// The permutation applied to the bytes of `in`; result in scratch.
bool eval_transposed(
    Eval *eval, const Op *op, const Tensor *in, const int *permutation, char **out);
// A tensor of this type with the elements of a dense constant.
Tensor *eval_attr_tensor(Eval *eval, const Op *op, const Attr *elements, const Type *type);
// Rank-0 tensor of an element.
Tensor *eval_scalar_tensor(Eval *eval, const Op *op, ElementType element, const void *data);
// The values of a shape operand (1-D integers) as dims of a tensor type.
const Type *eval_shape_type(Eval *eval, const Op *op, const Type *like, const Tensor *shape);
bool eval_quantized(Eval *eval, const Op *op); // dequantise, compute, quantise

#endif
