// share_panels: columns that are multiplied with often are packed once.
//
//   In      a device program whose @main says which arguments the devices hold alike, and the
//           machine that code is made for.
//   Out     a right operand that a loop does not change is brought into the order in which the
//           micro-kernel reads it before the loop; one that a group of devices hold alike, and
//           multiply few different rows with, before the product. Each device of the group packs
//           a part of the columns, and all read the parts where they lie (contract/panels.c).
//           Weights of a recurrent network are such operands, and those of a model whose batch is
//           sharded.
//   Keeps   what the program computes.
//
//   before  dot_general(%x [M, K], %w [K, N])
//   after   %1 = reshape(%w) [K, N / NR, NR]
//           %2 = transpose(slice of %1 [K, N / NR / devices, NR]) [N / NR / devices, K, NR]
//           reshape(dot_general(%x, all_gather(%2)) [M, N / NR, NR]) [M, N]
//
// Where a group of k's is multiplied at once, the panels are [N / NR, K / group, NR, group].
#include "codegen/fuse/fuse.h"
#include "codegen/fuse/replicas.h"
#include "codegen/passes/own_numbers.h"
#include "codegen/target/target.h"
#include "ir/builder.h"
#include "ir/pass/passes.h"

// Fewer rows are multiplied without packing; with more of them packing does not matter.
enum { LEAST_ROWS = 33, MOST_ROWS = 1024, MOST_SHARED_ROWS = 96, LEAST_BYTES = 256 << 10 };

typedef struct Panels {
    Module *module;
    Arena *arena;
    Replicas replicas;
    const Target *target;
    bool changed;
} Panels;

typedef struct Product {
    Op *op;
    const ContractRow *how;
    int lhs_k, rhs_k;            // the contracted dimensions
    int64_t rows, K, N, columns; // columns of a panel
    const Attr *groups;          // of devices that pack together; NULL = each packs all
    int64_t devices;             // of a group
} Product;

// ---- which products

// How the CPU multiplies the elements, if its panels hold them as they are.
static const ContractRow *plain_row(const Target *target, const Op *op) {
    ElementType element = op_operand_type(op, 1)->element;
    bool is_usual = element == ELEMENT_F32 || element == ELEMENT_F64 || element == ELEMENT_BF16 ||
                    element == ELEMENT_F16;
    if (!is_usual || op_operand_type(op, 0)->element != element ||
        element_class(op_result_type(op, 0)->element) != CLASS_FLOAT)
        return NULL;
    bool is_wide = element == ELEMENT_F64 || op_result_type(op, 0)->element == ELEMENT_F64;
    ElementType accumulator = is_wide ? ELEMENT_F64 : ELEMENT_F32;
    const ContractRow *how = target_contract(target, element, element, accumulator, true);
    ElementType packed = how->packed_rhs == ELEMENT_COUNT ? accumulator : how->packed_rhs;
    return how->product != PRODUCT_TILES && packed == element ? how : NULL;
}

// One contracted dimension, no batch, and sizes that are whole panels.
static bool has_shape(const Panels *panels, Product *product) {
    const Op *op = product->op;
    const DotDims *dims = op_attr(op, NAME_DOT_DIMENSION_NUMBERS)->dot;
    if (dims->lhs_batch.count > 0 || dims->lhs_contracting.count != 1) return false;
    const Type *lhs = op_operand_type(op, 0), *rhs = op_operand_type(op, 1);
    if (lhs->rank + 2 > MAX_RANK || (int64_t)type_bytes(rhs) < LEAST_BYTES) return false;
    product->how = plain_row(panels->target, op);
    if (!product->how) return false;
    product->lhs_k = (int)dims->lhs_contracting.data[0];
    product->rhs_k = (int)dims->rhs_contracting.data[0];
    product->K = rhs->dims[product->rhs_k];
    product->N = type_element_count(rhs) / product->K;
    product->rows = type_element_count(lhs) / product->K;
    int bits = product->how->accumulator == ELEMENT_F64 ? 64 : 32;
    product->columns = (int64_t)product->how->vectors * panels->target->vector_bits / bits;
    return product->rows >= LEAST_ROWS && product->rows <= MOST_ROWS &&
           product->K % product->how->group == 0 && product->columns > 0 &&
           product->N % product->columns == 0;
}

// Do all devices of a group come to the region together?
static bool meet_in(const Panels *panels, const Region *region, const Attr *groups) {
    for (const Op *owner = region->owner; owner->code != OP_FUNC; owner = owner->parent->owner) {
        const Value *choice = owner->code == OP_WHILE
                                  ? op_operand(region_terminator(owner->regions[0]), 0)
                                  : op_operand(owner, 0);
        if (!replicas_are_alike(&panels->replicas, choice, groups)) return false;
    }
    return true;
}

// Groups of devices that hold the right operand alike, of equal size, but not the left one.
static bool find_groups(Panels *panels, Product *product) {
    const Replicas *r = &panels->replicas;
    const Value *lhs = op_operand(product->op, 0), *rhs = op_operand(product->op, 1);
    if (rhs->number >= r->values || lhs->number >= r->values) return false;
    const int32_t *classes = replicas_of(r, rhs);
    int64_t *members = ARENA_ARRAY(panels->arena, int64_t, r->devices);
    int64_t count = 0, size = 0;
    for (int64_t first = 0; first < r->devices; first++) {
        if (classes[first] != first) continue;
        int64_t before = count;
        for (int64_t d = first; d < r->devices; d++)
            if (classes[d] == first) members[count++] = d;
        if (size == 0) size = count - before;
        if (size < 2 || size != count - before) return false;
    }
    if (product->N / product->columns % size != 0) return false;
    product->devices = size;
    product->groups =
        attr_int_matrix(panels->module->context, (int)(count / size), (int)size, members);
    return !replicas_are_alike(r, lhs, product->groups) &&
           meet_in(panels, value_region(rhs), product->groups);
}

// ---- the rewriting

// [columns.., K] in the order of the operand's other dimensions.
static Value *with_k_last(Builder *builder, const Product *product) {
    Value *rhs = op_operand(product->op, 1);
    int rank = rhs->type->rank, count = 0;
    if (product->rhs_k == rank - 1) return rhs;
    int64_t permutation[MAX_RANK];
    for (int d = 0; d < rank; d++)
        if (d != product->rhs_k) permutation[count++] = d;
    permutation[count] = product->rhs_k;
    return build_transpose(builder, rhs, permutation);
}

static Value *own_start(Panels *panels, Builder *builder, const Product *product, int64_t size) {
    int64_t count = panels->replicas.devices;
    int64_t *numbers = ARENA_ARRAY(panels->arena, int64_t, count);
    for (int64_t i = 0; i < count; i++)
        numbers[attr_element_int(product->groups, i)] = i % product->devices * size;
    return build_reshape(builder, own_numbers(builder, ELEMENT_I64, count, 1, numbers), 0, NULL);
}

// The device's part of the panels.
static Value *own_panels(Panels *panels, Builder *builder, const Product *product) {
    enum { PANEL, COLUMN, STEP, K };
    int64_t group = product->how->group, all = product->N / product->columns;
    int64_t dims[4] = {all, product->columns, product->K / group, group};
    Value *form = build_reshape(builder, with_k_last(builder, product), 4, dims);
    int64_t permutation[4] = {PANEL, STEP, COLUMN, K};
    if (!product->groups) return build_transpose(builder, form, permutation);
    dims[PANEL] = all / product->devices;
    Value *start = own_start(panels, builder, product, dims[PANEL]);
    Value *zero = build_splat_int(builder, start->type, 0);
    Value *starts[4] = {start, zero, zero, zero};
    Value *part = build_dynamic_slice(builder, form, starts, dims);
    return build_transpose(builder, part, permutation);
}

static Value *gather(Panels *panels, Builder *builder, const Product *product, Value *part) {
    Module *module = panels->module;
    Context *context = module->context;
    int64_t dims[4];
    for (int d = 0; d < 4; d++)
        dims[d] = part->type->dims[d] * (d == 0 ? product->devices : 1);
    const Type *type = type_with_dims(context, part->type, 4, dims);
    Op *op = build_op(builder, OP_ALL_GATHER, 1, &part, 1, &type, 0);
    const int64_t handle[2] = {1, 1};
    Attr channel = {.kind = ATTR_CHANNEL, .count = 2, .ints = handle};
    op_set_attr(module, op, NAME_ALL_GATHER_DIM, attr_int(context, 0, ELEMENT_I64));
    op_set_attr(module, op, NAME_REPLICA_GROUPS, product->groups);
    op_set_attr(module, op, NAME_CHANNEL_HANDLE, attr_intern(context, &channel));
    op_set_attr(module, op, NAME_USE_GLOBAL_DEVICE_IDS, attr_unit(context));
    op_set_extra(module, op, context_name(context, SV(UNCOUNTED)), attr_unit(context));
    return op_result(op, 0);
}

// The left operand with K as steps of groups.
static Value *in_steps(Builder *builder, const Product *product) {
    Value *lhs = op_operand(product->op, 0);
    int64_t dims[MAX_RANK], group = product->how->group;
    int rank = 0;
    for (int d = 0; d < lhs->type->rank; d++) {
        dims[rank++] = d == product->lhs_k ? product->K / group : lhs->type->dims[d];
        if (d == product->lhs_k) dims[rank++] = group;
    }
    return build_reshape(builder, lhs, rank, dims);
}

static void multiply_panels(Panels *panels, const Product *product, Value *whole) {
    Module *module = panels->module;
    Op *op = product->op;
    Builder builder = builder_before(module, op);
    int64_t lhs_k[2] = {product->lhs_k, product->lhs_k + 1}, rhs_k[2] = {1, 3};
    DotDims dims = {.lhs_contracting = {lhs_k, 2}, .rhs_contracting = {rhs_k, 2}};
    Attr numbers = {.kind = ATTR_DOT_DIMS, .dot = &dims};
    const Type *type = op_result_type(op, 0);
    int64_t sizes[MAX_RANK];
    int rank = op_operand_type(op, 0)->rank - 1;
    for (int d = 0; d < rank; d++)
        sizes[d] = type->dims[d];
    sizes[rank++] = product->N / product->columns;
    sizes[rank++] = product->columns;
    PtrMap values = ptr_map(panels->arena);
    Value *lhs = in_steps(&builder, product);
    Op *copy = op_clone(&builder, op, &values);
    op_set_operand(copy, 0, lhs);
    op_set_operand(copy, 1, whole);
    op_set_attr(module, copy, NAME_DOT_DIMENSION_NUMBERS, attr_intern(module->context, &numbers));
    op_set_extra(
        module, copy, context_name(module->context, SV(PANEL_COLUMNS)),
        attr_int(module->context, product->columns, ELEMENT_I64));
    op_result(copy, 0)->type = type_with_dims(module->context, type, rank, sizes);
    Value *result = build_reshape(&builder, op_result(copy, 0), type->rank, type->dims);
    value_replace_uses(op_result(op, 0), result);
    op_erase(op);
}

// The op of the right operand's region that the product is in: a loop, or the product itself.
static Op *place_of(const Product *product) {
    return region_ancestor_of(value_region(op_operand(product->op, 1)), product->op);
}

static void pack_before(Panels *panels, const Product *product) {
    Context *context = panels->module->context;
    Builder builder = builder_before(panels->module, place_of(product));
    Value *part = own_panels(panels, &builder, product);
    op_set_extra(
        panels->module, part->def, context_name(context, SV(PANEL_COLUMNS)),
        attr_int(context, product->columns, ELEMENT_I64));
    Value *whole = product->groups ? gather(panels, &builder, product, part) : part;
    multiply_panels(panels, product, whole);
    panels->changed = true;
}

// Is it worth it? Then groups and devices are set.
static bool is_used_often(Panels *panels, Product *product) {
    bool in_loop = place_of(product)->code == OP_WHILE;
    bool is_shared = find_groups(panels, product) &&
                     (in_loop || (product->rows <= MOST_SHARED_ROWS && product->how->group == 1));
    if (is_shared) return true;
    product->groups = NULL;
    product->devices = 1;
    return in_loop;
}

static void share_in_region(Panels *panels, Region *region) {
    for (Op *op = region->first, *next; op; op = next) {
        next = op->next;
        Product product = {.op = op};
        if (lower_class(op, NULL) == LOWER_CONTROL) {
            for (int r = 0; r < op->region_count; r++)
                share_in_region(panels, op->regions[r]);
        } else if (
            op->code == OP_DOT_GENERAL && has_shape(panels, &product) &&
            is_used_often(panels, &product)) {
            pack_before(panels, &product);
        }
    }
}

PassResult pass_share_panels(Module *module, PassContext *pass) {
    const Op *main = module_entry(module, (StrView){0});
    Panels panels = {.module = module, .arena = pass->scratch, .target = pass->target};
    if (!main || !panels.target || panels.target->reference_kernels) return PASS_UNCHANGED;
    if (!replicas_find_marked(module, main, pass->scratch, &panels.replicas))
        panels.replicas.values = 0; // nothing is known to be alike
    share_in_region(&panels, func_body(main));
    return panels.changed ? PASS_CHANGED : PASS_UNCHANGED;
}
