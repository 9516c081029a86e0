// sdy.manual_computation in a global program: where lanes become devices.
//
// manual_computation: every device of the mesh runs the body on its slice of the operands. Only
// manual axes slice; devices that differ in free axes alone hold the same values. A dimension that
// its axes do not divide is cut into ceil(dim / n) pieces, the last ones padded with zeros. Over
// unreduced manual axes an operand is a sum of one part and zeros (or a maximum of equal parts),
// and a result is the sum, maximum or minimum of the devices' parts.
#include "ir/eval/eval_internal.h"

#include <string.h>

typedef struct Manual {
    const Mesh *mesh;
    int device_count;
    int *devices;        // by mesh index
    const Attr *axes;    // ATTR_AXES: the manual axes
    bool was_on_devices; // nested in another manual computation
} Manual;

static bool is_manual_axis(const Manual *manual, const AxisRef *axis) {
    for (int i = 0; manual->axes && i < manual->axes->count; i++) {
        if (manual->axes->axes[i].name.data == axis->name.data) return true;
    }
    return false;
}

// The piece of dimension d that the device at a mesh index holds, and how many pieces there are.
static int64_t piece_of(
    const Manual *manual, const Sharding *sharding, int d, int64_t index, int64_t *pieces) {
    AxisRef axes[MAX_AXIS_REFS];
    int count = 0;
    const DimSharding *dim = &sharding->dims[d];
    for (int i = 0; i < dim->axis_count && count < MAX_AXIS_REFS; i++) {
        if (is_manual_axis(manual, &dim->axes[i])) axes[count++] = dim->axes[i];
    }
    *pieces = axis_list_size(manual->mesh, axes, count);
    return axis_list_coordinate(manual->mesh, axes, count, index);
}

// Which part of an unreduced value the device at a mesh index holds, and how many parts there are.
// Unreduced axes that are not manual say nothing: what the body sees is their sum.
static int64_t part_of(
    const Manual *manual, const Sharding *sharding, int64_t index, int64_t *parts) {
    AxisRef axes[MAX_AXIS_REFS];
    int count = 0;
    for (int i = 0; i < sharding->unreduced_count && count < MAX_AXIS_REFS; i++) {
        if (is_manual_axis(manual, &sharding->unreduced[i])) axes[count++] = sharding->unreduced[i];
    }
    *parts = axis_list_size(manual->mesh, axes, count);
    return axis_list_coordinate(manual->mesh, axes, count, index);
}

// Does the device's part of an unreduced operand hold zeros, because another device's has the
// numbers?
static bool holds_zeros(const Manual *manual, const Sharding *sharding, int64_t index) {
    int64_t parts = 1;
    return sharding->reduction == REDUCTION_SUM && part_of(manual, sharding, index, &parts) > 0;
}

static int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Copies between a global tensor and one device's piece: to_local cuts (the rest of
// the piece is zero), else pastes.
static void copy_piece(
    const Manual *manual, const Sharding *sharding, int64_t index, const Tensor *global,
    const Tensor *local, bool to_local) {
    int rank = global->type->rank;
    size_t size = element_bytes(global->type->element);
    int64_t dims[MAX_RANK], global_strides[MAX_RANK], local_strides[MAX_RANK], at = 0;
    row_major_strides(rank, global->type->dims, global_strides);
    row_major_strides(rank, local->type->dims, local_strides);
    for (int d = 0; d < rank; d++) {
        int64_t pieces = 1, piece = piece_of(manual, sharding, d, index, &pieces);
        int64_t whole = global->type->dims[d], width = ceil_div(whole, pieces);
        int64_t start = piece * width;
        dims[d] = whole - start < width ? whole - start : width;
        if (dims[d] <= 0) return;
        at += start * global_strides[d];
    }
    char *place = (char *)global->data + at * (int64_t)size;
    if (to_local)
        copy_strided(rank, dims, size, local->data, local_strides, place, global_strides);
    else
        copy_strided(rank, dims, size, place, global_strides, local->data, local_strides);
}

static bool fits(
    const Manual *manual, const Sharding *sharding, const Type *global, const Type *local) {
    if (sharding->rank != global->rank || local->rank != global->rank) return false;
    for (int d = 0; d < global->rank; d++) {
        int64_t pieces = 1;
        piece_of(manual, sharding, d, 0, &pieces);
        if (ceil_div(global->dims[d], pieces) != local->dims[d]) return false;
    }
    return true;
}

static const Sharding *sharding_at(const Attr *attr, int i) {
    return attr && attr->kind == ATTR_SHARDINGS && i < attr->count ? attr->shardings[i] : NULL;
}

// The mesh of the first sharding; without any operand and result there is none.
static bool find_mesh(Eval *eval, const Op *op, Manual *manual) {
    const Attr *in = op_attr(op, NAME_IN_SHARDINGS), *out = op_attr(op, NAME_OUT_SHARDINGS);
    const Sharding *sharding = sharding_at(in, 0) ? sharding_at(in, 0) : sharding_at(out, 0);
    *manual = (Manual){.axes = op_attr(op, NAME_MANUAL_AXES), .was_on_devices = eval->on_devices};
    manual->mesh = sharding ? sharding_mesh(eval->module, sharding) : NULL;
    if (!manual->mesh) return eval_fail(eval, op, "has no mesh");
    int64_t count = mesh_device_count(manual->mesh);
    if (count > EVAL_MAX_LANES) return eval_unsupported(eval, op, "on more than 4096 devices");
    manual->device_count = (int)count;
    manual->devices = eval_scratch(eval, op, count, sizeof(int));
    if (!manual->devices) return false;
    for (int i = 0; i < manual->device_count; i++) {
        int64_t device = mesh_device_at(manual->mesh, i);
        if (device < 0 || device >= EVAL_MAX_LANES)
            return eval_unsupported(eval, op, "on such device ids");
        manual->devices[i] = (int)device;
    }
    return true;
}

// The lane that holds a device's operands and takes its results: its own when nested, else
// the one of the global program.
static int outer_lane(const Eval *eval, const Manual *manual, int index) {
    return manual->was_on_devices ? manual->devices[index] : eval->lanes.ids[0];
}

static bool same_piece(const Manual *manual, const Sharding *sharding, int64_t a, int64_t b) {
    for (int d = 0; d < sharding->rank; d++) {
        int64_t pieces = 1;
        if (piece_of(manual, sharding, d, a, &pieces) != piece_of(manual, sharding, d, b, &pieces))
            return false;
    }
    return holds_zeros(manual, sharding, a) == holds_zeros(manual, sharding, b);
}

// The slices of operand i for all devices; equal slices are one tensor.
static bool slice_operand(Eval *eval, const Op *op, const Manual *manual, int i, Tensor **args) {
    const Sharding *sharding = sharding_at(op_attr(op, NAME_IN_SHARDINGS), i);
    const Type *local = op->regions[0]->args[i]->type;
    int width = op->operand_count;
    for (int k = 0; k < manual->device_count; k++) {
        Tensor *global = eval_get(eval, op_operand(op, i), outer_lane(eval, manual, k));
        Tensor **slot = &args[(int64_t)k * width + i];
        if (!global) return eval_fail(eval, op, "runs on a device that did not reach it");
        if (local->kind != TYPE_TENSOR) {
            *slot = eval_retain(global);
            continue;
        }
        if (!sharding || !fits(manual, sharding, global->type, local))
            return eval_fail(eval, op, "has an in_sharding that does not fit operand %d", i);
        *slot = NULL;
        for (int j = 0; j < k && !*slot; j++) {
            bool is_same =
                eval_get(eval, op_operand(op, i), outer_lane(eval, manual, j)) == global &&
                same_piece(manual, sharding, j, k);
            if (is_same) *slot = eval_retain(args[(int64_t)j * width + i]);
        }
        if (*slot) continue;
        *slot = eval_tensor(eval, op, local);
        if (!*slot) return false;
        memset((*slot)->data, 0, type_bytes(local));
        if (!holds_zeros(manual, sharding, k)) copy_piece(manual, sharding, k, global, *slot, true);
    }
    return true;
}

// Do two devices belong to one global value: equal in all axes but the manual ones?
static bool same_outside(const Manual *manual, int64_t a, int64_t b) {
    for (int i = 0; i < manual->mesh->axis_count; i++) {
        AxisRef axis = {manual->mesh->axes[i].name, 1, 0};
        if (is_manual_axis(manual, &axis)) continue;
        if (axis_list_coordinate(manual->mesh, &axis, 1, a) !=
            axis_list_coordinate(manual->mesh, &axis, 1, b))
            return false;
    }
    return true;
}

// Result i for outer lane k, made of the devices' pieces in one part of an unreduced value.
static void paste_part(
    const Op *op, const Manual *manual, int i, Tensor *const *results, int64_t k, int64_t part,
    const Tensor *global) {
    const Sharding *sharding = sharding_at(op_attr(op, NAME_OUT_SHARDINGS), i);
    for (int j = manual->device_count - 1; j >= 0; j--) { // of equal pieces the first stays
        int64_t parts = 1;
        if (part_of(manual, sharding, j, &parts) == part && same_outside(manual, j, k))
            copy_piece(
                manual, sharding, j, global, results[(int64_t)j * op->result_count + i], false);
    }
}

static OpCode reduction_code(ReductionKind kind) {
    switch (kind) {
    case REDUCTION_SUM: return OP_ADD;
    case REDUCTION_MAX: return OP_MAXIMUM;
    case REDUCTION_MIN: return OP_MINIMUM;
    }
    return OP_ADD;
}

// In which type the parts are combined; the result is rounded once.
static ElementType wide_element(ElementType element) {
    if (element_is_float(element)) return ELEMENT_F64;
    return element_real_part(element) == element ? element : ELEMENT_C128;
}

// Combines the parts of an unreduced result, in ascending order.
static bool combine_parts(
    Eval *eval, const Op *op, const Manual *manual, int i, Tensor *const *results, int64_t k,
    int64_t parts, const Tensor *global) {
    const Sharding *sharding = sharding_at(op_attr(op, NAME_OUT_SHARDINGS), i);
    ElementType element = global->type->element, wide = wide_element(element);
    int64_t count = tensor_count(global);
    int mark = eval_scratch_mark(eval);
    void *sums = eval_scratch(eval, op, count, element_bytes(wide));
    void *next = sums ? eval_scratch(eval, op, count, element_bytes(wide)) : NULL;
    if (!next) return false;
    for (int64_t part = 0; part < parts; part++) {
        paste_part(op, manual, i, results, k, part, global);
        scalar_convert(element, global->data, wide, part ? next : sums, count);
        if (part == 0) continue;
        const ScalarArg args[] = {{sums, wide, false}, {next, wide, false}};
        if (!scalar_apply(reduction_code(sharding->reduction), op, count, args, wide, sums))
            return eval_unsupported(eval, op, "with unreduced results of this element type");
    }
    scalar_convert(wide, sums, element, global->data, count);
    eval_scratch_release(eval, mark);
    return true;
}

// Pastes the devices' results together, once per outer lane.
static bool assemble_result(
    Eval *eval, const Op *op, const Manual *manual, int i, Tensor *const *results) {
    const Sharding *sharding = sharding_at(op_attr(op, NAME_OUT_SHARDINGS), i);
    int width = op->result_count;
    int lanes = manual->was_on_devices ? manual->device_count : 1;
    for (int k = 0; k < lanes; k++) {
        int lane = outer_lane(eval, manual, k);
        Tensor *local = results[(int64_t)k * width + i];
        if (local->type->kind != TYPE_TENSOR) {
            eval_set(eval, op_result(op, i), lane, eval_retain(local));
            continue;
        }
        Tensor *global = eval_result_tensor(eval, op, i);
        if (!global) return false;
        if (!sharding || !fits(manual, sharding, global->type, local->type))
            return eval_fail(eval, op, "has an out_sharding that does not fit result %d", i);
        int64_t parts = 1;
        part_of(manual, sharding, 0, &parts);
        if (parts == 1)
            paste_part(op, manual, i, results, k, 0, global);
        else if (!combine_parts(eval, op, manual, i, results, k, parts, global))
            return false;
        eval_set(eval, op_result(op, i), lane, global);
    }
    return true;
}

bool eval_manual_computation(Eval *eval, const Op *op) {
    Manual manual;
    const Region *body = op->regions[0];
    const Op *terminator = region_terminator(body);
    if (!terminator || terminator->operand_count != op->result_count ||
        body->arg_count != op->operand_count)
        return eval_fail(eval, op, "has a body that does not fit its operands and results");
    if (op->operand_count + op->result_count == 0) return true;
    if (!find_mesh(eval, op, &manual)) return false;
    int64_t devices = manual.device_count, highest = 0;
    for (int k = 0; k < manual.device_count; k++)
        highest = manual.devices[k] > highest ? manual.devices[k] : highest;
    Tensor **args = eval_scratch(eval, op, devices * op->operand_count, sizeof *args);
    Tensor **results = eval_scratch(eval, op, devices * op->result_count, sizeof *results);
    if (!args || !results) return false;
    for (int i = 0; i < op->operand_count; i++) {
        if (!slice_operand(eval, op, &manual, i, args)) return false;
    }
    int64_t replicas = eval->replica_count, partitions = eval->partition_count;
    if (!manual.was_on_devices) {
        eval->on_devices = true;
        eval->replica_count = 1;
        eval->partition_count = highest + 1;
    }
    bool ok = eval_region(eval, body, (Lanes){manual.devices, manual.device_count}, args, results);
    eval->on_devices = manual.was_on_devices;
    eval->replica_count = replicas;
    eval->partition_count = partitions;
    for (int i = 0; i < op->result_count && ok; i++)
        ok = assemble_result(eval, op, &manual, i, results);
    for (int64_t i = 0; i < devices * op->result_count && ok; i++)
        eval_release(eval, results[i]);
    return ok;
}
