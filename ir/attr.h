// Attributes: immutable, interned in a Context (equal attributes are one pointer, but for large
// dense constants, whose bytes are kept once and not compared: use attr_equal).
#ifndef SHARDC_IR_ATTR_H
#define SHARDC_IR_ATTR_H

#include "ir/sharding/propagation_edges.h"
#include "ir/sharding/sharding.h"
#include "ir/type.h"

typedef enum AttrName {
#define ATTR_NAME(name, text, constraint) NAME_##name,
#include "ir/attr_names.def"
    ATTR_NAME_COUNT
} AttrName;

// Values of the keyword attributes: DIRECTION_EQ, PRECISION_HIGHEST, ...
#define ENUM(prefix, dialect, mnemonic) enum {
#define CASE(prefix, keyword)           prefix##_##keyword,
#define END(prefix) \
    prefix##_COUNT  \
    }               \
    ;
#include "ir/enums.def"

typedef enum EnumKind {
#define ENUM(prefix, dialect, mnemonic) ENUM_##prefix,
#define CASE(prefix, keyword)
#define END(prefix)
#include "ir/enums.def"
    ENUM_KIND_COUNT
} EnumKind;

StrView attr_name_text(AttrName name);
bool attr_name_from_text(StrView text, AttrName *name);
StrView enum_dialect(EnumKind kind); // "stablehlo"
bool enum_kind_from_text(StrView dialect, StrView mnemonic, EnumKind *kind);
StrView enum_mnemonic(EnumKind kind);           // "comparison_direction"
StrView enum_keyword(EnumKind kind, int value); // "EQ"; empty when out of range
bool enum_from_keyword(EnumKind kind, StrView keyword, int *value);

typedef enum AttrKind {
    ATTR_UNIT,
    ATTR_BOOL,            // integer: 0 or 1
    ATTR_INT,             // integer; type: an element type (i64, i32, i1 ...) or none
    ATTR_FLOAT,           // number; type
    ATTR_STRING,          // text (unescaped)
    ATTR_SYMBOL,          // text, without @ ; nested symbols keep their "::@"
    ATTR_TYPE,            // type
    ATTR_ARRAY,           // items
    ATTR_DICT,            // names + items, sorted by name
    ATTR_INTS,            // array<i64: 1, 2>: ints; type: the element type
    ATTR_ELEMENTS,        // dense<...> : tensor: type, data (row-major storage; splat: one element)
    ATTR_ENUM,            // enum_kind, integer
    ATTR_DOT_DIMS,        // #stablehlo.dot<...>
    ATTR_RAGGED_DOT_DIMS, // #chlo.ragged_dot<...>: dot
    ATTR_CONV_DIMS,       // #stablehlo.conv<...>
    ATTR_GATHER_DIMS,     // #stablehlo.gather<...>
    ATTR_SCATTER_DIMS,    // #stablehlo.scatter<...>
    ATTR_CHANNEL,         // #stablehlo.channel_handle<handle = 1, type = 0>: 2 ints
    ATTR_ALIAS,           // #stablehlo.output_operand_alias<...>
    ATTR_ACCURACY,        // #stablehlo.result_accuracy<...>
    ATTR_DOT_ALGORITHM,   // #stablehlo.dot_algorithm<...>
    ATTR_MESH,            // mesh
    ATTR_SHARDING,        // sharding
    ATTR_SHARDINGS,       // shardings: one per value
    ATTR_AXES,            // axes: {"x", "y"} (manual axes, all_reduce axes)
    ATTR_AXES_PER_DIM,    // axes_per_dim: [{"x"}, {}] (all_gather, all_slice, reduce_scatter)
    ATTR_ALL_TO_ALL,      // all_to_all: [{"x"}: 0->1, ...]
    ATTR_RULE,            // rule
    ATTR_EDGES,           // steps: #sdy.propagation_edges<...>
    ATTR_OPAQUE           // text as written: attributes of dialects that we do not know
} AttrKind;

// Small integer lists inside structured attributes.
typedef struct IntSpan {
    const int64_t *data;
    int count;
} IntSpan;

// The place of a number in a list; -1 = none.
static inline int ints_find(IntSpan ints, int64_t number) {
    for (int i = 0; i < ints.count; i++) {
        if (ints.data[i] == number) return i;
    }
    return -1;
}

static inline bool ints_contain(IntSpan ints, int64_t number) {
    return ints_find(ints, number) >= 0;
}

typedef struct DotDims {
    IntSpan lhs_batch, rhs_batch, lhs_contracting, rhs_contracting;
    IntSpan lhs_ragged, rhs_group; // ATTR_RAGGED_DOT_DIMS only
} DotDims;

typedef struct ConvDims {
    int64_t input_batch, input_feature;
    IntSpan input_spatial;
    int64_t kernel_input_feature, kernel_output_feature;
    IntSpan kernel_spatial;
    int64_t output_batch, output_feature;
    IntSpan output_spatial;
} ConvDims;

typedef struct GatherDims {
    IntSpan offset_dims, collapsed_slice_dims, operand_batching_dims, start_indices_batching_dims,
        start_index_map;
    int64_t index_vector_dim;
} GatherDims;

typedef struct ScatterDims {
    IntSpan update_window_dims, inserted_window_dims, input_batching_dims,
        scatter_indices_batching_dims, scatter_dims_to_operand_dims;
    int64_t index_vector_dim;
} ScatterDims;

typedef struct OperandAlias {
    IntSpan output_tuple_indices, operand_tuple_indices;
    int64_t operand_index;
} OperandAlias;

typedef struct DotAlgorithm {
    ElementType lhs_precision, rhs_precision, accumulation;
    bool lhs_is_tf32, rhs_is_tf32, accumulation_is_tf32; // then the element type above is F32
    int64_t lhs_components, rhs_components, primitive_operations;
    bool allow_imprecise_accumulation;
} DotAlgorithm;

typedef struct ResultAccuracy {
    int mode; // RESULT_ACCURACY_*
    double atol, rtol;
    int64_t ulps;
} ResultAccuracy;

typedef struct AllToAllParam {
    AxisSpan axes;
    int source_dim, target_dim;
} AllToAllParam;

// Look at the kind first: the members of the union are those of one kind, or of
// the few kinds named beside them.
typedef struct Attr Attr;
struct Attr {
    AttrKind kind;
    int count;        // of items, ints, shardings, axes, axes_per_dim, all_to_all, steps
    const Type *type; // see AttrKind; NULL when there is none
    union {
        struct { // ATTR_BOOL, ATTR_INT, ATTR_ENUM
            int64_t integer;
            EnumKind enum_kind;
        };
        double number; // ATTR_FLOAT
        StrView text;  // ATTR_STRING, ATTR_SYMBOL, ATTR_OPAQUE
        struct {       // ATTR_ARRAY, ATTR_DICT
            const Attr *const *items;
            const StrView *names; // ATTR_DICT: sorted
        };
        struct {
            // ATTR_INTS and ATTR_CHANNEL: this alone; ATTR_ELEMENTS: of integer constants too,
            // unless they are large and narrower; else NULL
            const int64_t *ints;
            const void *data; // 16-byte aligned
            size_t data_size; // bytes
            bool is_splat;    // data holds one element for all
        };
        const Sharding *const *shardings;
        const Sharding *sharding;
        const Mesh *mesh;
        const AxisRef *axes;
        const AxisSpan *axes_per_dim;
        const AllToAllParam *all_to_all;
        const ShardingRule *rule;
        const PropagationStep *steps;
        const DotDims *dot;
        const ConvDims *conv;
        const GatherDims *gather;
        const ScatterDims *scatter;
        const OperandAlias *alias;
        const ResultAccuracy *accuracy;
        const DotAlgorithm *dot_algorithm;
    };
};

// Interned attributes. What they are given is copied.
const Attr *attr_unit(Context *context);
const Attr *attr_bool(Context *context, bool value);
const Attr *attr_int(Context *context, int64_t value, ElementType element); // 1 : i64
const Attr *attr_float(Context *context, double value, ElementType element);
const Attr *attr_string(Context *context, StrView text);
const Attr *attr_symbol(Context *context, StrView text);
const Attr *attr_type(Context *context, const Type *type);
const Attr *attr_array(Context *context, int count, const Attr *const *items);
// sorts
const Attr *attr_dict(Context *context, int count, const StrView *names, const Attr *const *items);
const Attr *attr_ints(Context *context, int count, const int64_t *values); // array<i64: ...>
const Attr *attr_segments(Context *context, int first, int second); // array<i32: first, second>
const Attr *attr_bools(Context *context, int count, const int64_t *values); // array<i1: ...>
// Dense elements. `data`: row-major storage, one element if is_splat; copied. A non-splat whose
// elements are all equal stays as given.
const Attr *attr_elements(
    Context *context, const Type *tensor, bool is_splat, const void *data, size_t size);
// The same without a copy: `data` was allocated in the context's arena with ATTR_OWN_BYTES or more,
// and is the attribute's from now on.
enum { ATTR_OWN_BYTES = 1 << 20 };
// Constants with more bytes than this are not uniqued.
enum { ATTR_LARGE_BYTES = 4096 };
const Attr *attr_elements_of(
    Context *context, const Type *tensor, bool is_splat, const void *data, size_t size);
// dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
const Attr *attr_int_matrix(Context *context, int rows, int columns, const int64_t *values);
const Attr *attr_enum(Context *context, EnumKind kind, int value);
// any kind, fields set by hand; deep copy
const Attr *attr_intern(Context *context, const Attr *prototype);
const Attr *attr_sharding(Context *context, const Sharding *sharding);
const Attr *attr_shardings(Context *context, int count, const Sharding *const *shardings);
const Attr *attr_axes(Context *context, int count, const AxisRef *axes);
const Attr *attr_axes_per_dim(Context *context, int count, const AxisList *lists);

// What is wrong with the algorithm, as text in the arena; NULL when it is one of those that exist.
const char *dot_algorithm_problem(Arena *arena, const DotAlgorithm *algorithm);

bool attr_equal(const Attr *a, const Attr *b);
// equal attributes of one process have the same; NULL as well
uint64_t attr_hash(const Attr *attr, uint64_t seed);
const Attr *attr_dict_get(const Attr *dict, StrView name); // NULL when absent or dict is NULL
// A new dictionary with the entry replaced or added (value NULL: removed; an empty result is NULL).
const Attr *attr_dict_set(Context *context, const Attr *dict, StrView name, const Attr *value);
void attr_print(StrBuf *out, const Attr *attr); // MLIR's form, type suffix included: 1 : i64

// Elements of a dense constant.
// element i (row-major), whether splat or not: a pointer to its storage
const void *attr_element(const Attr *elements, int64_t i);
double attr_element_double(const Attr *elements, int64_t i); // float or integer elements
int64_t attr_element_int(const Attr *elements, int64_t i);   // integer or bool elements

#endif
