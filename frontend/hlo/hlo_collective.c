// hlo_collective: collectives, with their groups in both of HLO's forms.
#include "base/checked.h"
#include "frontend/hlo/hlo_import.h"

enum { MAX_DEVICES = 1 << 20 };

// A matrix of devices: one group a row, short rows filled with -1.
typedef struct Groups {
    int count, size;
    int64_t *ids; // NULL: all devices are one group
} Groups;

// ---- groups ----

// [2,4] or (1,0)
static bool read_sizes(
    HloLexer *lexer, const char *open, const char *close, int64_t *sizes, int *rank) {
    *rank = 0;
    if (!hlo_expect(lexer, open)) return false;
    do {
        if (*rank == MAX_RANK) return hlo_error(lexer, "too many dimensions");
        if (!hlo_read_int(lexer, &sizes[(*rank)++])) return false;
    } while (hlo_accept(lexer, ","));
    return hlo_expect(lexer, close);
}

static bool is_permutation(const int64_t *order, int rank) {
    uint64_t seen = 0;
    for (int d = 0; d < rank; d++) {
        if (order[d] < 0 || order[d] >= rank || (seen >> order[d] & 1)) return false;
        seen |= (uint64_t)1 << order[d];
    }
    return true;
}

// [groups,size]<=[dims]T(order): 0, 1, .. in the shape of dims, transposed, and cut into rows.
static bool read_iota_groups(HloImporter *importer, HloLexer *lexer, Groups *groups) {
    HloLexer at = *lexer;
    int64_t shape[MAX_RANK], dims[MAX_RANK], order[MAX_RANK] = {0};
    int shape_rank, rank;
    int order_rank = 0;
    if (!read_sizes(lexer, "[", "]", shape, &shape_rank) || !hlo_expect(lexer, "<=") ||
        !read_sizes(lexer, "[", "]", dims, &rank))
        return false;
    bool has_order = hlo_accept(lexer, "T");
    if (has_order && !read_sizes(lexer, "(", ")", order, &order_rank)) return false;
    for (int d = 0; d < rank && !has_order; d++)
        order[d] = d;
    int64_t total = 0;
    int64_t devices = 0;
    bool ok = shape_rank == 2 && checked_product(shape, 2, &total) &&
              checked_product(dims, rank, &devices) && total == devices && total > 0 &&
              total <= MAX_DEVICES && (!has_order || order_rank == rank) &&
              is_permutation(order, rank);
    if (!ok) return hlo_error(&at, "the groups are no arrangement of the devices");
    groups->count = (int)shape[0];
    groups->size = (int)shape[1];
    groups->ids = ARENA_ARRAY(importer->arena, int64_t, total);
    int64_t place[MAX_RANK] = {0};
    for (int64_t i = 0; i < total; i++) {
        int64_t id = 0;
        int64_t at_dim[MAX_RANK] = {0};
        for (int d = 0; d < rank; d++)
            at_dim[order[d]] = place[d];
        for (int d = 0; d < rank; d++)
            id = id * dims[d] + at_dim[d];
        groups->ids[i] = id;
        for (int d = rank - 1; d >= 0 && ++place[d] == dims[order[d]]; d--)
            place[d] = 0;
    }
    return true;
}

// {{0,1},{2,3}}
static bool read_rows(HloImporter *importer, HloLexer *lexer, Groups *groups) {
    HloLexer at = *lexer;
    VEC(IntSpan) rows = {0};
    if (!hlo_expect(lexer, "{")) return false;
    bool more = !hlo_accept(lexer, "}");
    while (more) {
        IntSpan row;
        if (!hlo_read_ints(importer, lexer, &row)) return false;
        vec_push(importer->arena, &rows, row);
        if (row.count > groups->size) groups->size = row.count;
        more = hlo_accept(lexer, ",");
        if (!more && !hlo_expect(lexer, "}")) return false;
    }
    if (rows.count * (int64_t)groups->size > MAX_DEVICES)
        return hlo_error(&at, "more than %d devices are not supported", MAX_DEVICES);
    groups->count = (int)rows.count;
    if (rows.count == 0 || groups->size == 0) return true;
    groups->ids = ARENA_ARRAY(importer->arena, int64_t, rows.count * groups->size);
    for (int g = 0; g < groups->count; g++) {
        for (int i = 0; i < groups->size; i++)
            groups->ids[g * groups->size + i] = i < rows.data[g].count ? rows.data[g].data[i] : -1;
    }
    return true;
}

static bool read_groups(HloImporter *importer, HloInstr *instr, Groups *groups) {
    *groups = (Groups){0};
    const HloAttr *attr = hlo_attr(instr, "replica_groups");
    if (!attr) return true;
    HloLexer value = attr->value;
    if (hlo_looks_at(&value, "[")) return read_iota_groups(importer, &value, groups);
    return read_rows(importer, &value, groups);
}

// As a matrix of `columns` at least, also where there is none of them.
static const Attr *matrix_attr(HloImporter *importer, const Groups *groups, int columns) {
    static const int64_t nothing[1] = {0};
    if (!groups->ids) return attr_int_matrix(importer->context, 0, columns, nothing);
    return attr_int_matrix(importer->context, groups->count, groups->size, groups->ids);
}

static void set_groups(HloImporter *importer, Op *op, const Groups *groups) {
    hlo_set(importer, op, NAME_REPLICA_GROUPS, matrix_attr(importer, groups, 0));
}

static bool set_channel(HloImporter *importer, HloInstr *instr, Op *op) {
    int64_t channel[2] = {0, 1};
    bool is_global = false;
    if (!hlo_int_attr(instr, "channel_id", &channel[0]) ||
        !hlo_bool_attr(instr, "use_global_device_ids", &is_global))
        return false;
    const Attr handle = {.kind = ATTR_CHANNEL, .count = 2, .ints = channel};
    if (channel[0] > 0)
        hlo_set(importer, op, NAME_CHANNEL_HANDLE, attr_intern(importer->context, &handle));
    if (is_global) hlo_set(importer, op, NAME_USE_GLOBAL_DEVICE_IDS, attr_unit(importer->context));
    return true;
}

// ---- opcodes ----

// The op with its groups and channel; NULL after an error.
static Op *emit_collective(
    HloImporter *importer, HloInstr *instr, OpCode code, int regions, HloValues *results) {
    Groups groups;
    if (!read_groups(importer, instr, &groups)) return NULL;
    Op *op = hlo_emit(importer, instr, code, hlo_all_operands(importer, instr), regions, results);
    if (!op) return NULL;
    set_groups(importer, op, &groups);
    return set_channel(importer, instr, op) ? op : NULL;
}

bool hlo_collective(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    return emit_collective(importer, instr, code, 0, results) != NULL;
}

bool hlo_all_reduce(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    Op *op = emit_collective(importer, instr, code, 1, results);
    return hlo_region_attr(importer, instr, op, 0, "to_apply");
}

bool hlo_all_gather(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    Op *op = emit_collective(importer, instr, code, 0, results);
    return hlo_copy_single(importer, instr, "dimensions", op, NAME_ALL_GATHER_DIM);
}

bool hlo_reduce_scatter(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    Op *op = emit_collective(importer, instr, code, 1, results);
    return hlo_copy_single(importer, instr, "dimensions", op, NAME_SCATTER_DIMENSION) &&
           hlo_region_attr(importer, instr, op, 0, "to_apply");
}

bool hlo_collective_permute(
    HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    Op *op = hlo_emit(importer, instr, code, hlo_all_operands(importer, instr), 0, results);
    if (!op || !hlo_need_attr(importer, instr, "source_target_pairs")) return false;
    HloLexer value = hlo_attr(instr, "source_target_pairs")->value;
    Groups pairs = {0};
    if (!read_rows(importer, &value, &pairs)) return false;
    if (pairs.ids && pairs.size != 2)
        return hlo_fail(importer, instr, "source_target_pairs must be pairs");
    hlo_set(importer, op, NAME_SOURCE_TARGET_PAIRS, matrix_attr(importer, &pairs, 2));
    return set_channel(importer, instr, op);
}

// ---- all-to-all ----

static void set_exchange(HloImporter *importer, Op *op, int64_t dimension, int64_t count) {
    Context *context = importer->context;
    const Attr *along = attr_int(context, dimension, ELEMENT_I64);
    hlo_set(importer, op, NAME_SPLIT_DIMENSION, along);
    hlo_set(importer, op, NAME_CONCAT_DIMENSION, along);
    hlo_set(importer, op, NAME_SPLIT_COUNT, attr_int(context, count, ELEMENT_I64));
}

// Operand i goes to device i of the group, result i comes from it: the operands as rows of one array, exchanged, as values again.
static bool exchange_tuple(
    HloImporter *importer, HloInstr *instr, const Groups *groups, HloValues *results) {
    HloValues rows = hlo_all_operands(importer, instr);
    int64_t start[MAX_RANK] = {0}, limit[MAX_RANK], dims[MAX_RANK];
    const Type *type = rows.count > 0 ? rows.data[0]->type : NULL;
    bool ok = type && type->kind == TYPE_TENSOR && type->rank < MAX_RANK;
    for (int i = 0; i < rows.count && ok; i++)
        ok = rows.data[i]->type == type;
    if (!ok) return hlo_fail(importer, instr, "expected arrays of one type as operands");
    if (groups->ids && groups->size != rows.count)
        return hlo_fail(
            importer, instr, "has %d operands in groups of %d devices", rows.count, groups->size);
    if (rows.count > MAX_DEVICES) return hlo_fail(importer, instr, "has too many operands");
    dims[0] = 1;
    memcpy(dims + 1, type->dims, (size_t)type->rank * sizeof *dims);
    for (int i = 0; i < rows.count; i++)
        rows.data[i] = build_reshape(&importer->builder, rows.data[i], type->rank + 1, dims);
    int64_t bytes;
    if (!checked_mul((int64_t)type_bytes(type), rows.count, &bytes))
        return hlo_fail(importer, instr, "the operands together are too large");
    Value *whole = build_concatenate(&importer->builder, rows.count, rows.data, 0);
    Op *op = build_op(&importer->builder, OP_ALL_TO_ALL, 1, &whole, 1, &whole->type, 0);
    set_groups(importer, op, groups);
    set_exchange(importer, op, 0, rows.count);
    if (!set_channel(importer, instr, op)) return false;
    *results = hlo_values(importer, rows.count);
    memcpy(limit, dims, sizeof limit);
    for (int i = 0; i < rows.count; i++) {
        start[0] = i;
        limit[0] = i + 1;
        Value *row = build_slice(&importer->builder, op_result(op, 0), start, limit, NULL);
        results->data[i] = build_reshape(&importer->builder, row, type->rank, type->dims);
    }
    return true;
}

bool hlo_all_to_all(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    Groups groups;
    IntSpan dims;
    if (!read_groups(importer, instr, &groups)) return false;
    if (!hlo_has_attr(instr, "dimensions"))
        return exchange_tuple(importer, instr, &groups, results);
    if (!hlo_ints_attr(importer, instr, "dimensions", &dims)) return false;
    if (dims.count != 1)
        return hlo_fail(importer, instr, "attribute 'dimensions' must name one dimension");
    if (!groups.ids) return hlo_refuse(importer, instr, "without groups is not supported");
    Op *op = hlo_emit(importer, instr, code, hlo_all_operands(importer, instr), 0, results);
    if (!op) return false;
    set_groups(importer, op, &groups);
    set_exchange(importer, op, dims.data[0], groups.size);
    return set_channel(importer, instr, op);
}
