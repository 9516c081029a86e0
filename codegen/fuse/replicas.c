// replicas: which devices have the same numbers in a value.
//
//   In      a device program.
//   Out     of every value a partition of the devices: those of one class hold equal arrays, bit
//           for bit. Two classes may be equal all the same.
//
// Arguments are equal where the tiles are; what an op computes is equal where all its operands are;
// sums and gathers are equal on all devices of a group. Integers that follow from the device's
// number and constants, as its place along an axis of the mesh, are evaluated. A loop is walked
// until nothing changes: its carries are equal on entry, and stay so while the body keeps them
// equal.
#include "codegen/fuse/replicas.h"

#include "codegen/kernel/lower_class.h"

#include <string.h>

// MOST_BYTES: of integers that are evaluated; also the most devices.
enum { MOST_ROUNDS = 16, MOST_BYTES = 1024, MOST_OPERANDS = 8 };

static bool is_same(const Replicas *r, const int32_t *a, const int32_t *b) {
    return memcmp(a, b, (size_t)r->devices * sizeof *a) == 0;
}

// One array for equal partitions. A class is numbered by its first device.
static const int32_t *one_array(Replicas *r, const int32_t *classes) {
    for (int64_t i = 0; i < r->known.count; i++)
        if (is_same(r, r->known.data[i], classes)) return r->known.data[i];
    const int32_t *copy = arena_copy(r->arena, classes, (size_t)r->devices * sizeof *classes);
    vec_push(r->arena, &r->known, copy);
    return copy;
}

const int32_t *replicas_meet(Replicas *r, const int32_t *a, const int32_t *b) {
    if (a == b || b == r->uniform) return a;
    if (a == r->uniform) return b;
    if (a == r->apart || b == r->apart) return r->apart;
    for (int64_t d = 0; d < r->devices; d++) {
        int32_t first = 0;
        while (r->scratch[first] != first || a[first] != a[d] || b[first] != b[d]) {
            if (first == d) break;
            first++;
        }
        r->scratch[d] = first;
    }
    return one_array(r, r->scratch);
}

const int32_t *replicas_of(const Replicas *r, const Value *value) {
    const int32_t *classes = r->classes[value->number];
    return classes ? classes : r->apart;
}

// ---- collectives

// Do the devices of two rows of the groups hold the same, one by one?
static bool rows_agree(
    const Attr *groups, int64_t columns, int64_t a, int64_t b, const int32_t *x) {
    for (int64_t k = 0; k < columns; k++) {
        int64_t first = attr_element_int(groups, a * columns + k),
                second = attr_element_int(groups, b * columns + k);
        if (first < 0 || second < 0 || x[first] != x[second]) return false;
    }
    return true;
}

// by_place: devices get what belongs to their place in the group; else all get the same.
static const int32_t *of_collective(
    Replicas *r, const Op *op, const int32_t *operand, bool by_place) {
    const Attr *groups = op_attr(op, NAME_REPLICA_GROUPS);
    bool is_listed = groups && groups->type->rank == 2 && groups->type->dims[0] > 0;
    if (!is_listed) return by_place ? r->apart : r->uniform; // one group of all
    int64_t rows = groups->type->dims[0], columns = groups->type->dims[1];
    int64_t *place = ARENA_ARRAY(r->arena, int64_t, r->devices);
    for (int64_t d = 0; d < r->devices; d++)
        place[d] = -1 - d; // alone
    for (int64_t row = 0; row < rows; row++) {
        int64_t like = 0;
        while (like < row && !rows_agree(groups, columns, like, row, operand))
            like++;
        for (int64_t k = 0; k < columns; k++) {
            int64_t device = attr_element_int(groups, row * columns + k);
            if (device >= 0 && device < r->devices)
                place[device] = like * columns + (by_place ? k : 0);
        }
    }
    for (int64_t d = 0; d < r->devices; d++) {
        int32_t first = 0;
        while (place[first] != place[d])
            first++;
        r->scratch[d] = first;
    }
    return one_array(r, r->scratch);
}

// Devices get what their source has.
static const int32_t *of_permutation(Replicas *r, const Op *op, const int32_t *operand) {
    const Attr *pairs = op_attr(op, NAME_SOURCE_TARGET_PAIRS);
    int32_t *from = ARENA_ARRAY(r->arena, int32_t, r->devices);
    for (int64_t d = 0; d < r->devices; d++)
        from[d] = -1; // zeros
    for (int64_t i = 0; i < pairs->type->dims[0]; i++) {
        int64_t source = attr_element_int(pairs, 2 * i),
                target = attr_element_int(pairs, 2 * i + 1);
        if (source < 0 || source >= r->devices || target < 0 || target >= r->devices)
            return r->apart;
        from[target] = operand[source];
    }
    for (int64_t d = 0; d < r->devices; d++) {
        int32_t first = 0;
        while (from[first] != from[d])
            first++;
        r->scratch[d] = first;
    }
    return one_array(r, r->scratch);
}

// ---- integers that follow from the device's number

static bool are_few(const Type *type) {
    if (type->kind != TYPE_TENSOR) return false;
    ElementClass class = element_class(type->element);
    return class != CLASS_FLOAT && class != CLASS_COMPLEX && type_bytes(type) <= MOST_BYTES;
}

static const Tensor *device_number(Replicas *r, const Type *type, int64_t device) {
    Tensor *number = tensor_create(r->arena, type);
    uint32_t as_stored = (uint32_t)device;
    memcpy(number->data, &as_stored, sizeof as_stored);
    return number;
}

// Of a plain op on numbers that are known: its result's on one device; NULL = the evaluator cannot.
static const Tensor *number_on(Replicas *r, const Op *op, int64_t device) {
    const Tensor *operands[MOST_OPERANDS];
    Tensor *result;
    if (op->code == OP_CONSTANT) return tensor_from_attr(r->arena, op_attr(op, NAME_VALUE));
    if (op->code == OP_PARTITION_ID) return device_number(r, op_result_type(op, 0), device);
    for (int i = 0; i < op->operand_count; i++)
        operands[i] = r->numbers[op_operand(op, i)->number][device];
    return eval_op(r->arena, r->module, op, operands, &result) ? result : NULL;
}

static bool has_numbers(const Replicas *r, const Op *op) {
    if (op->result_count != 1 || !are_few(op_result_type(op, 0)) || r->devices > MOST_BYTES)
        return false;
    if (op->code == OP_CONSTANT || op->code == OP_PARTITION_ID || op->code == OP_IOTA) return true;
    if (op->region_count > 0 || op_has(op, TRAIT_COLLECTIVE) || op_has(op, TRAIT_EFFECT) ||
        op->operand_count == 0 || op->operand_count > MOST_OPERANDS ||
        lower_class(op, NULL) != LOWER_ELEMENT)
        return false;
    for (int i = 0; i < op->operand_count; i++)
        if (!r->numbers[op_operand(op, i)->number]) return false;
    return true;
}

// is_uniform: all devices have the same.
static void find_numbers(Replicas *r, const Op *op, bool is_uniform) {
    if (!has_numbers(r, op) || r->numbers[op_result(op, 0)->number]) return;
    const Tensor **numbers = ARENA_ARRAY(r->arena, const Tensor *, r->devices);
    for (int64_t d = 0; d < r->devices; d++) {
        numbers[d] = d > 0 && is_uniform ? numbers[0] : number_on(r, op, d);
        if (!numbers[d]) return;
    }
    r->numbers[op_result(op, 0)->number] = numbers;
}

// Devices with the same numbers.
static const int32_t *of_numbers(Replicas *r, const Value *value) {
    const Tensor *const *numbers = r->numbers[value->number];
    size_t size = type_bytes(value->type);
    for (int64_t d = 0; d < r->devices; d++) {
        int32_t first = 0;
        while (memcmp(numbers[first]->data, numbers[d]->data, size) != 0)
            first++;
        r->scratch[d] = first;
    }
    return one_array(r, r->scratch);
}

// ---- ops

static void walk(Replicas *r, const Region *region);

// Gives the value this partition, or what it has in common with it; true when that changed
// something.
static bool give(Replicas *r, const Value *value, const int32_t *classes) {
    const int32_t *old = r->classes[value->number];
    const int32_t *now = old ? replicas_meet(r, old, classes) : classes;
    r->classes[value->number] = now;
    return now != old;
}

typedef struct Outside {
    Replicas *replicas;
    const int32_t *classes;
} Outside;

static bool meet_operands(Op *op, void *user) {
    Outside *outside = user;
    Replicas *r = outside->replicas;
    for (int i = 0; i < op->operand_count; i++) {
        const int32_t *known = r->classes[op_operand(op, i)->number];
        if (known) outside->classes = replicas_meet(r, outside->classes, known);
    }
    return true;
}

// What the operands have in common, and what the op's regions read from outside.
static const int32_t *of_operands(Replicas *r, Op *op) {
    Outside outside = {r, r->uniform};
    meet_operands(op, &outside);
    for (int i = 0; i < op->region_count; i++)
        region_walk(op->regions[i], meet_operands, &outside);
    return outside.classes;
}

static const int32_t *of_op(Replicas *r, Op *op) {
    switch (op->code) {
    case OP_PARTITION_ID: find_numbers(r, op, false); return r->apart;
    case OP_RNG: return r->apart;
    case OP_ALL_REDUCE:
    case OP_ALL_GATHER: return of_collective(r, op, of_operands(r, op), false);
    case OP_ALL_TO_ALL:
    case OP_REDUCE_SCATTER: return of_collective(r, op, of_operands(r, op), true);
    case OP_COLLECTIVE_PERMUTE: return of_permutation(r, op, of_operands(r, op));
    default: break;
    }
    bool is_plain =
        !op_has(op, TRAIT_COLLECTIVE) && !op_has(op, TRAIT_EFFECT) && op->code != OP_CUSTOM_CALL;
    const int32_t *classes = is_plain ? of_operands(r, op) : r->apart;
    find_numbers(r, op, classes == r->uniform);
    bool is_known = classes != r->uniform && op->result_count == 1 &&
                    r->numbers[op_result(op, 0)->number] != NULL;
    return is_known ? of_numbers(r, op_result(op, 0)) : classes;
}

// All values that the loop carries, from what enters and what a step returns, where all devices
// of a class make the same steps.
static bool give_carries(Replicas *r, const Op *op, const Region *from, bool enters) {
    const Op *terminator = enters ? NULL : region_terminator(from);
    const int32_t *steps =
        enters ? r->uniform : replicas_of(r, op_operand(region_terminator(op->regions[0]), 0));
    bool changed = false;
    for (int i = 0; i < op->result_count; i++) {
        const Value *value = enters ? op_operand(op, i) : op_operand(terminator, i);
        const int32_t *classes = replicas_meet(r, replicas_of(r, value), steps);
        for (int k = 0; k < 2; k++)
            changed = give(r, op->regions[k]->args[i], classes) || changed;
        changed = give(r, op_result(op, i), classes) || changed;
    }
    return changed;
}

static void walk_loop(Replicas *r, const Op *op) {
    give_carries(r, op, NULL, true);
    for (int round = 0; round < MOST_ROUNDS; round++) {
        walk(r, op->regions[0]);
        walk(r, op->regions[1]);
        if (!give_carries(r, op, op->regions[1], false)) return;
    }
    r->fails = true;
}

static void walk_branches(Replicas *r, const Op *op) {
    for (int k = 0; k < op->region_count; k++) {
        walk(r, op->regions[k]);
        const Op *terminator = region_terminator(op->regions[k]);
        for (int i = 0; i < op->result_count; i++) {
            const int32_t *branch = replicas_of(r, op_operand(terminator, i));
            give(r, op_result(op, i), replicas_meet(r, branch, replicas_of(r, op_operand(op, 0))));
        }
    }
}

static void walk(Replicas *r, const Region *region) {
    for (Op *op = region->first; op; op = op->next) {
        if (op->code == OP_WHILE) {
            walk_loop(r, op);
        } else if (lower_class(op, NULL) == LOWER_CONTROL) {
            walk_branches(r, op);
        } else if (op->result_count > 0) {
            const int32_t *classes = of_op(r, op);
            for (int i = 0; i < op->result_count; i++)
                give(r, op_result(op, i), classes);
        }
    }
}

// ---- arguments

// The devices that hold the same tile.
const int32_t *replicas_of_tiles(Replicas *r, const GlobalLayout *layout) {
    if (layout->local->kind != TYPE_TENSOR) return r->uniform;
    int rank = layout->local->rank;
    int64_t *offsets = ARENA_ARRAY(r->arena, int64_t, r->devices * rank + 1);
    for (int64_t d = 0; d < r->devices; d++) {
        int64_t *own = offsets + d * rank;
        for (int k = 0; k < rank; k++)
            own[k] = layout_offset(layout, d, k);
        int32_t first = 0;
        while (memcmp(offsets + first * rank, own, (size_t)rank * sizeof *own) != 0)
            first++;
        r->scratch[d] = first;
    }
    return one_array(r, r->scratch);
}

static Replicas nothing_known(const Module *module, int64_t devices, Arena *arena) {
    Replicas r = {.arena = arena, .devices = devices, .values = module->next_value_number};
    r.scratch = ARENA_ARRAY(arena, int32_t, devices);
    r.uniform = one_array(&r, r.scratch);
    for (int64_t d = 0; d < devices; d++)
        r.scratch[d] = (int32_t)d;
    r.apart = one_array(&r, r.scratch);
    r.classes = arena_alloc_array(arena, r.values, sizeof *r.classes);
    r.numbers = arena_alloc_array(arena, r.values, sizeof *r.numbers);
    r.module = module;
    return r;
}

static void find(Replicas *r, const Op *main) {
    walk(r, func_body(main));
    if (r->fails) // a loop that would need more rounds: nothing is known
        memset(r->classes, 0, (size_t)r->values * sizeof *r->classes);
}

Replicas replicas_find(const DeviceProgram *program, Arena *arena) {
    Replicas r = nothing_known(program->module, program->device_count, arena);
    for (int i = 0; i < program->arg_count; i++)
        give(&r, func_body(program->main)->args[i], replicas_of_tiles(&r, &program->args[i]));
    find(&r, program->main);
    return r;
}

bool replicas_find_marked(const Module *module, const Op *main, Arena *arena, Replicas *r) {
    const Attr *marked = op_extra(main, ARGUMENT_REPLICAS);
    const Region *body = func_body(main);
    if (!marked || marked->kind != ATTR_ELEMENTS || marked->type->rank != 2 ||
        marked->type->dims[0] != body->arg_count || marked->type->dims[1] < 1)
        return false;
    int64_t devices = marked->type->dims[1];
    *r = nothing_known(module, devices, arena);
    for (int i = 0; i < body->arg_count; i++) {
        for (int64_t d = 0; d < devices; d++) {
            int64_t like = attr_element_int(marked, i * devices + d);
            r->scratch[d] = like >= 0 && like <= d ? (int32_t)like : (int32_t)d;
        }
        give(r, body->args[i], one_array(r, r->scratch));
    }
    find(r, main);
    return true;
}

void replicas_mark_arguments(DeviceProgram *program) {
    enum { MOST_NUMBERS = 1 << 20 };
    Module *module = program->module;
    int64_t devices = program->device_count, count = program->arg_count;
    if (devices < 2 || count == 0 || count > MOST_NUMBERS / devices) return;
    Replicas r = nothing_known(module, devices, arena_child(module->arena));
    int64_t *numbers = ARENA_ARRAY(r.arena, int64_t, count * devices);
    for (int64_t i = 0; i < count; i++) {
        const int32_t *classes = replicas_of_tiles(&r, &program->args[i]);
        for (int64_t d = 0; d < devices; d++)
            numbers[i * devices + d] = classes[d];
    }
    op_set_extra(
        module, program->main, context_name(module->context, SV(ARGUMENT_REPLICAS)),
        attr_int_matrix(module->context, (int)count, (int)devices, numbers));
    if (!program->is_tiled)
        op_set_extra(
            module, program->main, context_name(module->context, SV(WHOLE_ARRAYS)),
            attr_unit(module->context));
}

bool groups_hold_all(Arena *arena, const Attr *groups) {
    if (!groups || groups->type->rank != 2 || groups->type->dims[1] < 2) return false;
    int64_t count = groups->type->dims[0] * groups->type->dims[1];
    bool *is_found = ARENA_ARRAY(arena, bool, count);
    for (int64_t i = 0; i < count; i++) {
        int64_t device = attr_element_int(groups, i);
        if (device < 0 || device >= count || is_found[device]) return false;
        is_found[device] = true;
    }
    return true;
}

bool replicas_number(
    const Replicas *r, Context *context, const Value *value, int64_t device, int64_t *number) {
    if (value->number >= r->values || !r->numbers[value->number]) return false;
    if (type_element_count(value->type) == 0) return false;
    const Attr *elements = tensor_to_attr(context, r->numbers[value->number][device]);
    if (!elements->is_splat) return false;
    *number = attr_element_int(elements, 0);
    if (value->type->element == ELEMENT_I1) *number = *number != 0;
    return true;
}

bool replicas_are_alike(const Replicas *r, const Value *value, const Attr *groups) {
    if (value->number >= r->values) return false;
    const int32_t *classes = replicas_of(r, value);
    int64_t columns = groups->type->dims[1], all = groups->type->dims[0] * columns;
    for (int64_t i = 0; i < all; i++) {
        int64_t first = attr_element_int(groups, i - i % columns),
                device = attr_element_int(groups, i);
        if (classes[first] != classes[device]) return false;
    }
    return true;
}
