// known_slices: updates and slices of sharded dimensions that begin at known places.
//
//   In      a module whose shardings are final
//   Out     where the place is constant, a dynamic_slice of a part of a sharded dimension is a
//           slice; a dynamic_update_slice, or a scatter of one window, of a large part is a
//           selection among the array and the padded update; such a scatter of a small part is a
//           dynamic_update_slice
//   Keeps   what is a single element along each of those dimensions, which one device writes, and
//           what the program computes
//
// Of a small update each device has all, and changes its own elements in place. Of a large one it
// fetches the borders that it lacks, and makes the array anew.
//
//   before  %2 = scatter(%x [{"x"}], [1], %u [{"x"}]) : add                  [1024], [1022]
//   after   %p = pad %u, low = 1, high = 1                                   [{"x"}]
//           %2 = select(1 <= iota and iota <= 1022, add(%x, %p), %x)         [{"x"}]
#include "ir/analysis/scatter_window.h"
#include "ir/builder.h"
#include "partition/passes.h"

// The constant numbers of an index, made of constants in pieces perhaps.
static bool known_numbers(const Value *value, int64_t count, int64_t *numbers) {
    const Op *op = value->def;
    if (!op || type_element_count(value->type) != count ||
        !element_is_integer(value->type->element))
        return false;
    switch (op->code) {
    case OP_CONSTANT:
    case OP_SDY_CONSTANT:
        for (int64_t i = 0; i < count; i++)
            numbers[i] = attr_element_int(op_attr(op, NAME_VALUE), i);
        return true;
    case OP_RESHAPE:
    case OP_CONVERT: return known_numbers(op_operand(op, 0), count, numbers);
    case OP_BROADCAST_IN_DIM:
        if (type_element_count(op_operand_type(op, 0)) != 1 ||
            !known_numbers(op_operand(op, 0), 1, numbers))
            return false;
        for (int64_t i = 1; i < count; i++)
            numbers[i] = numbers[0];
        return true;
    case OP_CONCATENATE:
        if (value->type->rank != 1) return false;
        for (int i = 0; i < op->operand_count; i++) {
            int64_t part = type_element_count(op_operand_type(op, i));
            if (!known_numbers(op_operand(op, i), part, numbers)) return false;
            numbers += part;
        }
        return true;
    default: return false;
    }
}

typedef struct Walk {
    Module *module;
    bool has_changed;
} Walk;

// A slice of a value, from known places on.
typedef struct KnownSlice {
    int64_t starts[MAX_RANK];
    ScatterWindow window; // of an update
} KnownSlice;

// The starts of a dynamic_slice or dynamic_update_slice, which keep the slice inside.
static bool find_starts(const Op *op, int first, KnownSlice *slice) {
    const Type *type = op_operand_type(op, 0);
    for (int d = 0; d < type->rank; d++) {
        int64_t last = type->dims[d] - slice->window.sizes[d], *start = &slice->starts[d];
        if (!known_numbers(op_operand(op, first + d), 1, start)) return false;
        *start = *start < 0 ? 0 : *start > last ? last : *start;
    }
    return true;
}

// A slice that reaches beyond the array is not written at all.
static bool find_scattered(const Op *op, KnownSlice *slice) {
    if (!scatter_window(op, &slice->window)) return false;
    const Type *type = op_operand_type(op, 0);
    int64_t numbers[MAX_RANK];
    if (!known_numbers(op_operand(op, 1), type_element_count(op_operand_type(op, 1)), numbers))
        return false;
    for (int k = 0; k < slice->window.component_count; k++) {
        int d = slice->window.components[k];
        slice->starts[d] = numbers[k];
        if (numbers[k] < 0 || numbers[k] > type->dims[d] - slice->window.sizes[d]) return false;
    }
    return true;
}

static void set_sizes(KnownSlice *slice, const Type *type) {
    slice->window = (ScatterWindow){.rank = type->rank, .combine = OP_RETURN};
    for (int d = 0; d < type->rank; d++)
        slice->window.sizes[d] = type->dims[d];
}

// Does the slice have more than one element, but not all, of a dimension that is sharded so?
static bool cuts_sharded(
    const Walk *walk, const Sharding *sharding, const Type *type, const KnownSlice *slice) {
    const Mesh *mesh = sharding_mesh(walk->module, sharding);
    if (!mesh || sharding->unreduced_count > 0) return false;
    for (int d = 0; d < type->rank; d++) {
        int64_t size = slice->window.sizes[d];
        if (size > 1 && size < type->dims[d] && sharding_dim_size(mesh, sharding, d) > 1)
            return true;
    }
    return false;
}

// The update with a dimension of one element for each that the index alone gives.
static Value *whole_update(Builder *builder, const Op *op, const ScatterWindow *window) {
    Value *update = op_operand(op, op->code == OP_SCATTER ? 2 : 1);
    const Sharding *sharding = update->sharding;
    if (update->type->rank == window->rank) return update;
    update = build_reshape(builder, update, window->rank, window->sizes);
    if (!sharding) return update;
    IntSpan windows = op_attr(op, NAME_SCATTER_DIMENSION_NUMBERS)->scatter->update_window_dims;
    IntSpan ones = op_attr(op, NAME_SCATTER_DIMENSION_NUMBERS)->scatter->inserted_window_dims;
    Sharding whole = *sharding_replicated_like(builder->module->context, sharding);
    DimSharding dims[MAX_RANK];
    for (int d = 0, next = 0; d < window->rank; d++) {
        bool is_one = ints_find(ones, d) >= 0;
        dims[d] = is_one ? (DimSharding){.priority = PRIORITY_NONE}
                         : sharding->dims[windows.data[next++]];
    }
    whole.rank = window->rank;
    whole.dims = dims;
    update->sharding = sharding_intern(builder->module->context, &whole);
    return update;
}

static Value *sharded(Value *value, const Sharding *sharding) {
    value->sharding = sharding;
    return value;
}

// Which elements of the array the slice has.
static Value *mask_of(
    Builder *b, const Type *type, const KnownSlice *slice, const Sharding *sharding) {
    Context *context = b->module->context;
    const Type *numbers = type_tensor(context, ELEMENT_I64, type->rank, type->dims);
    Value *mask = NULL;
    for (int d = 0; d < type->rank; d++) {
        int64_t start = slice->starts[d], end = start + slice->window.sizes[d];
        if (start == 0 && end == type->dims[d]) continue;
        Value *place = sharded(build_iota(b, numbers, d), sharding);
        for (int side = 0; side < 2; side++) {
            if (side ? end == type->dims[d] : start == 0) continue; // all elements
            Value *limit = sharded(build_splat_int(b, numbers, side ? end : start), sharding);
            int direction = side ? DIRECTION_LT : DIRECTION_GE;
            Value *test = sharded(build_compare(b, direction, place, limit), sharding);
            mask = mask ? sharded(build_binary(b, OP_AND, mask, test), sharding) : test;
        }
    }
    return mask;
}

// What becomes of the slice: the update, or the op of the old elements and the update.
static Value *combined(
    Builder *b, const ScatterWindow *window, Value *old, Value *update, const Sharding *sharding) {
    if (window->combine == OP_RETURN) return update;
    Value *first = window->is_update_first ? update : old;
    Value *second = window->is_update_first ? old : update;
    return sharded(build_binary(b, window->combine, first, second), sharding);
}

static Value *selected_update(Builder *b, Op *op, const KnownSlice *slice) {
    const ScatterWindow *window = &slice->window;
    Value *x = op_operand(op, 0), *update = whole_update(b, op, window);
    const Sharding *sharding = op_result(op, 0)->sharding;
    const Type *scalar = type_scalar(b->module->context, x->type->element);
    int64_t high[MAX_RANK];
    for (int d = 0; d < window->rank; d++)
        high[d] = x->type->dims[d] - slice->starts[d] - window->sizes[d];
    Value *zero = build_splat_int(b, scalar, 0);
    update = sharded(build_pad(b, update, zero, slice->starts, high, NULL), sharding);
    update = combined(b, window, x, update, sharding);
    Value *mask = mask_of(b, x->type, slice, sharding);
    return build_select(b, mask, update, x);
}

static Value *update_in_place(Builder *b, Op *op, const KnownSlice *slice) {
    const ScatterWindow *window = &slice->window;
    Value *x = op_operand(op, 0), *update = whole_update(b, op, window), *starts[MAX_RANK];
    const Type *scalar = type_scalar(b->module->context, ELEMENT_I64);
    for (int d = 0; d < window->rank; d++)
        starts[d] = build_splat_int(b, scalar, slice->starts[d]);
    Value *old = x;
    if (window->combine != OP_RETURN) old = build_dynamic_slice(b, x, starts, window->sizes);
    return build_dynamic_update_slice(b, x, combined(b, window, old, update, NULL), starts);
}

static bool is_small(const Type *array, const ScatterWindow *window) {
    enum { SMALL_PART = 8 };
    int64_t elements = SMALL_PART;
    for (int d = 0; d < window->rank; d++)
        elements *= window->sizes[d];
    return elements <= type_element_count(array);
}

static void change_update(Walk *walk, Op *op, const KnownSlice *slice) {
    bool small = is_small(op_operand_type(op, 0), &slice->window);
    if (small && op->code == OP_DYNAMIC_UPDATE_SLICE) return;
    Builder b = builder_before(walk->module, op);
    Value *made = small ? update_in_place(&b, op, slice) : selected_update(&b, op, slice);
    value_replace_uses(op_result(op, 0), sharded(made, op_result(op, 0)->sharding));
    op_erase(op);
    walk->has_changed = true;
}

static void take_slice(Walk *walk, Op *op, const KnownSlice *slice) {
    Builder b = builder_before(walk->module, op);
    int64_t limits[MAX_RANK];
    for (int d = 0; d < slice->window.rank; d++)
        limits[d] = slice->starts[d] + slice->window.sizes[d];
    Value *made = build_slice(&b, op_operand(op, 0), slice->starts, limits, NULL);
    value_replace_uses(op_result(op, 0), sharded(made, op_result(op, 0)->sharding));
    op_erase(op);
    walk->has_changed = true;
}

static bool change_known(Op *op, void *user) {
    Walk *walk = user;
    if (op->code != OP_DYNAMIC_SLICE && op->code != OP_DYNAMIC_UPDATE_SLICE &&
        op->code != OP_SCATTER)
        return true;
    KnownSlice slice = {0};
    const Type *type = op_operand_type(op, 0);
    bool is_slice = op->code == OP_DYNAMIC_SLICE, is_known;
    if (op->code == OP_SCATTER) {
        is_known = find_scattered(op, &slice);
    } else {
        set_sizes(&slice, is_slice ? op_result_type(op, 0) : op_operand_type(op, 1));
        is_known = find_starts(op, is_slice ? 1 : 2, &slice);
    }
    const Sharding *sharding = (is_slice ? op_operand(op, 0) : op_result(op, 0))->sharding;
    if (!is_known || !sharding || !cuts_sharded(walk, sharding, type, &slice)) return true;
    if (is_slice)
        take_slice(walk, op, &slice);
    else
        change_update(walk, op, &slice);
    return true;
}

PassResult pass_known_slices(Module *module, PassContext *pass) {
    (void)pass;
    Walk walk = {.module = module};
    region_walk(module->body, change_known, &walk);
    return walk.has_changed ? PASS_CHANGED : PASS_UNCHANGED;
}
