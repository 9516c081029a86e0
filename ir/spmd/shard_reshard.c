// shard_reshard: one device's part from one sharding to another, by collectives of the
// dialect shard: one axis at a time.
//
//   test-grid-resharding-partition
//   before  %0 = shard.shard %x to %a : tensor<10x14xf32>          split_axes = [[0]]
//           %1 = shard.shard %0 to %b annotate_for_users : ...     split_axes = [[], [0]]
//   after   %0 = builtin.unrealized_conversion_cast %x : tensor<10x14xf32> to tensor<5x14xf32>
//           %1 = shard.all_to_all %0 on @g grid_axes = [0] split_axis = 1 concat_axis = 0
//                : tensor<5x14xf32> -> tensor<10x7xf32>
//           %2 = builtin.unrealized_conversion_cast %1 : tensor<10x7xf32> to tensor<10x14xf32>
#include "ir/spmd/spmd.h"

typedef struct Reshard {
    Builder *builder;
    const Type *global;
    StrView grid;
    IntSpan shape;
    int rank;
    int64_t axes[MAX_RANK][MAX_AXES];
    int counts[MAX_RANK];
    Value *part;
} Reshard;

static void set_index(Module *module, Op *op, AttrName name, int64_t number) {
    op_set_attr(module, op, name, attr_int(module->context, number, ELEMENT_INDEX));
}

// A dimension of the part times or divided by an axis's size; not known where that does not follow.
static const Type *resized(const Reshard *r, int grown, int shrunk, int64_t axis) {
    const Type *type = r->part->type;
    int64_t dims[MAX_RANK], size = r->shape.data[axis];
    for (int d = 0; d < type->rank; d++) {
        dims[d] = type->dims[d];
        if (d != grown && d != shrunk) continue;
        bool is_known = dims[d] != DIM_DYNAMIC && size != DIM_DYNAMIC && size > 0;
        if (d == shrunk && is_known && dims[d] % size != 0) is_known = false;
        dims[d] = !is_known ? DIM_DYNAMIC : d == grown ? dims[d] * size : dims[d] / size;
    }
    return type_with_dims(r->builder->module->context, type, type->rank, dims);
}

static int64_t last_axis(const Reshard *r, int d) { return r->axes[d][r->counts[d] - 1]; }

static Op *collective(Reshard *r, OpCode code, int64_t axis, const Type *type) {
    Op *op = build_shard_collective(r->builder, code, r->grid, (IntSpan){&axis, 1}, r->part, type);
    r->part = op_result(op, 0);
    return op;
}

static void move_axis(Reshard *r, int from, int to) {
    int64_t axis = last_axis(r, from);
    Op *op = collective(r, OP_SHARD_ALL_TO_ALL, axis, resized(r, from, to, axis));
    set_index(r->builder->module, op, NAME_SPLIT_AXIS, to);
    set_index(r->builder->module, op, NAME_CONCAT_AXIS, from);
    r->counts[from]--;
    r->axes[to][r->counts[to]++] = axis;
}

static void split_axis(Reshard *r, int dim, int64_t axis) {
    Op *op = collective(r, OP_SHARD_ALL_SLICE, axis, resized(r, -1, dim, axis));
    set_index(r->builder->module, op, NAME_SLICE_AXIS, dim);
    r->axes[dim][r->counts[dim]++] = axis;
}

static void unsplit_axis(Reshard *r, int dim) {
    int64_t axis = last_axis(r, dim);
    Op *op = collective(r, OP_SHARD_ALL_GATHER, axis, resized(r, dim, -1, axis));
    set_index(r->builder->module, op, NAME_GATHER_AXIS, dim);
    r->counts[dim]--;
}

// Is what the dimension has the beginning of what it is to have?
static bool is_prefix(const Reshard *r, int d, const ShardSpec *to) {
    IntSpan wanted = spec_axes(to, d);
    if (r->counts[d] > wanted.count) return false;
    for (int i = 0; i < r->counts[d]; i++) {
        if (r->axes[d][i] != wanted.data[i]) return false;
    }
    return true;
}

// The dimension that takes the axis next, as it is to be; -1 when none does.
static int taker(const Reshard *r, const ShardSpec *to, int64_t axis) {
    for (int d = 0; d < r->rank; d++) {
        IntSpan wanted = spec_axes(to, d);
        if (is_prefix(r, d, to) && r->counts[d] < wanted.count && wanted.data[r->counts[d]] == axis)
            return d;
    }
    return -1;
}

static bool is_used(const Reshard *r, int64_t axis) {
    for (int d = 0; d < r->rank; d++) {
        if (ints_contain((IntSpan){r->axes[d], r->counts[d]}, axis)) return true;
    }
    return false;
}

// Axes that stand wrongly move to where they belong, or are gathered; then
// those that are missing are sliced.
static void change_axes(Reshard *r, const ShardSpec *to) {
    for (bool changed = true; changed;) {
        changed = false;
        for (int d = 0; d < r->rank && !changed; d++) {
            if (is_prefix(r, d, to)) continue;
            int target = taker(r, to, last_axis(r, d));
            if (target < 0) continue;
            move_axis(r, d, target);
            changed = true;
        }
        for (int d = 0; d < r->rank && !changed; d++) {
            if (is_prefix(r, d, to)) continue;
            unsplit_axis(r, d);
            changed = true;
        }
        for (int d = 0; d < r->rank && !changed; d++) {
            IntSpan wanted = spec_axes(to, d);
            if (r->counts[d] == wanted.count || is_used(r, wanted.data[r->counts[d]])) continue;
            split_axis(r, d, wanted.data[r->counts[d]]);
            changed = true;
        }
    }
}

// --- halos ---

static Value *slice(Builder *builder, Value *part, const Type *type, const int64_t *offsets) {
    Module *module = builder->module;
    int64_t strides[MAX_RANK];
    for (int d = 0; d < type->rank; d++)
        strides[d] = 1;
    Op *op = build_op(builder, OP_TENSOR_EXTRACT_SLICE, 1, &part, 1, &type, 0);
    op_set_attr(module, op, NAME_STATIC_OFFSETS, attr_ints(module->context, type->rank, offsets));
    op_set_attr(module, op, NAME_STATIC_SIZES, attr_ints(module->context, type->rank, type->dims));
    op_set_attr(module, op, NAME_STATIC_STRIDES, attr_ints(module->context, type->rank, strides));
    return op_result(op, 0);
}

// The part without its halos: offsets of its own elements in it.
static bool own_offsets(const Reshard *r, const ShardSpec *spec, int64_t *offsets) {
    int at = 0;
    for (int d = 0; d < r->rank; d++) {
        offsets[d] = 0;
        if (spec_axes(spec, d).count == 0 || at + 1 >= spec->halo_sizes.count) continue;
        offsets[d] = spec->halo_sizes.data[at];
        if (offsets[d] == DIM_DYNAMIC || spec->halo_sizes.data[at + 1] == DIM_DYNAMIC) return false;
        at += 2;
    }
    return true;
}

static bool drop_halos(Reshard *r, const ShardSpec *from) {
    if (from->halo_sizes.count == 0) return true;
    ShardSpec plain = *from;
    plain.halo_sizes = (IntSpan){NULL, 0};
    const Type *type = spec_local_type(r->builder->module, r->global, &plain);
    int64_t offsets[MAX_RANK];
    if (!own_offsets(r, from, offsets) || !type_is_static(type)) return false;
    r->part = slice(r->builder, r->part, type, offsets);
    return true;
}

// The own elements in a larger tensor, whose borders the neighbours fill.
static bool add_halos(Reshard *r, const ShardSpec *to) {
    if (to->halo_sizes.count == 0) return true;
    Module *module = r->builder->module;
    Context *context = module->context;
    const Type *type = spec_local_type(module, r->global, to);
    int64_t offsets[MAX_RANK], strides[MAX_RANK];
    if (!own_offsets(r, to, offsets) || !type_is_static(type) || !type_is_static(r->part->type))
        return false;
    for (int d = 0; d < r->rank; d++)
        strides[d] = 1;
    Op *empty = build_op(r->builder, OP_TENSOR_EMPTY, 0, NULL, 1, &type, 0);
    Value *operands[] = {r->part, op_result(empty, 0)};
    Op *insert = build_op(r->builder, OP_TENSOR_INSERT_SLICE, 2, operands, 1, &type, 0);
    op_set_attr(module, insert, NAME_STATIC_OFFSETS, attr_ints(context, r->rank, offsets));
    op_set_attr(
        module, insert, NAME_STATIC_SIZES, attr_ints(context, r->rank, r->part->type->dims));
    op_set_attr(module, insert, NAME_STATIC_STRIDES, attr_ints(context, r->rank, strides));
    Op *update = build_shard_collective(
        r->builder, OP_SHARD_UPDATE_HALO, r->grid, (IntSpan){NULL, 0}, op_result(insert, 0), type);
    op_set_attr(module, update, NAME_SPLIT_AXES, to->split_axes);
    op_set_attr(
        module, update, NAME_STATIC_HALO_SIZES,
        attr_ints(context, to->halo_sizes.count, to->halo_sizes.data));
    r->part = op_result(update, 0);
    return true;
}

// --- partial values ---

// Sums what is partial and is not to be.
static bool reduce_partial(Reshard *r, const ShardSpec *from, const ShardSpec *to) {
    int64_t axes[MAX_AXES];
    int count = 0;
    for (int i = 0; i < from->partial.count; i++) {
        if (!ints_contain(to->partial, from->partial.data[i]))
            axes[count++] = from->partial.data[i];
    }
    for (int i = 0; i < to->partial.count; i++) {
        if (!ints_contain(from->partial, to->partial.data[i])) return false;
    }
    if (count == 0) return true;
    Module *module = r->builder->module;
    Op *op = build_shard_collective(
        r->builder, OP_SHARD_ALL_REDUCE, r->grid, (IntSpan){axes, count}, r->part, r->part->type);
    if (from->partial_type != SHARD_REDUCTION_sum)
        op_set_attr(
            module, op, NAME_REDUCTION,
            attr_enum(module->context, ENUM_SHARD_REDUCTION, (int)from->partial_type));
    r->part = op_result(op, 0);
    return true;
}

static Value *cannot(Diags *diags, const Loc *loc, const char *what) {
    diag_unsupported(diags, loc, "a reshard %s is not supported", what);
    return NULL;
}

Value *reshard_part(
    Builder *builder, Diags *diags, Value *part, const Type *global, const ShardSpec *from,
    const ShardSpec *to) {
    if (spec_equal(from, to)) return part;
    if (!strview_equal(from->grid, to->grid))
        return cannot(diags, builder->loc, "from one grid to another");
    if (from->offsets.count > 0 || to->offsets.count > 0)
        return cannot(diags, builder->loc, "of uneven shards (sharded_dims_offsets)");
    Reshard r = {
        .builder = builder,
        .global = global,
        .grid = from->grid,
        .shape = grid_shape(builder->module, from->grid),
        .rank = global->rank,
        .part = part};
    for (int d = 0; d < r.rank; d++) {
        IntSpan axes = spec_axes(from, d);
        for (int i = 0; i < axes.count && i < MAX_AXES; i++)
            r.axes[d][r.counts[d]++] = axes.data[i];
    }
    for (int d = 0; d < r.rank; d++) {
        IntSpan all[] = {spec_axes(from, d), spec_axes(to, d)};
        for (int k = 0; k < 2; k++) {
            for (int i = 0; i < all[k].count; i++) {
                if (all[k].data[i] >= r.shape.count)
                    return cannot(diags, builder->loc, "on axes that the grid does not have");
            }
        }
    }
    if (!reduce_partial(&r, from, to)) return cannot(diags, builder->loc, "to a partial value");
    if (!drop_halos(&r, from)) return cannot(diags, builder->loc, "of halos of unknown sizes");
    change_axes(&r, to);
    if (!add_halos(&r, to)) return cannot(diags, builder->loc, "of halos of unknown sizes");
    const Type *wanted = spec_local_type(builder->module, global, to);
    if (r.part->type != wanted)
        r.part = op_result(build_op(builder, OP_TENSOR_CAST, 1, &r.part, 1, &wanted, 0), 0);
    return r.part;
}

// --- the pass ---

typedef struct ReshardPass {
    Module *module;
    Diags *diags;
    bool changed, failed;
} ReshardPass;

static Value *cast(Builder *builder, Value *value, const Type *type) {
    if (value->type == type) return value;
    return op_result(build_op(builder, OP_UNREALIZED_CAST, 1, &value, 1, &type, 0), 0);
}

static bool visit(Op *op, void *user) {
    ReshardPass *p = user;
    Op *source = op->code == OP_SHARD_SHARD ? op_operand(op, 0)->def : NULL;
    ShardSpec from, to;
    if (!source || source->code != OP_SHARD_SHARD || !shard_spec_of(source, &from) ||
        !shard_spec_of(op, &to) || op_result_type(op, 0)->kind != TYPE_TENSOR ||
        op_result_type(op, 0)->unranked)
        return true;
    const Type *global = op_result_type(op, 0);
    Builder builder = builder_before(p->module, op);
    Value *value = op_operand(source, 0);
    if (!spec_equal(&from, &to)) {
        Value *part = cast(&builder, value, spec_local_type(p->module, global, &from));
        part = reshard_part(&builder, p->diags, part, global, &from, &to);
        if (!part) {
            p->failed = true;
            return false;
        }
        value = cast(&builder, part, global);
    }
    value_replace_uses(op_result(op, 0), value);
    op_erase(op);
    p->changed = true;
    return true;
}

static bool sweep(Op *op, void *user) {
    bool *changed = user;
    bool is_mark = op->code == OP_SHARD_SHARD || op->code == OP_SHARD_SHARDING;
    if (!is_mark || op_result(op, 0)->uses) return true;
    op_erase(op);
    *changed = true;
    return true;
}

PassResult pass_reshard_shard(Module *module, PassContext *pass) {
    ReshardPass p = {.module = module, .diags = pass->diags};
    region_walk(module->body, visit, &p);
    if (p.failed) return PASS_FAILED;
    for (bool changed = p.changed; changed;) {
        changed = false;
        region_walk(module->body, sweep, &changed);
    }
    return p.changed ? PASS_CHANGED : PASS_UNCHANGED;
}
