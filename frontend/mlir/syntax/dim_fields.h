// The fields of the structured attributes (#stablehlo.dot<...>, gather, scatter, conv), by the
// names that the text form and the portable artifact share.
#ifndef SHARDC_FRONTEND_DIM_FIELDS_H
#define SHARDC_FRONTEND_DIM_FIELDS_H

#include "ir/attr.h"

typedef struct DimField {
    const char *name;
    size_t offset; // in DotDims, GatherDims ...
    bool is_list;  // an IntSpan, else an int64_t
} DimField;

enum { MAX_DIM_FIELDS = 9 };

// All numbers of one structured attribute; `kind` says which member counts.
typedef union DimNumbers {
    DotDims dot;
    GatherDims gather;
    ScatterDims scatter;
    ConvDims conv;
} DimNumbers;

// The fields of ATTR_DOT_DIMS, ATTR_RAGGED_DOT_DIMS, ATTR_GATHER_DIMS, ATTR_SCATTER_DIMS or
// ATTR_CONV_DIMS, in the order of the text form; returns how many.
int dim_fields(AttrKind kind, const DimField **fields);
static inline IntSpan *dim_list(DimNumbers *numbers, const DimField *field) {
    return (void *)((char *)numbers + field->offset);
}
static inline int64_t *dim_number(DimNumbers *numbers, const DimField *field) {
    return (void *)((char *)numbers + field->offset);
}
const Attr *attr_of_dims(Context *context, AttrKind kind, const DimNumbers *numbers);
DimNumbers dims_of_attr(const Attr *attr); // of one of these kinds

#endif
