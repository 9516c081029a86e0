// Types: element types, tensors, tuples, tokens, functions. Interned in a
// Context: equal types are one pointer.
#ifndef SHARDC_IR_TYPE_H
#define SHARDC_IR_TYPE_H

#include "base/float_formats.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Context Context;

typedef enum ElementType {
#define TYPE(name, text, class, bits, storage_bytes) ELEMENT_##name,
#include "ir/types.def"
    ELEMENT_COUNT
} ElementType;

typedef enum ElementClass {
    CLASS_BOOL,
    CLASS_SINT,
    CLASS_UINT,
    CLASS_FLOAT,
    CLASS_COMPLEX
} ElementClass;

// Ranks have a fixed limit, so that shapes live in fixed arrays. A program with a larger
// rank is refused by the reader.
enum { MAX_RANK = 32 };
// A dimension whose size is not known before run time ("?").
#define DIM_DYNAMIC INT64_MIN

typedef enum TypeKind {
    TYPE_TENSOR,
    TYPE_TUPLE,    // parts
    TYPE_TOKEN,    // !stablehlo.token
    TYPE_FUTURE,   // !stablehlo.future<...>: parts
    TYPE_FUNCTION, // parts: the first input_count are inputs, the others results
    TYPE_NONE,
    TYPE_ELEMENT, // a bare element type: i64, f32 (attribute types)
    TYPE_OPAQUE   // text kept as written (unregistered dialects)
} TypeKind;

// Uniform quantisation of a tensor's elements; the tensor's `element` is then the storage type.
typedef struct QuantParams {
    ElementType expressed; // f32, bf16 ...
    int64_t storage_min, storage_max;
    int axis;  // quantised dimension; -1 = per tensor
    int count; // of scales and zero_points: 1, or the size of `axis`
    const double *scales;
    const int64_t *zero_points;
} QuantParams;

typedef struct Type {
    TypeKind kind;
    ElementType element; // TYPE_TENSOR, TYPE_ELEMENT
    int rank;
    int64_t dims[MAX_RANK]; // DIM_DYNAMIC when unknown
    // #stablehlo.bounds: bounds[] holds upper limits of dynamic dims (DIM_DYNAMIC = none)
    bool is_bounded;
    int64_t bounds[MAX_RANK];
    const QuantParams *quant;    // NULL = not quantised
    bool unranked;               // tensor<*xf32>
    int part_count, input_count; // TYPE_TUPLE, TYPE_FUTURE, TYPE_FUNCTION
    const struct Type *const *parts;
    StrView encoding; // text of an encoding that we do not know, or of TYPE_OPAQUE
} Type;

// Properties of an element type.
ElementClass element_class(ElementType element);
int element_bits(ElementType element);
size_t element_bytes(ElementType element);                    // storage of one element
StrView element_text(ElementType element);                    // "f32"
bool element_from_text(StrView text, ElementType *element);   // "complex<f32>" included
const FloatFormat *element_float_format(ElementType element); // NULL unless CLASS_FLOAT
bool element_is_float(ElementType element);
bool element_is_integer(ElementType element);       // signed or unsigned, not i1
ElementType element_real_part(ElementType element); // C64 -> F32, C128 -> F64, others themselves

// Interned types.
const Type *type_tensor(Context *context, ElementType element, int rank, const int64_t *dims);
const Type *type_scalar(Context *context, ElementType element);
const Type *type_token(Context *context);
const Type *type_none(Context *context);
const Type *type_element(Context *context, ElementType element);
const Type *type_tuple(Context *context, int count, const Type *const *parts);
const Type *type_function(
    Context *context, int input_count, const Type *const *inputs, int result_count,
    const Type *const *results);
const Type *type_intern(Context *context, const Type *prototype); // any fields set by hand
// The same shape with another element type; the same element type with another shape.
const Type *type_with_element(Context *context, const Type *tensor, ElementType element);
const Type *type_with_dims(Context *context, const Type *tensor, int rank, const int64_t *dims);

// Buffers, memref<...>: TYPE_OPAQUE, whose text says what is here.
typedef struct MemRef {
    ElementType element;
    int rank;
    int64_t dims[MAX_RANK];            // DIM_DYNAMIC when unknown
    bool is_strided;                   // else elements lie row by row, from the first one on
    int64_t strides[MAX_RANK], offset; // of is_strided, in elements; DIM_DYNAMIC when unknown
} MemRef;
bool type_is_memref(const Type *type);
// False for other types, and for layouts and memory spaces that are not understood.
bool memref_of(const Type *type, MemRef *memref);
const Type *type_memref(Context *context, const MemRef *memref);
const Type *type_buffer_of(Context *context, const Type *tensor); // of its shape, row by row
// The tensor with the shape of a ranked tensor or a buffer; NULL for other types.
const Type *type_shaped(Context *context, const Type *type);
// Where elements lie; DIM_DYNAMIC where that is not known.
void memref_strides(const MemRef *memref, int64_t *strides, int64_t *offset);
bool memref_is_dense(const MemRef *memref); // of known shape, row by row, without gaps
// A view of a buffer, of as many dimensions.
const Type *type_subview(
    Context *context, const MemRef *memref, const int64_t *offsets, const int64_t *sizes,
    const int64_t *strides);
// DIM_DYNAMIC where an operand is that, or where the result does not fit.
int64_t extent_times(int64_t a, int64_t b);
int64_t extent_plus(int64_t a, int64_t b);

bool type_is_static(const Type *type); // a ranked tensor without dynamic dims
// of a static tensor; the reader has checked that it fits
int64_t type_element_count(const Type *type);
size_t type_bytes(const Type *type); // storage of a static tensor
bool type_same_shape(const Type *a, const Type *b);
// Are the dimensions of more than one element the same, in the same order?
bool type_same_but_ones(const Type *a, const Type *b);
bool dims_same_but_ones(int rank, const int64_t *dims, int other_rank, const int64_t *other);
void type_print(StrBuf *out, const Type *type);

#endif
