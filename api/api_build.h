// What the files of the op builder share: calls with their scratch memory, functions in progress, and requests for an op.
#ifndef SHARDC_API_BUILD_H
#define SHARDC_API_BUILD_H

#include "api/api_internal.h"
#include "base/vec.h"
#include "ir/builder.h"

// A region that has ended and waits for its op.
typedef struct PendingRegion {
    Region *region; // detached, without its terminator
    int count;
    Value **results;
    struct PendingRegion *next;
} PendingRegion;

// A region that is open: the function's body, or one inside it.
typedef struct Frame {
    Region *region;
    struct Frame *outer; // NULL for the body
    int depth;           // 0 for the body
    PendingRegion *pending, *last_pending;
    int pending_count;
} Frame;

struct shardc_func {
    shardc_module *module; // borrowed
    uint32_t number;       // of the context, from 1: the upper half of its values' numbers
    Op *op;                // in no region before it is finished
    Frame *frame;          // the innermost
    VEC(Value *) values;   // by the lower half of their numbers, minus 1
    bool finished, failed; // takes no more ops
};

// One call in progress.
typedef struct Call {
    shardc_module *module;
    shardc_func *func; // NULL for the calls on modules
    Arena *scratch;    // freed when the call ends
    Diags *diags;
} Call;
// False after an error, which is in call->diags.
typedef bool CallStep(Call *call, void *arguments);

// Runs the step under a guard against running out of memory.
shardc_status *call_module(shardc_module *module, CallStep *step, void *arguments);
shardc_status *call_func(shardc_func *func, CallStep *step, void *arguments);

bool build_error(Call *call, const char *format, ...)
    __attribute__((format(printf, 2, 3))); // always false
bool build_find_value(Call *call, shardc_value number, const char *what, int i, Value **value);
// NULL after an error. count: refused when negative, and when there are no numbers for it.
Value **build_find_values(Call *call, const char *what, int count, const shardc_value *numbers);
const Type **build_read_types(Call *call, int count, const char *const *texts);
const Type *build_read_type(Call *call, const char *text);
const Sharding *build_read_sharding(Call *call, const char *text);
shardc_value build_new_value(shardc_func *func, Value *value);
const Loc *build_loc(const shardc_module *module);

// An attribute that is a list of integers.
typedef struct IntList {
    const char *name; // NULL = none
    int count;
    const int64_t *values;
} IntList;

// An op that is asked for.
typedef struct Request {
    const char *name;
    int operand_count;
    const shardc_value *operands;
    const char *attributes; // text, or NULL
    IntList lists[4];       // further attributes
    bool is_dot;            // the lists are those of #stablehlo.dot
    const char *sharding;   // of the result, or NULL
    const char *body;       // the op of a reduction's body, or NULL
    int result_count;
    const char *const *result_types; // NULL = inferred, or from the following
    bool has_shape;                  // the result has operand 0's elements and these dims
    int rank;
    const int64_t *dims;
    shardc_dtype dtype; // the result has operand 0's dims and these elements; 0 = no
    shardc_value *results;
} Request;
CallStep build_request; // arguments: a Request

#endif
