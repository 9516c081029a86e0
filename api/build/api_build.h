// build/: modules that are made op by op. What its files share: calls with their
// scratch memory (the door: calls on modules outside use them, too), functions in
// progress, and requests for an op.
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
    int registered_depth;  // registered ops that are being built, one in the other
};

// One call in progress.
typedef struct Call {
    const char *name; // of the public function
    shardc_module *module;
    shardc_func *func; // NULL for the calls on modules
    Arena *scratch;    // freed when the call ends
    Diags *diags;
} Call;
// False after an error, which is in call->diags.
typedef bool CallStep(Call *call, void *arguments);

// Runs the step under a guard against running out of memory. name: of the public
// function, which errors begin with.
shardc_status *call_module(
    const char *name, shardc_module *module, CallStep *step, void *arguments);
shardc_status *call_func(const char *name, shardc_func *func, CallStep *step, void *arguments);

// always false
bool build_error(Call *call, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool build_find_value(Call *call, shardc_value number, const char *what, int i, Value **value);
// False after an error: a text or list that is missing, a count that is negative. The names are
// those of the public parameters.
bool build_need(Call *call, const char *parameter, const void *pointer);
bool build_need_list(
    Call *call, const char *parameter, const char *count_name, int count, const void *list);
// NULL after an error. what: "operand", for the parameters operand_count and operands.
Value **build_find_values(Call *call, const char *what, int count, const shardc_value *numbers);
const Type **build_read_types(
    Call *call, const char *what, const char *count_name, int count, const char *const *texts);
const Type *build_read_type(Call *call, const char *what, const char *text);
const Sharding *build_read_sharding(Call *call, const char *text);
// Room for results that the caller has given, or NULL: all become 0.
void build_clear_values(int count, shardc_value *values);
shardc_value build_new_value(shardc_func *func, Value *value);
const Loc *build_loc(const shardc_module *module);

// An attribute that is a list of integers.
typedef struct IntList {
    const char *name;                   // NULL = none
    const char *parameter, *count_name; // of the public function
    int count;
    const int64_t *values;
} IntList;

// A requested op.
typedef struct Request {
    const char *name_parameter; // the public function's parameter that has the op's name
    const char *name;
    int operand_count;
    const shardc_value *operands;
    const char *attributes; // text, or NULL
    IntList lists[4];       // further attributes
    bool is_dot;            // the lists are those of #stablehlo.dot
    const char *sharding;   // of the result, or NULL
    bool is_reduce;         // with the following
    const char *body;       // the op of a reduction's body
    int result_count;
    const char *const *result_types; // NULL = inferred, or from the following
    bool has_shape;                  // the result has operand 0's elements and these dims
    int rank;
    const int64_t *dims;
    shardc_dtype dtype; // the result has operand 0's dims and these elements; 0 = no
    shardc_value *results;
} Request;
CallStep build_request; // arguments: a Request

// api_build_registered.c: the registered op of this name (it may be NULL), or NULL; its use in a
// function.
const RegisteredOp *registered_op(const shardc_func *func, const char *name);
shardc_status *build_registered(
    const RegisteredOp *op, shardc_func *func, int operand_count, const shardc_value *operands,
    const char *attributes, int result_count, const char *const *result_types,
    shardc_value *results);

#endif
