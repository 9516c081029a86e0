// Elements of ops that move elements: the index of the result becomes an index of an operand, at borders by a branch, across
// devices by a table of the replica groups.
#include "codegen/emit_state.h"

#include <string.h>

typedef const IndexExpr *Index;

static Scalar zero_of(Emit *e, const Value *value) {
    return emit_constant(e, value->type->element, 0);
}

static const Attr *attr_of(const Op *op, AttrName name) { return op_attr(op, name); }

static const int64_t *ints_of(Emit *e, const Op *op, AttrName name, int count, int64_t otherwise) {
    return op_ints_or(e->arena, op, name, count, otherwise);
}

// --- one operand, another index ---

static Scalar view_broadcast_in_dim(Emit *e, const Op *op, const Index *index) {
    const Value *x = op_operand(op, 0);
    const int64_t *dims = ints_of(e, op, NAME_BROADCAST_DIMENSIONS, x->type->rank, 0);
    Index at[MAX_RANK];
    for (int d = 0; d < x->type->rank; d++)
        at[d] = x->type->dims[d] == 1 ? index_constant(e->index, 0) : index[dims[d]];
    return emit_element(e, x, at);
}

static Scalar view_reshape(Emit *e, const Op *op, const Index *index) {
    const Type *from = op_operand_type(op, 0), *to = op_result_type(op, 0);
    Index at[MAX_RANK];
    Index number = index_linear(e->index, to->rank, to->dims, index);
    index_delinear(e->index, number, from->rank, from->dims, at);
    return emit_element(e, op_operand(op, 0), at);
}

static Scalar view_transpose(Emit *e, const Op *op, const Index *index) {
    int rank = op_result_type(op, 0)->rank;
    const int64_t *permutation = ints_of(e, op, NAME_PERMUTATION, rank, 0);
    Index at[MAX_RANK];
    for (int d = 0; d < rank; d++)
        at[permutation[d]] = index[d];
    return emit_element(e, op_operand(op, 0), at);
}

static Scalar view_slice(Emit *e, const Op *op, const Index *index) {
    int rank = op_result_type(op, 0)->rank;
    const int64_t *start = ints_of(e, op, NAME_START_INDICES, rank, 0);
    const int64_t *stride = ints_of(e, op, NAME_STRIDES, rank, 1);
    Index at[MAX_RANK];
    for (int d = 0; d < rank; d++)
        at[d] = index_add_constant(e->index, index_scale(e->index, index[d], stride[d]), start[d]);
    return emit_element(e, op_operand(op, 0), at);
}

static Scalar view_reverse(Emit *e, const Op *op, const Index *index) {
    const Type *type = op_result_type(op, 0);
    IntSpan dims = op_ints(op, NAME_DIMENSIONS);
    Index at[MAX_RANK];
    for (int d = 0; d < type->rank; d++)
        at[d] = index[d];
    for (int k = 0; k < dims.count; k++) {
        int64_t d = dims.data[k];
        at[d] = index_sub(e->index, index_constant(e->index, type->dims[d] - 1), index[d]);
    }
    return emit_element(e, op_operand(op, 0), at);
}

static Scalar view_iota(Emit *e, const Op *op, const Index *index) {
    int64_t d = op_int(op, NAME_IOTA_DIMENSION, 0);
    emit_record_use(e, (IndexUse){.kind = USE_NUMBER, .index = index[d]});
    Scalar number = {.element = ELEMENT_I64, .value = emit_index(e, index[d])};
    if (index[d]->low >= INT32_MIN &&
        index[d]->high <= INT32_MAX) { // 32-bit conversions are vectors everywhere
        number.element = ELEMENT_I32;
        number.value =
            LLVMBuildTrunc(e->builder, number.value, LLVMInt32TypeInContext(e->context), "");
    }
    return emit_convert(e, number, op_result_type(op, 0)->element);
}

static Scalar view_dynamic_slice(Emit *e, const Op *op, const Index *index) {
    const Type *from = op_operand_type(op, 0), *to = op_result_type(op, 0);
    Index at[MAX_RANK];
    for (int d = 0; d < to->rank; d++) {
        Index start =
            emit_runtime_number(e, op_operand(op, 1 + d), 0, NULL, 0, from->dims[d] - to->dims[d]);
        at[d] = index_add(e->index, start, index[d]);
    }
    return emit_element(e, op_operand(op, 0), at);
}

// --- borders ---

// Elements of `inside` where the condition holds, else of `outside`.
typedef struct Choice {
    const Value *inside, *outside;
    Index inside_at[MAX_RANK], outside_at[MAX_RANK];
} Choice;

static Scalar emit_choice(Emit *e, LLVMValueRef condition, IndexTruth truth, const Choice *choice) {
    if (truth == INDEX_ALWAYS) return emit_element(e, choice->inside, choice->inside_at);
    if (truth == INDEX_NEVER) return emit_element(e, choice->outside, choice->outside_at);
    EmitIf branch = emit_if(e, condition);
    Scalar inside = emit_element(e, choice->inside, choice->inside_at);
    emit_else(e, &branch);
    Scalar outside = emit_element(e, choice->outside, choice->outside_at);
    emit_end_if(e, &branch);
    if (e->failed) return zero_of(e, choice->inside);
    return emit_phi(e, &branch, inside, outside);
}

// *truth &= low <= x < high, and *condition likewise.
static void require_range(
    Emit *e, Index x, int64_t low, int64_t high, LLVMValueRef *condition, IndexTruth *truth) {
    IndexTruth here = index_in_range(x, low, high);
    if (here == INDEX_ALWAYS || *truth == INDEX_NEVER) return;
    *truth = here;
    if (here == INDEX_NEVER) return;
    LLVMValueRef test = emit_index_in_range(e, x, low, high);
    *condition = *condition ? LLVMBuildAnd(e->builder, *condition, test, "") : test;
}

static Scalar view_pad(Emit *e, const Op *op, const Index *index) {
    const Type *from = op_operand_type(op, 0);
    const int64_t *low = ints_of(e, op, NAME_EDGE_PADDING_LOW, from->rank, 0);
    const int64_t *interior = ints_of(e, op, NAME_INTERIOR_PADDING, from->rank, 0);
    Choice choice = {.inside = op_operand(op, 0), .outside = op_operand(op, 1)};
    LLVMValueRef condition = NULL;
    IndexTruth truth = INDEX_ALWAYS;
    for (int d = 0; d < from->rank; d++) {
        Index x = index_add_constant(e->index, index[d], -low[d]);
        int64_t step = interior[d] + 1;
        if (step > 1) require_range(e, index_mod(e->index, x, step), 0, 1, &condition, &truth);
        x = index_div(e->index, x, step);
        require_range(e, x, 0, from->dims[d], &condition, &truth);
        choice.inside_at[d] = x;
    }
    return emit_choice(e, condition, truth, &choice);
}

static Scalar view_concatenate(Emit *e, const Op *op, const Index *index) {
    int64_t d = op_int(op, NAME_DIMENSION, 0);
    int rank = op_result_type(op, 0)->rank;
    Index at[MAX_RANK];
    memcpy(at, index, (size_t)rank * sizeof index[0]);
    EmitIf *branches = ARENA_ARRAY(e->arena, EmitIf, op->operand_count);
    Scalar *parts = ARENA_ARRAY(e->arena, Scalar, op->operand_count);
    int open = 0;
    int64_t start = 0;
    Scalar result = zero_of(e, op_result(op, 0));
    for (int i = 0; i < op->operand_count; i++) {
        int64_t size = op_operand_type(op, i)->dims[d];
        at[d] = index_add_constant(e->index, index[d], -start);
        IndexTruth truth = index_in_range(at[d], 0, size);
        bool is_last = index_in_range(index[d], 0, start + size) ==
                       INDEX_ALWAYS; // nothing lies behind this part
        start += size;
        if (truth == INDEX_NEVER) continue;
        if (is_last || i + 1 == op->operand_count) {
            result = emit_element(e, op_operand(op, i), at);
            break;
        }
        branches[open] = emit_if(e, emit_index_in_range(e, index[d], 0, start));
        parts[open] = emit_element(e, op_operand(op, i), at);
        emit_else(e, &branches[open]);
        open++;
    }
    while (open > 0) {
        open--;
        emit_end_if(e, &branches[open]);
        if (!e->failed) result = emit_phi(e, &branches[open], parts[open], result);
    }
    return result;
}

// dynamic_update_slice as a choice: the update inside, the operand elsewhere.
static Scalar view_dynamic_update_slice(Emit *e, const Op *op, const Index *index) {
    const Type *type = op_result_type(op, 0), *update = op_operand_type(op, 1);
    Choice choice = {.inside = op_operand(op, 1), .outside = op_operand(op, 0)};
    LLVMValueRef condition = NULL;
    IndexTruth truth = INDEX_ALWAYS;
    for (int d = 0; d < type->rank; d++) {
        Index start = emit_runtime_number(
            e, op_operand(op, 2 + d), 0, NULL, 0, type->dims[d] - update->dims[d]);
        choice.inside_at[d] = index_sub(e->index, index[d], start);
        choice.outside_at[d] = index[d];
        require_range(e, choice.inside_at[d], 0, update->dims[d], &condition, &truth);
    }
    return emit_choice(e, condition, truth, &choice);
}

// --- gather ---

static int64_t position_in(IntSpan span, int64_t number) {
    for (int i = 0; i < span.count; i++) {
        if (span.data[i] == number) return i;
    }
    return -1;
}

// The indices of start_indices at component `component` for a result index: batch dims in order, index_vector_dim left out.
static void gather_start_at(
    Emit *e, const GatherDims *dims, int result_rank, int start_rank, const Index *index,
    int64_t component, Index *at) {
    int next = 0;
    for (int d = 0; d < start_rank; d++) {
        if (d == dims->index_vector_dim) {
            at[d] = index_constant(e->index, component);
            continue;
        }
        while (next < result_rank && position_in(dims->offset_dims, next) >= 0)
            next++;
        at[d] = index[next++];
    }
}

static Scalar view_gather(Emit *e, const Op *op, const Index *index) {
    const GatherDims *dims = attr_of(op, NAME_DIMENSION_NUMBERS)->gather;
    const Type *from = op_operand_type(op, 0), *starts = op_operand_type(op, 1),
               *to = op_result_type(op, 0);
    const int64_t *sizes = ints_of(e, op, NAME_SLICE_SIZES, from->rank, 1);
    Index at[MAX_RANK], start_at[MAX_RANK];
    gather_start_at(e, dims, to->rank, starts->rank, index, 0, start_at);
    int offset = 0;
    for (int d = 0; d < from->rank; d++) {
        at[d] = index_constant(e->index, 0);
        int64_t batch = position_in(dims->operand_batching_dims, d);
        if (batch >= 0) at[d] = start_at[dims->start_indices_batching_dims.data[batch]];
        bool has_offset = batch < 0 && position_in(dims->collapsed_slice_dims, d) < 0;
        if (has_offset) at[d] = index[dims->offset_dims.data[offset++]];
    }
    for (int k = 0; k < dims->start_index_map.count; k++) {
        int64_t d = dims->start_index_map.data[k];
        if (dims->index_vector_dim < starts->rank)
            start_at[dims->index_vector_dim] = index_constant(e->index, k);
        Index start = emit_runtime_number(
            e, op_operand(op, 1), starts->rank, start_at, 0, from->dims[d] - sizes[d]);
        at[d] = index_add(e->index, at[d], start);
    }
    return emit_element(e, op_operand(op, 0), at);
}

// --- constants ---

static LLVMValueRef constant_number(Emit *e, const Attr *elements, int64_t i, int part) {
    ElementType element = elements->type->element;
    LLVMTypeRef type = emit_register_type(e, element);
    const char *data = attr_element(elements, i);
    uint64_t bits = 0;
    size_t size = element_bytes(element) / (element_class(element) == CLASS_COMPLEX ? 2 : 1);
    memcpy(&bits, data + (size_t)part * size, size); // little-endian hosts
    if (element_class(element) == CLASS_FLOAT || element_class(element) == CLASS_COMPLEX) {
        if (size == 1)
            return LLVMConstReal(type, float_decode(element_float_format(element), bits));
        LLVMTypeRef integer = LLVMIntTypeInContext(e->context, (unsigned)size * 8);
        return LLVMConstBitCast(LLVMConstInt(integer, bits, 0), type);
    }
    if (element_class(element) == CLASS_BOOL) bits &= 1;
    return LLVMConstInt(type, bits, 0);
}

// A small constant array as a table in the module.
static LLVMValueRef constant_table(Emit *e, const Attr *elements) {
    ElementType element = elements->type->element;
    int64_t count = type_element_count(elements->type);
    int parts = element_class(element) == CLASS_COMPLEX ? 2 : 1;
    size_t size = element_bytes(element) / (size_t)parts;
    LLVMTypeRef integer = LLVMIntTypeInContext(e->context, (unsigned)size * 8);
    LLVMValueRef *numbers = ARENA_ARRAY(e->arena, LLVMValueRef, count * parts);
    const char *data = elements->data;
    for (int64_t i = 0; i < count * parts; i++) {
        uint64_t bits = 0;
        memcpy(&bits, data + (size_t)i * size, size);
        numbers[i] = LLVMConstInt(integer, bits, 0);
    }
    LLVMTypeRef array = LLVMArrayType2(integer, (uint64_t)(count * parts));
    LLVMValueRef table = LLVMAddGlobal(e->module, array, "constant");
    LLVMSetInitializer(table, LLVMConstArray2(integer, numbers, (uint64_t)(count * parts)));
    LLVMSetGlobalConstant(table, 1);
    LLVMSetLinkage(table, LLVMPrivateLinkage);
    LLVMSetUnnamedAddress(table, LLVMGlobalUnnamedAddr);
    LLVMSetAlignment(table, 64);
    return table;
}

static Scalar view_constant(Emit *e, const Op *op, const Index *index) {
    const Attr *elements = attr_of(op, NAME_VALUE);
    const Type *type = op_result_type(op, 0);
    bool is_complex = element_class(type->element) == CLASS_COMPLEX;
    Index number = index_linear(e->index, type->rank, type->dims, index);
    if (elements->is_splat || index_is_constant(number)) {
        int64_t i = elements->is_splat ? 0 : number->constant;
        Scalar x = {.element = type->element, .value = constant_number(e, elements, i, 0)};
        if (is_complex) x.imag = constant_number(e, elements, i, 1);
        return x;
    }
    LLVMValueRef table = NULL;
    for (int64_t i = 0; i < e->state->constants.count; i++) {
        if (e->state->constants.data[i].elements == elements)
            table = e->state->constants.data[i].table;
    }
    if (!table) {
        table = constant_table(e, elements);
        ConstantTable entry = {elements, table};
        vec_push(e->arena, &e->state->constants, entry);
    }
    emit_record_use(
        e,
        (IndexUse){
            .kind = USE_ADDRESS, .index = number, .bytes = (int64_t)element_bytes(type->element)});
    return emit_private_load(e, type->element, table, emit_index(e, number));
}

// --- bits ---

static LLVMValueRef scalar_bits(Emit *e, Scalar x) {
    unsigned bits = (unsigned)element_bits(x.element);
    LLVMTypeRef integer = LLVMIntTypeInContext(e->context, bits);
    if (element_class(x.element) == CLASS_FLOAT && element_bytes(x.element) == 1) {
        LLVMValueRef byte = emit_encode_float(e, x.element, x.value);
        return bits < 8 ? LLVMBuildTrunc(e->builder, byte, integer, "") : byte;
    }
    if (element_class(x.element) != CLASS_COMPLEX)
        return LLVMBuildBitCast(e->builder, x.value, integer, "");
    LLVMTypeRef half = LLVMIntTypeInContext(e->context, bits / 2);
    LLVMValueRef low = LLVMBuildBitCast(e->builder, x.value, half, "");
    LLVMValueRef high = LLVMBuildBitCast(e->builder, x.imag, half, "");
    low = LLVMBuildZExt(e->builder, low, integer, "");
    high = LLVMBuildZExt(e->builder, high, integer, "");
    high = LLVMBuildShl(e->builder, high, LLVMConstInt(integer, bits / 2, 0), "");
    return LLVMBuildOr(e->builder, low, high, "");
}

static Scalar scalar_from_bits(Emit *e, ElementType element, LLVMValueRef bits) {
    Scalar x = {.element = element};
    LLVMTypeRef type = emit_register_type(e, element);
    if (element_class(element) == CLASS_FLOAT && element_bytes(element) == 1) {
        if (element_bits(element) < 8)
            bits = LLVMBuildZExt(e->builder, bits, LLVMInt8TypeInContext(e->context), "");
        x.value = emit_decode_float(e, element, bits);
    } else if (element_class(element) == CLASS_COMPLEX) {
        unsigned half = (unsigned)element_bits(element) / 2;
        LLVMTypeRef narrow = LLVMIntTypeInContext(e->context, half);
        LLVMValueRef shift = LLVMConstInt(LLVMTypeOf(bits), half, 0);
        LLVMValueRef high = LLVMBuildLShr(e->builder, bits, shift, "");
        x.value =
            LLVMBuildBitCast(e->builder, LLVMBuildTrunc(e->builder, bits, narrow, ""), type, "");
        x.imag =
            LLVMBuildBitCast(e->builder, LLVMBuildTrunc(e->builder, high, narrow, ""), type, "");
    } else {
        x.value = LLVMBuildBitCast(e->builder, bits, type, "");
    }
    return x;
}

static Scalar view_bitcast_convert(Emit *e, const Op *op, const Index *index) {
    const Type *from = op_operand_type(op, 0), *to = op_result_type(op, 0);
    int from_bits = element_bits(from->element), to_bits = element_bits(to->element);
    LLVMTypeRef to_type = LLVMIntTypeInContext(e->context, (unsigned)to_bits);
    if (from_bits == to_bits) {
        Scalar x = emit_element(e, op_operand(op, 0), index);
        if (e->failed) return zero_of(e, op_result(op, 0));
        return scalar_from_bits(e, to->element, scalar_bits(e, x));
    }
    if (from_bits > to_bits) { // the last index of the result says which part
        Scalar x = emit_element(e, op_operand(op, 0), index);
        if (e->failed) return zero_of(e, op_result(op, 0));
        LLVMValueRef bits = scalar_bits(e, x);
        Index part = index_scale(e->index, index[to->rank - 1], to_bits);
        emit_record_use(e, (IndexUse){.kind = USE_NUMBER, .index = part});
        LLVMValueRef shift =
            LLVMBuildIntCast2(e->builder, emit_index(e, part), LLVMTypeOf(bits), 0, "");
        bits = LLVMBuildTrunc(e->builder, LLVMBuildLShr(e->builder, bits, shift, ""), to_type, "");
        return scalar_from_bits(e, to->element, bits);
    }
    LLVMValueRef bits = LLVMConstInt(to_type, 0, 0);
    Index at[MAX_RANK];
    memcpy(at, index, (size_t)to->rank * sizeof index[0]);
    for (int part = 0; part < to_bits / from_bits; part++) {
        at[to->rank] = index_constant(e->index, part);
        Scalar x = emit_element(e, op_operand(op, 0), at);
        if (e->failed) return zero_of(e, op_result(op, 0));
        LLVMValueRef wide = LLVMBuildZExt(e->builder, scalar_bits(e, x), to_type, "");
        wide = LLVMBuildShl(
            e->builder, wide, LLVMConstInt(to_type, (unsigned)(part * from_bits), 0), "");
        bits = LLVMBuildOr(e->builder, bits, wide, "");
    }
    return scalar_from_bits(e, to->element, bits);
}

// --- other devices ---

static Scalar on_device(Emit *e, const Value *value, const Index *index, Index device) {
    Index outer = e->state->device;
    e->state->device = device;
    Scalar x = emit_element(e, value, index);
    e->state->device = outer;
    return x;
}

DeviceGroups emit_device_groups(Emit *e, const Op *op) {
    const Attr *attr = attr_of(op, NAME_REPLICA_GROUPS);
    int64_t devices = e->program->device_count;
    DeviceGroups groups = {.size = 1};
    int64_t rows = 0;
    if (attr && attr->type && attr->type->rank == 2 && attr->type->dims[1] > 0) {
        rows = attr->type->dims[0];
        groups.size = attr->type->dims[1];
    }
    if (rows == 0) groups.size = devices; // no groups written: all devices
    groups.members = ARENA_ARRAY(e->arena, int64_t, devices * groups.size);
    groups.position = ARENA_ARRAY(e->arena, int64_t, devices);
    groups.is_member = ARENA_ARRAY(e->arena, int64_t, devices);
    for (int64_t d = 0; d < devices; d++) { // devices outside of every group are alone
        groups.position[d] = rows == 0 ? d : 0;
        groups.is_member[d] = rows == 0;
        for (int64_t k = 0; k < groups.size; k++)
            groups.members[d * groups.size + k] = rows == 0 ? k : d;
    }
    for (int64_t r = 0; r < rows; r++) {
        for (int64_t k = 0; k < groups.size; k++) {
            int64_t device = attr_element_int(attr, r * groups.size + k);
            if (device < 0 || device >= devices) continue;
            groups.position[device] = k;
            groups.is_member[device] = 1;
            for (int64_t j = 0; j < groups.size; j++) {
                int64_t member = attr_element_int(attr, r * groups.size + j);
                groups.members[device * groups.size + j] =
                    member >= 0 && member < devices ? member : device;
            }
        }
    }
    return groups;
}

const IndexExpr *emit_group_member(Emit *e, const DeviceGroups *groups, const IndexExpr *position) {
    int64_t devices = e->program->device_count;
    Index at =
        index_add(e->index, index_scale(e->index, emit_current_device(e), groups->size), position);
    return emit_table_lookup(e, devices * groups->size, groups->members, at, 0, devices - 1);
}

const IndexExpr *emit_group_position(Emit *e, const DeviceGroups *groups) {
    return emit_table_lookup(
        e, e->program->device_count, groups->position, emit_current_device(e), 0, groups->size - 1);
}

static Scalar view_all_gather(Emit *e, const Op *op, int operand, const Index *index) {
    const Type *from = op_operand_type(op, operand);
    DeviceGroups groups = emit_device_groups(e, op);
    int64_t d = op_int(op, NAME_ALL_GATHER_DIM, 0);
    Index at[MAX_RANK];
    memcpy(at, index, (size_t)from->rank * sizeof index[0]);
    int64_t size = from->dims[d] > 0 ? from->dims[d] : 1;
    at[d] = index_mod(e->index, index[d], size);
    Index device = emit_group_member(e, &groups, index_div(e->index, index[d], size));
    return on_device(e, op_operand(op, operand), at, device);
}

// The operand is cut in `split_count` parts along split_dimension; part k goes to member k, who joins what it gets along
// concat_dimension in the order of the senders.
static Scalar view_all_to_all(Emit *e, const Op *op, int operand, const Index *index) {
    const Type *from = op_operand_type(op, operand);
    DeviceGroups groups = emit_device_groups(e, op);
    int64_t split = op_int(op, NAME_SPLIT_DIMENSION, 0),
            concat = op_int(op, NAME_CONCAT_DIMENSION, 0);
    int64_t count = op_int(op, NAME_SPLIT_COUNT, 1);
    int64_t part = from->dims[split] / (count > 0 ? count : 1);
    int64_t piece = concat == split ? part : from->dims[concat]; // of one sender in the result
    if (piece < 1) piece = 1;
    Index at[MAX_RANK];
    memcpy(at, index, (size_t)from->rank * sizeof index[0]);
    Index sender = index_div(e->index, index[concat], piece);
    at[concat] = index_mod(e->index, index[concat], piece);
    Index mine = emit_group_position(e, &groups);
    at[split] = index_add(e->index, at[split], index_scale(e->index, mine, part));
    return on_device(e, op_operand(op, operand), at, emit_group_member(e, &groups, sender));
}

// The operand's element on another device; zero on devices where known is 0. known: [devices]
static Scalar on_device_or_zero(
    Emit *e, const Op *op, int operand, const Index *index, Index device, const int64_t *known) {
    int64_t devices = e->program->device_count, found = 0;
    for (int64_t d = 0; d < devices; d++)
        found += known[d];
    if (found == devices) return on_device(e, op_operand(op, operand), index, device);
    Index is_known = emit_table_lookup(e, devices, known, emit_current_device(e), 0, 1);
    EmitIf branch = emit_if(e, emit_index_in_range(e, is_known, 1, 2));
    Scalar x = on_device(e, op_operand(op, operand), index, device);
    emit_else(e, &branch);
    Scalar zero = zero_of(e, op_result(op, operand));
    emit_end_if(e, &branch);
    return e->failed ? zero : emit_phi(e, &branch, x, zero);
}

static Scalar view_collective_permute(Emit *e, const Op *op, int operand, const Index *index) {
    const Attr *pairs = attr_of(op, NAME_SOURCE_TARGET_PAIRS);
    int64_t devices = e->program->device_count;
    int64_t *source = ARENA_ARRAY(e->arena, int64_t, devices),
            *known = ARENA_ARRAY(e->arena, int64_t, devices);
    int64_t count = pairs && pairs->type->rank == 2 ? pairs->type->dims[0] : 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t from = attr_element_int(pairs, 2 * i), to = attr_element_int(pairs, 2 * i + 1);
        if (from < 0 || to < 0 || from >= devices || to >= devices) continue;
        source[to] = from;
        known[to] = 1;
    }
    for (int64_t d = 0; d < devices; d++)
        if (!known[d]) source[d] = d;
    Index device = emit_table_lookup(e, devices, source, emit_current_device(e), 0, devices - 1);
    return on_device_or_zero(e, op, operand, index, device, known);
}

static Scalar view_collective_broadcast(Emit *e, const Op *op, int operand, const Index *index) {
    DeviceGroups groups = emit_device_groups(e, op);
    Index root = emit_group_member(e, &groups, index_constant(e->index, 0));
    return on_device_or_zero(e, op, operand, index, root, groups.is_member);
}

static Scalar view_device_id(Emit *e, const Op *op) {
    Index device = op->code == OP_REPLICA_ID ? index_constant(e->index, 0) : emit_current_device(e);
    Scalar id = {.element = ELEMENT_I64, .value = emit_index(e, device)};
    return emit_convert(e, id, op_result_type(op, 0)->element);
}

// --- map: a region on scalars ---

static Scalar view_map(Emit *e, const Op *op, const Index *index) {
    Scalar *arguments = ARENA_ARRAY(e->arena, Scalar, op->operand_count);
    Scalar result = zero_of(e, op_result(op, 0));
    for (int i = 0; i < op->operand_count; i++)
        arguments[i] = emit_element(e, op_operand(op, i), index);
    if (!e->failed) emit_scalar_region(e, op->regions[0], arguments, &result);
    return result;
}

bool emit_view(Emit *e, const Value *value, const IndexExpr *const *index, Scalar *result) {
    const Op *op = value->def;
    switch (op->code) {
    case OP_CONSTANT: *result = view_constant(e, op, index); return true;
    case OP_IOTA: *result = view_iota(e, op, index); return true;
    case OP_BROADCAST_IN_DIM: *result = view_broadcast_in_dim(e, op, index); return true;
    case OP_RESHAPE: *result = view_reshape(e, op, index); return true;
    case OP_TRANSPOSE: *result = view_transpose(e, op, index); return true;
    case OP_REVERSE: *result = view_reverse(e, op, index); return true;
    case OP_SLICE: *result = view_slice(e, op, index); return true;
    case OP_PAD: *result = view_pad(e, op, index); return true;
    case OP_CONCATENATE: *result = view_concatenate(e, op, index); return true;
    case OP_DYNAMIC_SLICE: *result = view_dynamic_slice(e, op, index); return true;
    case OP_DYNAMIC_UPDATE_SLICE: *result = view_dynamic_update_slice(e, op, index); return true;
    case OP_GATHER: *result = view_gather(e, op, index); return true;
    case OP_BITCAST_CONVERT: *result = view_bitcast_convert(e, op, index); return true;
    case OP_MAP: *result = view_map(e, op, index); return true;
    case OP_OPTIMIZATION_BARRIER:
        *result = emit_element(e, op_operand(op, value->index), index);
        return true;
    case OP_ALL_GATHER: *result = view_all_gather(e, op, value->index, index); return true;
    case OP_ALL_TO_ALL: *result = view_all_to_all(e, op, value->index, index); return true;
    case OP_COLLECTIVE_PERMUTE:
        *result = view_collective_permute(e, op, value->index, index);
        return true;
    case OP_COLLECTIVE_BROADCAST:
        *result = view_collective_broadcast(e, op, value->index, index);
        return true;
    case OP_PARTITION_ID:
    case OP_REPLICA_ID: *result = view_device_id(e, op); return true;
    default: return false;
    }
}
