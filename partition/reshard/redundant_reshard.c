// redundant_reshard: a reshard that moves data as an earlier one has done,
// reshapes and transposes aside.
//
// Both reshards see one root value: the later one through any reshapes and transposes, the earlier
// one through reshapes alone, which keep the order of the elements. They are equal when every axis
// steps over as many elements in both.
//
//   source  Shardy's canonicalization of sdy.reshard
#include "partition/reshard/redundant_reshard.h"

#include "base/vec.h"
#include "partition/propagate/projection.h"

static bool moves_no_data(const Op *op) {
    return op && (op->code == OP_RESHAPE || op->code == OP_TRANSPOSE);
}

// ---- when two shardings are one order of the same elements ----

typedef struct AxisStep {
    AxisRef axis;
    double stride; // elements from one coordinate of the axis to the next
} AxisStep;

typedef struct AxisSteps {
    int count;
    AxisStep steps[MAX_RANK * MAX_AXIS_REFS];
} AxisSteps;

static void insert_step(AxisSteps *steps, AxisStep step) {
    int at = steps->count++;
    for (; at > 0 && steps->steps[at - 1].stride > step.stride; at--)
        steps->steps[at] = steps->steps[at - 1];
    steps->steps[at] = step;
}

// Parts of one axis that step on where the other ends are one part.
static void merge_steps(const Mesh *mesh, AxisSteps *steps) {
    int count = 0;
    for (int i = 0; i < steps->count; i++) {
        const AxisStep *step = &steps->steps[i];
        AxisStep *last = &steps->steps[count > 0 ? count - 1 : 0];
        if (count > 0 && axis_ref_can_merge(mesh, &step->axis, &last->axis) &&
            step->stride == last->stride * (double)axis_ref_size(mesh, &last->axis)) {
            last->axis = axis_ref_merge(mesh, &step->axis, &last->axis);
        } else {
            steps->steps[count++] = *step;
        }
    }
    steps->count = count;
}

static void find_steps(
    const Mesh *mesh, const Sharding *sharding, const Type *type, AxisSteps *steps) {
    steps->count = 0;
    double row = 1; // elements behind one step in the dim
    for (int d = sharding->rank - 1; d >= 0; d--) {
        AxisSpan axes = dim_axes(sharding, d);
        int64_t parts = axis_list_size(mesh, axes.axes, axes.count);
        int64_t tile = (type->dims[d] + parts - 1) / parts;
        double stride = row * (double)tile;
        for (int i = axes.count - 1; i >= 0; i--) {
            insert_step(steps, (AxisStep){axes.axes[i], stride});
            stride *= (double)axis_ref_size(mesh, &axes.axes[i]);
        }
        row *= (double)type->dims[d];
    }
    merge_steps(mesh, steps);
}

static bool same_axes(int count, const AxisRef *a, int other_count, const AxisRef *b) {
    return axis_span_equal((AxisSpan){count, a}, (AxisSpan){other_count, b});
}

static bool same_order(
    const Module *module, Arena *arena, const Sharding *a, const Type *a_type, const Sharding *b,
    const Type *b_type) {
    if (a == b && a_type == b_type) return true;
    if (!a || !b || a->mesh != b->mesh || !strview_equal(a->mesh_name, b->mesh_name)) return false;
    if (!same_axes(a->replicated_count, a->replicated, b->replicated_count, b->replicated) ||
        !same_axes(a->unreduced_count, a->unreduced, b->unreduced_count, b->unreduced))
        return false;
    const Mesh *mesh = sharding_mesh(module, a);
    if (!mesh || !type_is_static(a_type) || !type_is_static(b_type)) return false;
    AxisSteps *steps = ARENA_ARRAY(arena, AxisSteps, 2);
    find_steps(mesh, a, a_type, &steps[0]);
    find_steps(mesh, b, b_type, &steps[1]);
    if (steps[0].count != steps[1].count) return false;
    for (int i = 0; i < steps[0].count; i++) {
        const AxisStep *x = &steps[0].steps[i], *y = &steps[1].steps[i];
        if (!axis_ref_equal(&x->axis, &y->axis) || x->stride != y->stride) return false;
    }
    return true;
}

// ---- the search ----

typedef VEC(Op *) OpList;

// The sharding that the reshard asks for, at the other end of the transposes before it.
static const Sharding *sharding_at_root(
    Context *context, const Sharding *sharding, const Value *value) {
    for (; moves_no_data(value->def); value = op_operand(value->def, 0)) {
        const Op *op = value->def;
        if (op->code == OP_RESHAPE) {
            if (op_operand_type(op, 0)->rank != value->type->rank) break;
            continue;
        }
        IntSpan permutation = op_ints(op, NAME_PERMUTATION);
        if (permutation.count != sharding->rank) break;
        DimSharding dims[MAX_RANK] = {0};
        for (int d = 0; d < permutation.count; d++)
            dims[permutation.data[d]] = sharding->dims[d];
        Sharding moved = *sharding;
        moved.dims = dims;
        sharding = sharding_intern(context, &moved);
    }
    return sharding;
}

static bool comes_before(const Op *first, const Op *second) {
    if (first->parent != second->parent) return false;
    for (const Op *op = second->prev; op; op = op->prev) {
        if (op == first) return true;
    }
    return false;
}

static Op *find_equal(Module *module, Arena *arena, Value *root, const Op *reshard) {
    const Sharding *wanted =
        sharding_at_root(module->context, op_result(reshard, 0)->sharding, op_operand(reshard, 0));
    VEC(Value *) work = {0};
    vec_push(arena, &work, root);
    while (work.count) {
        const Value *value = work.data[--work.count];
        for (const Use *use = value->uses; use; use = use->next) {
            Op *user = use->owner;
            if (user->code == OP_RESHAPE) vec_push(arena, &work, op_result(user, 0));
            if (user->code != OP_SDY_RESHARD || user == reshard) continue;
            const Value *result = op_result(user, 0);
            if (same_order(
                    module, arena, result->sharding, result->type, wanted,
                    op_result_type(reshard, 0)) &&
                comes_before(user, reshard))
                return user;
        }
    }
    return NULL;
}

Value *redundant_reshard_value(Module *module, Arena *arena, Op *reshard) {
    OpList path = {0}; // from the reshard's operand to the root
    Value *root = op_operand(reshard, 0);
    if (!op_result(reshard, 0)->sharding) return NULL;
    for (; moves_no_data(root->def); root = op_operand(root->def, 0))
        vec_push(arena, &path, root->def);
    Op *equal = find_equal(module, arena, root, reshard);
    if (!equal) return NULL;
    Builder builder = builder_before(module, reshard);
    Value *value = op_result(equal, 0);
    if (value->type != root->type)
        value = build_reshape(&builder, value, root->type->rank, root->type->dims);
    for (int64_t i = path.count - 1; i >= 0; i--) {
        PtrMap renamed = ptr_map(arena);
        ptr_map_set(&renamed, op_operand(path.data[i], 0), value);
        value = op_result(op_clone(&builder, path.data[i], &renamed), 0);
    }
    return value;
}
