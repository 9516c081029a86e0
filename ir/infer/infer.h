// What the infer functions offer the verifier, and share: messages, compatibility of types,
// checked reading of attributes.
//
// An infer function is called with the table's number of operands, results and regions; unless the
// op takes any type (tokens, tuples), its operands and results are ranked tensors. Everything else
// is the function's own to check.
#ifndef SHARDC_IR_INFER_H
#define SHARDC_IR_INFER_H

#include "base/map.h"
#include "ir/infer/unreduced_change.h"
#include "ir/module.h"

// Every entry of ops.def's infer column.
typedef struct Infer {
    const Module *module;
    Context *context;
    Diags *diags;
    const Type **types;    // out: result types; NULL entries = not inferred, keep what is written
    const StrMap *symbols; // the module's symbols by name; NULL = search the module
    bool results_unknown;  // the results' types are being asked for: what the op has means nothing
} Infer;
typedef bool InferFn(Infer *infer, const Op *op);

// One declaration for each name in ops.def's infer column.
#define IR(infer, eval, scalar, convert)                                                       InferFn infer_##infer;
#define OP(name, dialect, text, traits, operands, results, regions, attributes, form, ir, ...) ir
#include "ir/dialects/ops.def"
#undef IR

// 'stablehlo.add' op MESSAGE. infer_fail(infer, op, format, ...) is false.
void infer_report(Infer *infer, const Op *op, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#define infer_fail(...) (infer_report(__VA_ARGS__), false)

// Text for messages, in the diagnostics' arena.
const char *infer_type_text(Infer *infer, const Type *type);    // tensor<2xf32>
const char *infer_element_text(Infer *infer, const Type *type); // f32, !quant.uniform<...>
const char *infer_ints_text(Infer *infer, const int64_t *numbers, int64_t count); // 1, 0
const char *infer_types_text(Infer *infer, int count, const Type *const *types);  // 'A', 'B'
const char *infer_value_types_text(Infer *infer, int count, const Value *const *values);
const char *infer_axis_text(Infer *infer, const AxisRef *axis); // "x":(1)2

// Compatibility, where a dimension of unknown size fits any size.
static inline bool dim_is_dynamic(int64_t dim) { return dim < 0; }
static inline bool dims_fit(int64_t a, int64_t b) {
    return a == b || dim_is_dynamic(a) || dim_is_dynamic(b);
}
bool shapes_fit(const Type *a, const Type *b);   // tensors: rank and dimensions
bool elements_fit(const Type *a, const Type *b); // element types, quantisation's storage included
bool types_fit(const Type *a, const Type *b);    // whole types, tuples part by part

// What products and convolutions share: precision_config, and the quantisation of operands and
// result.
bool infer_check_precision(Infer *infer, const Op *op);
bool infer_check_dot_quant(Infer *infer, const Op *op, IntSpan rhs_contracting);

// A list of integers of this length; reports another one. Attributes are there and of their kinds
// when an infer function runs: the op's row says so, and verify_attrs.c checks it.
bool infer_ints_of(Infer *infer, const Op *op, AttrName name, int count, IntSpan *ints);
bool ints_are_unique(IntSpan ints, int64_t limit); // all in [0, limit), none twice

// Result types.
void infer_set(Infer *infer, int i, const Type *type);
// The result's type is given by its element type and dims. Bounds and
// quantisation are not inferred.
void infer_set_dims(Infer *infer, int i, ElementType element, int rank, const int64_t *dims);
// like's elements
const Type *infer_tensor_like(Infer *infer, const Type *like, int rank, const int64_t *dims);

// Shardy's ops that give what they take: the type of operand 0.
bool infer_same_operand_and_result(Infer *infer, const Op *op);

// The most specific of two dims that fit.
static inline int64_t merge_dims(int64_t a, int64_t b) { return dim_is_dynamic(a) ? b : a; }

// The checks that broadcast_in_dim and dynamic_broadcast_in_dim share: which dimension goes where.
bool infer_broadcast_dims(Infer *infer, const Op *op);
bool infer_broadcast_quant(Infer *infer, const Op *op); // and their quantisation

// Symbols of the module's body; NULL when there is none of this kind.
const Op *infer_find_func(Infer *infer, StrView name);
bool infer_has_symbol(Infer *infer, StrView name); // of any kind
const Mesh *infer_find_mesh(Infer *infer, StrView name);
const Mesh *infer_sharding_mesh(Infer *infer, const Sharding *sharding);

bool infer_check_mesh(Infer *infer, const Op *op, const Mesh *mesh); // sizes and device ids

// Checks a sharding of a value of this type: the mesh is declared, the rank fits, axes are known
// and used once, lists are sorted, and no manual computation around the op has bound one. type
// NULL: of an op without results. prefix: says which value, as "result - "; or "".
bool infer_check_sharding(
    Infer *infer, const Op *op, const char *prefix, const Sharding *sharding, const Type *type);
// the same, silently
bool infer_sharding_holds(Infer *infer, const Op *op, const Sharding *sharding, const Type *type);
// As many shardings as values (NULL entries: none), each right. what: "result",
// "operand" or the attribute's name.
bool infer_check_value_shardings(
    Infer *infer, const Op *op, const char *what, int sharding_count,
    const Sharding *const *shardings, int count, const Type *const *types);
// Lists of known axes of the mesh, none twice in all of them, no two neighbours
// of one list that could be one.
bool infer_check_axes(
    Infer *infer, const Op *op, const Mesh *mesh, int list_count, const AxisSpan *lists);
// what: "replicated axes are not ordered ..."
bool infer_check_axes_sorted(
    Infer *infer, const Op *op, const char *prefix, const Mesh *mesh, const char *what, int count,
    const AxisRef *axes);
// That no manual computation around the op has bound one of the axes.
bool infer_check_free_axes(
    Infer *infer, const Op *op, const char *prefix, int count, const AxisRef *axes);
// As verify_unreduced_transition of ir/verify/verify.h.
bool infer_check_unreduced(Infer *infer, const Op *op, const UnreducedChange *change);

// A region of `count` pairs (accumulator, input) that returns `count` accumulators, as in reduce.
// inputs, inits: the op's operand types. allowed: sizes of the dimensions that an input may have in
// the region, where it is usually a scalar. accumulators: out, the types of the values that the
// region returns; room for count.
bool infer_reducer(
    Infer *infer, const Op *op, const Region *region, int count, const Type *const *inputs,
    const Type *const *inits, IntSpan allowed, const Type **accumulators);

// A window over one dimension; size_out: how many windows there are.
typedef struct WindowDim {
    int64_t size, stride, low, high, base_dilation, window_dilation;
} WindowDim;

// Reads and checks the window attributes of reduce_window, select_and_scatter and
// convolution: size, strides, padding and dilations per dimension. base/window
// dilation names may be ATTR_NAME_COUNT.
bool infer_window(
    Infer *infer, const Op *op, IntSpan sizes, AttrName strides, AttrName base_dilations,
    AttrName window_dilations, WindowDim *dims);
bool infer_windowed_size(
    Infer *infer, const Op *op, int64_t input, const WindowDim *dim, int64_t *size_out);

#endif
