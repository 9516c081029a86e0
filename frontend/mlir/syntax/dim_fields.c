// dim_fields: the fields of the structured attributes of StableHLO.
#include "frontend/mlir/syntax/dim_fields.h"

#include <stddef.h>

#define LIST(type, name, field) \
    { name, offsetof(type, field), true }
#define NUMBER(type, name, field) \
    { name, offsetof(type, field), false }

static const DimField dot_fields[] = {
    LIST(DotDims, "lhs_batching_dimensions", lhs_batch),
    LIST(DotDims, "rhs_batching_dimensions", rhs_batch),
    LIST(DotDims, "lhs_contracting_dimensions", lhs_contracting),
    LIST(DotDims, "rhs_contracting_dimensions", rhs_contracting),
    LIST(DotDims, "lhs_ragged_dimensions", lhs_ragged), // of ragged products, as the next
    LIST(DotDims, "rhs_group_dimensions", rhs_group)};

static const DimField gather_fields[] = {
    LIST(GatherDims, "offset_dims", offset_dims),
    LIST(GatherDims, "collapsed_slice_dims", collapsed_slice_dims),
    LIST(GatherDims, "operand_batching_dims", operand_batching_dims),
    LIST(GatherDims, "start_indices_batching_dims", start_indices_batching_dims),
    LIST(GatherDims, "start_index_map", start_index_map),
    NUMBER(GatherDims, "index_vector_dim", index_vector_dim)};

static const DimField scatter_fields[] = {
    LIST(ScatterDims, "update_window_dims", update_window_dims),
    LIST(ScatterDims, "inserted_window_dims", inserted_window_dims),
    LIST(ScatterDims, "input_batching_dims", input_batching_dims),
    LIST(ScatterDims, "scatter_indices_batching_dims", scatter_indices_batching_dims),
    LIST(ScatterDims, "scatter_dims_to_operand_dims", scatter_dims_to_operand_dims),
    NUMBER(ScatterDims, "index_vector_dim", index_vector_dim)};

static const DimField conv_fields[MAX_DIM_FIELDS] = {
    NUMBER(ConvDims, "input_batch_dimension", input_batch),
    NUMBER(ConvDims, "input_feature_dimension", input_feature),
    LIST(ConvDims, "input_spatial_dimensions", input_spatial),
    NUMBER(ConvDims, "kernel_input_feature_dimension", kernel_input_feature),
    NUMBER(ConvDims, "kernel_output_feature_dimension", kernel_output_feature),
    LIST(ConvDims, "kernel_spatial_dimensions", kernel_spatial),
    NUMBER(ConvDims, "output_batch_dimension", output_batch),
    NUMBER(ConvDims, "output_feature_dimension", output_feature),
    LIST(ConvDims, "output_spatial_dimensions", output_spatial)};

int dim_fields(AttrKind kind, const DimField **fields) {
    static const struct {
        AttrKind kind;
        int count;
        const DimField *fields;
    } rows[] = {
        {ATTR_DOT_DIMS, 4, dot_fields},
        {ATTR_RAGGED_DOT_DIMS, 6, dot_fields},
        {ATTR_GATHER_DIMS, 6, gather_fields},
        {ATTR_SCATTER_DIMS, 6, scatter_fields},
        {ATTR_CONV_DIMS, MAX_DIM_FIELDS, conv_fields},
    };
    size_t i = 0;
    while (i + 1 < sizeof rows / sizeof *rows && rows[i].kind != kind)
        i++;
    *fields = rows[i].fields;
    return rows[i].count;
}

const Attr *attr_of_dims(Context *context, AttrKind kind, const DimNumbers *numbers) {
    Attr attr = {.kind = kind};
    if (kind == ATTR_DOT_DIMS || kind == ATTR_RAGGED_DOT_DIMS) attr.dot = &numbers->dot;
    if (kind == ATTR_GATHER_DIMS) attr.gather = &numbers->gather;
    if (kind == ATTR_SCATTER_DIMS) attr.scatter = &numbers->scatter;
    if (kind == ATTR_CONV_DIMS) attr.conv = &numbers->conv;
    return attr_intern(context, &attr);
}

DimNumbers dims_of_attr(const Attr *attr) {
    DimNumbers numbers = {0};
    if (attr->kind == ATTR_DOT_DIMS || attr->kind == ATTR_RAGGED_DOT_DIMS) numbers.dot = *attr->dot;
    if (attr->kind == ATTR_GATHER_DIMS) numbers.gather = *attr->gather;
    if (attr->kind == ATTR_SCATTER_DIMS) numbers.scatter = *attr->scatter;
    if (attr->kind == ATTR_CONV_DIMS) numbers.conv = *attr->conv;
    return numbers;
}
