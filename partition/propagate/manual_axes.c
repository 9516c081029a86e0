// manual_axes: manual computations in normal form.
//
//   Out     manual axes in mesh order; each in/out sharding mentions all of
//           them, unused ones as replicated
//   Fails   on a manual computation without inputs and outputs that has manual axes and a body
#include "base/vec.h"
#include "ir/analysis/data_flow.h"
#include "ir/builder.h"
#include "partition/passes.h"
#include "partition/propagate/projection.h"

typedef VEC(AxisRef) AxisVec;

typedef struct Cleanup {
    Module *module;
    PassContext *pass;
    bool failed;
} Cleanup;

static void sort_and_merge(const Mesh *mesh, AxisVec *axes) {
    for (int64_t i = 1; i < axes->count; i++) {
        AxisRef moved = axes->data[i];
        int64_t k = i;
        for (; k > 0 && axis_ref_compare(mesh, &moved, &axes->data[k - 1]) < 0; k--)
            axes->data[k] = axes->data[k - 1];
        axes->data[k] = moved;
    }
    int count = 0;
    for (int64_t i = 0; i < axes->count; i++)
        axes_append(mesh, axes->data, &count, axes->data[i]);
    axes->count = count;
}

// The parts of `axis` that the used axes leave, appended to `unused`.
static void add_unused_parts(
    Arena *arena, const Mesh *mesh, const AxisRef *axis, const AxisVec *used, AxisVec *unused) {
    int64_t position = axis_ref_pre_size(axis), end = axis_ref_next_pre_size(mesh, axis);
    while (position < end) {
        int64_t covered_until = position, next_start = end;
        for (int64_t i = 0; i < used->count; i++) {
            const AxisRef *other = &used->data[i];
            if (!strview_equal(other->name, axis->name)) continue;
            int64_t start = axis_ref_pre_size(other), stop = axis_ref_next_pre_size(mesh, other);
            if (start <= position && stop > covered_until) covered_until = stop;
            if (start > position && start < next_start) next_start = start;
        }
        if (covered_until == position) {
            vec_push(
                arena, unused, axis_ref_make(mesh, axis->name, position, next_start / position));
            covered_until = next_start;
        }
        position = covered_until;
    }
}

static const Sharding *with_unused_axes(
    Cleanup *cleanup, const Op *op, const Sharding *sharding, const Mesh *mesh, StrView mesh_name) {
    Arena *arena = cleanup->pass->scratch;
    AxisVec used = {0}, unused = {0};
    for (int d = 0; d < sharding->rank; d++) {
        for (int i = 0; i < sharding->dims[d].axis_count; i++)
            vec_push(arena, &used, sharding->dims[d].axes[i]);
    }
    for (int i = 0; i < sharding->replicated_count; i++)
        vec_push(arena, &used, sharding->replicated[i]);
    for (int i = 0; i < sharding->unreduced_count; i++)
        vec_push(arena, &used, sharding->unreduced[i]);
    const Attr *manual = op_attr(op, NAME_MANUAL_AXES);
    for (int i = 0; manual && i < manual->count; i++) {
        add_unused_parts(arena, mesh, &manual->axes[i], &used, &unused);
    }
    if (unused.count == 0) return sharding;
    AxisVec replicated = {0};
    for (int i = 0; i < sharding->replicated_count; i++)
        vec_push(arena, &replicated, sharding->replicated[i]);
    for (int64_t i = 0; i < unused.count; i++)
        vec_push(arena, &replicated, unused.data[i]);
    sort_and_merge(mesh, &replicated);
    Sharding completed = *sharding;
    completed.mesh_name = mesh_name;
    completed.mesh = mesh_name.size == 0 ? mesh : NULL;
    completed.replicated = replicated.data;
    completed.replicated_count = (int)replicated.count;
    return sharding_intern(cleanup->module->context, &completed);
}

static void complete(Cleanup *cleanup, Op *op, AttrName name, const Mesh *mesh, StrView mesh_name) {
    const Attr *attr = op_attr(op, name);
    if (!attr || attr->kind != ATTR_SHARDINGS) return;
    const Sharding **shardings = ARENA_ARRAY(cleanup->pass->scratch, const Sharding *, attr->count);
    int values = name == NAME_IN_SHARDINGS ? op->operand_count : op->result_count;
    for (int i = 0; i < attr->count; i++) {
        shardings[i] = attr->shardings[i];
        if (i >= values || !shardings[i]) continue;
        const Type *type =
            name == NAME_IN_SHARDINGS ? op_operand_type(op, i) : op_result_type(op, i);
        if (type->kind == TYPE_TENSOR)
            shardings[i] = with_unused_axes(cleanup, op, shardings[i], mesh, mesh_name);
    }
    region_set_shardings(cleanup->module, op, name, attr->count, shardings);
}

static void sort_manual_axes(Cleanup *cleanup, Op *op, const Mesh *mesh) {
    const Attr *manual = op_attr(op, NAME_MANUAL_AXES);
    if (!manual || manual->count < 2) return;
    AxisVec axes = {0};
    for (int i = 0; i < manual->count; i++)
        vec_push(cleanup->pass->scratch, &axes, manual->axes[i]);
    sort_and_merge(mesh, &axes);
    op_set_attr(
        cleanup->module, op, NAME_MANUAL_AXES,
        attr_axes(cleanup->module->context, (int)axes.count, axes.data));
}

static bool clean_op(Op *op, void *user) {
    Cleanup *cleanup = user;
    if (op->code != OP_SDY_MANUAL) return true;
    const Attr *in = op_attr(op, NAME_IN_SHARDINGS), *out = op_attr(op, NAME_OUT_SHARDINGS);
    const Attr *manual = op_attr(op, NAME_MANUAL_AXES);
    int in_count = in ? in->count : 0, out_count = out ? out->count : 0;
    if (in_count + out_count == 0) {
        const Op *first = op->regions[0]->first;
        if (manual && manual->count > 0 && first && first->code != OP_SDY_RETURN) {
            diag_error(
                cleanup->pass->diags, op->loc,
                "op has manual_axes when there are no in/out shardings and the body is not "
                "empty. This isn't allowed at this stage, please contact the Shardy team or file a "
                "bug.");
            cleanup->failed = true;
        }
        return true;
    }
    const Sharding **all =
        ARENA_ARRAY(cleanup->pass->scratch, const Sharding *, in_count + out_count);
    for (int i = 0; i < in_count; i++)
        all[i] = in->shardings[i];
    for (int i = 0; i < out_count; i++)
        all[in_count + i] = out->shardings[i];
    StrView mesh_name = {0};
    const Mesh *mesh = common_mesh(cleanup->module, in_count + out_count, all, &mesh_name);
    if (!mesh) return true;
    sort_manual_axes(cleanup, op, mesh);
    complete(cleanup, op, NAME_IN_SHARDINGS, mesh, mesh_name);
    complete(cleanup, op, NAME_OUT_SHARDINGS, mesh, mesh_name);
    return true;
}

PassResult pass_manual_axes_cleanup(Module *module, PassContext *pass) {
    Cleanup cleanup = {.module = module, .pass = pass};
    region_walk(module->body, clean_op, &cleanup);
    return cleanup.failed ? PASS_FAILED : PASS_CHANGED;
}
