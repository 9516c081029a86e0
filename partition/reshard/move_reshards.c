// move_reshards: reshards go where they move fewer bytes, or where they meet equal ones.
//
//   In      sdy.reshard, before they become collectives
//   Out     - constants, iota and broadcasts are made in the wanted sharding
//           - a reshard goes before an elementwise op or a transpose when that costs no bytes and
//             no work (slices first, exchanges of the operand, gathers of a narrower type), behind
//             a conversion to a narrower type
//           - a reshard goes before a reverse when that moves fewer bytes, what the reverse fetches
//             included
//           - op(reshard(a), reshard(b)) is reshard(op(a, b))
//           - of two reshards in a row the second one is left, if it moves no more bytes than both
//   Keeps   every bit of every result
//
//   before  %1 = stablehlo.convert %0 : bf16 to f32      %0: [{"x"}]
//           %2 = sdy.reshard %1 [{}]
//   after   %1 = sdy.reshard %0 [{}]
//           %2 = stablehlo.convert %1
#include "ir/analysis/data_flow.h"
#include "ir/builder.h"
#include "partition/cost.h"
#include "partition/passes.h"
#include "partition/plan/reshard_plan.h"

typedef struct Mover {
    Module *module;
    Arena *scratch;
    bool changed;
} Mover;

// ---- costs ----

static int64_t reshard_bytes(
    const Mover *mover, const Type *type, const Sharding *from, const Sharding *to) {
    if (!to) to = from;
    if (!to) return 0;
    const ReshardPlan *plan = reshard_plan(mover->module, mover->scratch, type, from, to);
    return plan ? plan->bytes : step_bytes(mover->module, OP_SDY_RESHARD, type, from, to);
}

static int64_t tile_elements(const Mover *mover, const Type *type, const Sharding *sharding) {
    return tile_bytes(mover->module, type, sharding) / (int64_t)element_bytes(type->element);
}

// ---- shardings of operands ----

// The sharding of an operand with one dim per result dim of `of`; from[d] = -1: none.
static const Sharding *select_dims(
    Mover *mover, const Sharding *of, int rank, const int64_t *from) {
    if (!of) return NULL;
    DimSharding dims[MAX_RANK] = {0};
    for (int d = 0; d < rank; d++) {
        if (from[d] >= 0)
            dims[d] = of->dims[from[d]];
        else
            dims[d].priority = PRIORITY_NONE;
    }
    Sharding selected = *of;
    selected.rank = rank;
    selected.dims = dims;
    return sharding_intern(mover->module->context, &selected);
}

// How the operand of a transpose or broadcast_in_dim lies when the result lies as `to` says.
static const Sharding *view_operand_sharding(Mover *mover, const Op *op, const Sharding *to) {
    const Type *in = op_operand_type(op, 0), *out = op_result_type(op, 0);
    int64_t from[MAX_RANK] = {0};
    if (op->code == OP_TRANSPOSE) {
        IntSpan permutation = op_ints(op, NAME_PERMUTATION);
        for (int d = 0; d < out->rank; d++)
            from[permutation.data[d]] = d;
    } else {
        IntSpan dims = op_ints(op, NAME_BROADCAST_DIMENSIONS);
        for (int d = 0; d < in->rank; d++) {
            from[d] = in->dims[d] == out->dims[dims.data[d]] ? dims.data[d] : -1;
        }
    }
    return select_dims(mover, to, in->rank, from);
}

// ---- making ops in another sharding ----

static Value *make_reshard(Mover *mover, Builder *builder, Value *x, const Sharding *to) {
    const Sharding *from = value_sharding(mover->module, x);
    bool same =
        from == to || (sharding_is_fully_replicated(from) && sharding_is_fully_replicated(to));
    if (x->type->rank == 0 || same) return x;
    return build_reshard(builder, x, to);
}

static Value *clone_as(
    Mover *mover, Builder *builder, const Op *op, int operand_count, Value *const *operands,
    const Sharding *to) {
    PtrMap renamed = ptr_map(mover->scratch);
    for (int i = 0; i < operand_count; i++) {
        ptr_map_set(&renamed, op_operand(op, i), operands[i]);
    }
    Op *clone = op_clone(builder, op, &renamed);
    op_result(clone, 0)->sharding = to;
    return op_result(clone, 0);
}

// Values that any device can make any part of: constants, iota, broadcasts of scalars.
static bool is_free(const Value *value) {
    const Op *def = value->def;
    if (value->type->rank == 0) return true;
    if (!def) return false;
    if (def->code == OP_CONSTANT || def->code == OP_SDY_CONSTANT || def->code == OP_IOTA)
        return true;
    return def->code == OP_BROADCAST_IN_DIM && op_operand_type(def, 0)->rank == 0;
}

static void replace(Mover *mover, Op *op, Value *with) {
    value_replace_uses(op_result(op, 0), with);
    op_erase(op);
    mover->changed = true;
}

// ---- one reshard ----

// Constants are only made anew where that replaces communication: a replicated dense
// constant is sliced for nothing anyway.
static bool remake(Mover *mover, Op *reshard) {
    Value *x = op_operand(reshard, 0);
    const Sharding *to = op_result(reshard, 0)->sharding;
    if (!is_free(x) || !x->def || x->type->rank == 0) return false;
    const Op *def = x->def;
    Builder builder = builder_before(mover->module, reshard);
    int count = def->operand_count ? 1 : 0;
    Value *operand = count ? op_operand(def, 0) : NULL;
    replace(mover, reshard, clone_as(mover, &builder, def, count, &operand, to));
    return true;
}

// A broadcast of something smaller: the small one is resharded.
static bool reshard_before_broadcast(Mover *mover, Op *reshard) {
    Value *x = op_operand(reshard, 0);
    Op *def = x->def;
    if (!def || def->code != OP_BROADCAST_IN_DIM) return false;
    const Sharding *to = op_result(reshard, 0)->sharding;
    Value *small = op_operand(def, 0);
    const Sharding *wanted = view_operand_sharding(mover, def, to);
    const Sharding *from = value_sharding(mover->module, small);
    int64_t before = reshard_bytes(mover, x->type, value_sharding(mover->module, x), to);
    int64_t after = reshard_bytes(mover, small->type, from, wanted);
    if (after > before || (after == before && !value_has_one_use(x))) return false;
    Builder builder = builder_before(mover->module, reshard);
    Value *operand = make_reshard(mover, &builder, small, wanted);
    replace(mover, reshard, clone_as(mover, &builder, def, 1, &operand, to));
    return true;
}

// The one operand that is not free; -1 when there are more.
static int moving_operand(const Op *op) {
    int moving = -1;
    for (int i = 0; i < op->operand_count; i++) {
        if (is_free(op_operand(op, i))) continue;
        if (moving >= 0) return -1;
        moving = i;
    }
    return moving;
}

static bool is_movable(const Op *op) {
    if (op->result_count != 1 || op->region_count > 0) return false;
    return op_has(op, TRAIT_POINTWISE) || op->code == OP_TRANSPOSE;
}

static bool reshard_before_op(Mover *mover, Op *reshard) {
    Value *x = op_operand(reshard, 0);
    Op *def = x->def;
    if (!def || !is_movable(def) || !value_has_one_use(x) || def->parent != reshard->parent)
        return false;
    int moving = moving_operand(def);
    if (moving < 0) return false;
    const Sharding *to = op_result(reshard, 0)->sharding;
    const Sharding *from = value_sharding(mover->module, x);
    Value *operand = op_operand(def, moving);
    size_t width = element_bytes(x->type->element);
    size_t operand_width = element_bytes(operand->type->element);
    bool grows = tile_elements(mover, x->type, to) > tile_elements(mover, x->type, from);
    bool is_narrowing = def->code == OP_CONVERT && operand_width < width;
    if (grows ? !is_narrowing : operand_width > width) return false;
    Builder builder = builder_before(mover->module, reshard);
    Value **operands = ARENA_ARRAY(mover->scratch, Value *, def->operand_count);
    for (int i = 0; i < def->operand_count; i++) {
        const Sharding *wanted =
            def->code == OP_TRANSPOSE ? view_operand_sharding(mover, def, to) : to;
        operands[i] = make_reshard(mover, &builder, op_operand(def, i), wanted);
    }
    replace(mover, reshard, clone_as(mover, &builder, def, def->operand_count, operands, to));
    op_erase(def);
    return true;
}

static Op *only_reshard(const Value *value) {
    Op *def = value->def;
    return def && def->code == OP_SDY_RESHARD && value_has_one_use(value) ? def : NULL;
}

// Bytes that a reverse fetches from other devices when its result lies so: its tile from the
// opposite device, and the rest of what does not divide from a neighbour.
static int64_t reverse_bytes(const Mover *mover, const Op *op, const Sharding *sharding) {
    const Type *type = op_result_type(op, 0);
    const Mesh *mesh = sharding ? sharding_mesh(mover->module, sharding) : NULL;
    IntSpan reversed = op_ints(op, NAME_DIMENSIONS);
    int64_t tiles = 0;
    for (int i = 0; i < reversed.count; i++) {
        int d = (int)reversed.data[i];
        int64_t parts = sharding_dim_size(mesh, sharding, d);
        if (parts == 1) continue;
        if (tiles == 0) tiles = 1;
        if (type->dims[d] % parts != 0) tiles++;
    }
    return tiles * tile_bytes(mover->module, type, sharding);
}

// reshard(reverse(x)): reverse(reshard(x)) when that moves less.
static bool reshard_before_reverse(Mover *mover, Op *reshard) {
    const Value *x = op_operand(reshard, 0);
    Op *def = x->def;
    if (!def || def->code != OP_REVERSE || !value_has_one_use(x)) return false;
    if (def->parent != reshard->parent) return false;
    const Sharding *from = value_sharding(mover->module, x);
    const Sharding *to = op_result(reshard, 0)->sharding;
    Value *operand = op_operand(def, 0);
    Op *inner = only_reshard(operand);
    Value *source = inner ? op_operand(inner, 0) : operand;
    const Sharding *at_source = value_sharding(mover->module, source);
    int64_t before = reshard_bytes(mover, x->type, at_source, from) +
                     reverse_bytes(mover, def, from) + reshard_bytes(mover, x->type, from, to);
    int64_t after = reshard_bytes(mover, x->type, at_source, to) + reverse_bytes(mover, def, to);
    if (after >= before) return false;
    Builder builder = builder_before(mover->module, reshard);
    Value *moved = make_reshard(mover, &builder, source, to);
    replace(mover, reshard, clone_as(mover, &builder, def, 1, &moved, to));
    op_erase(def);
    if (inner) op_erase(inner);
    return true;
}

// ---- one user of reshards ----

// convert(reshard(x)) to a narrower type: reshard(convert(x)).
static bool convert_before_reshard(Mover *mover, Op *op) {
    if (op->code != OP_CONVERT) return false;
    Op *reshard = only_reshard(op_operand(op, 0));
    if (!reshard || reshard->parent != op->parent) return false;
    Value *x = op_operand(reshard, 0);
    const Sharding *from = value_sharding(mover->module, x), *to = op_result(op, 0)->sharding;
    bool narrows = element_bytes(op_result_type(op, 0)->element) < element_bytes(x->type->element);
    if (!narrows || to != op_result(reshard, 0)->sharding) return false;
    if (tile_elements(mover, x->type, from) > tile_elements(mover, x->type, to)) return false;
    Builder builder = builder_before(mover->module, op);
    Value *narrow = clone_as(mover, &builder, op, 1, &x, from);
    builder.loc = reshard->loc;
    replace(mover, op, make_reshard(mover, &builder, narrow, to));
    op_erase(reshard);
    return true;
}

// op(reshard(a), reshard(b)) with equal reshards that do not make tiles smaller: reshard(op(a, b)).
static bool merge_reshards(Mover *mover, Op *op) {
    if (op->operand_count != 2 || op->result_count != 1 || !op_has(op, TRAIT_POINTWISE))
        return false;
    Op *reshards[2];
    for (int i = 0; i < 2; i++) {
        reshards[i] = only_reshard(op_operand(op, i));
        if (!reshards[i] || reshards[i]->parent != op->parent) return false;
    }
    const Sharding *to = op_result(op, 0)->sharding;
    Value *a = op_operand(reshards[0], 0), *b = op_operand(reshards[1], 0);
    const Sharding *from = value_sharding(mover->module, a);
    bool alike = from && from == value_sharding(mover->module, b) &&
                 op_result(reshards[0], 0)->sharding == to &&
                 op_result(reshards[1], 0)->sharding == to;
    if (!alike || from->unreduced_count > 0) return false;
    if (tile_elements(mover, a->type, from) > tile_elements(mover, a->type, to)) return false;
    Builder builder = builder_before(mover->module, op);
    Value *operands[2] = {a, b};
    Value *result = clone_as(mover, &builder, op, 2, operands, from);
    builder.loc = reshards[0]->loc;
    replace(mover, op, make_reshard(mover, &builder, result, to));
    op_erase(reshards[0]);
    op_erase(reshards[1]);
    return true;
}

static bool merge_chain(Mover *mover, Op *reshard) {
    Op *first = only_reshard(op_operand(reshard, 0));
    if (!first || first->parent != reshard->parent) return false;
    Value *x = op_operand(first, 0);
    const Sharding *from = value_sharding(mover->module, x), *by = op_result(first, 0)->sharding,
                   *to = op_result(reshard, 0)->sharding;
    if (!from || from->unreduced_count > 0 || !by || by->unreduced_count > 0) return false;
    int64_t both = reshard_bytes(mover, x->type, from, by) + reshard_bytes(mover, x->type, by, to);
    if (reshard_bytes(mover, x->type, from, to) > both) return false;
    op_set_operand(reshard, 0, x);
    op_erase(first);
    mover->changed = true;
    return true;
}

static bool visit(Op *op, void *user) {
    Mover *mover = user;
    if (op->code == OP_SDY_RESHARD) {
        if (!op_result(op, 0)->sharding || op_result(op, 0)->sharding->unreduced_count > 0)
            return true;
        const Sharding *from = value_sharding(mover->module, op_operand(op, 0));
        if (from && from->unreduced_count > 0) return true;
        if (!merge_chain(mover, op) && !remake(mover, op) && !reshard_before_broadcast(mover, op) &&
            !reshard_before_reverse(mover, op))
            reshard_before_op(mover, op);
        return true;
    }
    if (!convert_before_reshard(mover, op)) merge_reshards(mover, op);
    return true;
}

PassResult pass_move_reshards(Module *module, PassContext *pass) {
    bool changed = false;
    // Every round moves each reshard by one op; a chain is rarely longer.
    for (int round = 0; round < 16; round++) {
        Mover mover = {.module = module, .scratch = pass->scratch};
        region_walk(module->body, visit, &mover);
        changed = changed || mover.changed;
        if (!mover.changed) break;
    }
    return changed ? PASS_CHANGED : PASS_UNCHANGED;
}
