// spread_build: the members of a spread in their new form, in the order of the program, and what
// others read of them moved back.
#include "codegen/fuse/fuse.h"
#include "codegen/passes/spread/spread.h"

enum { FREE_DEPTH = 8 };

// ---- forms

// In front of as many columns.
static int place_of(const Spread *spread, const Type *type) {
    int columns = spread->rank - spread->place;
    return type->rank > columns ? type->rank - columns : 0;
}

// The place of the old dimension d.
static int moved_dim(const Spread *spread, const Type *type, int d, bool has_devices) {
    return d + (has_devices && d >= place_of(spread, type));
}

static const Type *moved_type(const Spread *spread, const Type *type, int row, bool has_devices) {
    int64_t dims[MAX_RANK];
    for (int d = 0; d < type->rank; d++) {
        int64_t size = d == row ? type->dims[d] / spread->devices : type->dims[d];
        dims[moved_dim(spread, type, d, has_devices)] = size;
    }
    if (has_devices) dims[place_of(spread, type)] = spread->devices;
    return type_with_dims(spread->module->context, type, type->rank + has_devices, dims);
}

// The same for all devices, with their dimension.
static Value *with_devices(const Spread *spread, Builder *builder, const Member *member) {
    if (member->has_devices) return member->value;
    int64_t dims[MAX_RANK];
    const Type *type = member->old->type;
    for (int d = 0; d < type->rank; d++)
        dims[d] = moved_dim(spread, type, d, true);
    return build_broadcast_in_dim(
        builder, member->value, moved_type(spread, type, member->row, true), dims);
}

// ---- exchanges

static void mark(const Spread *spread, Op *op) {
    Context *context = spread->module->context;
    op_set_extra(
        spread->module, op, context_name(context, SV(SPREAD_OVER)),
        attr_int(context, spread->devices, ELEMENT_I64));
}

static Value *exchange(
    const Spread *spread, Builder *builder, OpCode code, Value *x, const Type *type) {
    Module *module = spread->module;
    Op *op = build_op(builder, code, 1, &x, 1, &type, 0);
    op_set_attr(module, op, NAME_REPLICA_GROUPS, spread->members_of);
    op_set_attr(module, op, NAME_CHANNEL_HANDLE, op_attr(spread->sum, NAME_CHANNEL_HANDLE));
    mark(spread, op);
    return op_result(op, 0);
}

static void set_dim(const Spread *spread, Value *value, AttrName name, int64_t dim) {
    op_set_attr(
        spread->module, value->def, name, attr_int(spread->module->context, dim, ELEMENT_I64));
}

// all_to_all: part k of dimension `split` goes to device k of the group.
static Value *all_to_all(
    const Spread *spread, Builder *builder, Value *x, int split, int concat, const Type *type) {
    Value *moved = exchange(spread, builder, OP_ALL_TO_ALL, x, type);
    set_dim(spread, moved, NAME_SPLIT_DIMENSION, split);
    set_dim(spread, moved, NAME_CONCAT_DIMENSION, concat);
    set_dim(spread, moved, NAME_SPLIT_COUNT, spread->devices);
    return moved;
}

static Value *all_gather(
    const Spread *spread, Builder *builder, Value *x, int dim, const Type *type) {
    Value *whole = exchange(spread, builder, OP_ALL_GATHER, x, type);
    set_dim(spread, whole, NAME_ALL_GATHER_DIM, dim);
    op_set_attr(
        spread->module, whole->def, NAME_USE_GLOBAL_DEVICE_IDS,
        op_attr(spread->sum, NAME_USE_GLOBAL_DEVICE_IDS));
    return whole;
}

// The type with a dimension of one device.
static const Type *of_one_device(const Spread *spread, const Type *type) {
    int64_t dims[MAX_RANK];
    for (int d = 0; d < type->rank; d++)
        dims[moved_dim(spread, type, d, true)] = type->dims[d];
    dims[place_of(spread, type)] = 1;
    return type_with_dims(spread->module->context, type, type->rank + 1, dims);
}

// What lies on the devices, from memory.
static Value *bring(const Spread *spread, Builder *builder, Value *x, int row) {
    const Type *type = x->type, *one = of_one_device(spread, type);
    const Type *to = moved_type(spread, type, row, true);
    Value *view = build_reshape(builder, x, one->rank, one->dims);
    int place = place_of(spread, type);
    if (row < 0) return all_gather(spread, builder, view, place, to);
    return all_to_all(spread, builder, view, moved_dim(spread, type, row, true), place, to);
}

static Value *bring_back(const Spread *spread, Builder *builder, const Member *member) {
    const Type *type = member->old->type;
    if (!member->has_devices && member->row < 0) return member->value;
    if (!member->has_devices) return all_gather(spread, builder, member->value, member->row, type);
    const Type *one = of_one_device(spread, type);
    int place = place_of(spread, type), row = moved_dim(spread, type, member->row, true);
    Value *moved = all_to_all(spread, builder, member->value, place, row, one);
    return build_reshape(builder, moved, type->rank, type->dims);
}

// ---- values from outside

// The devices' numbers, those of the group of each device.
static Value *device_numbers(const Spread *spread, Builder *builder, ElementType element) {
    int64_t n = spread->devices;
    int64_t *numbers = ARENA_ARRAY(spread->arena, int64_t, spread->groups * n * n);
    for (int64_t g = 0; g < spread->groups; g++) {
        for (int64_t i = 0; i < n * n; i++) {
            int64_t device = attr_element_int(spread->members_of, g * n + i / n);
            numbers[device * n + i % n] = attr_element_int(spread->members_of, g * n + i % n);
        }
    }
    return build_own_numbers(builder, element, spread->groups * n, n, numbers);
}

// iota along the rows: from the first of the device's.
static Value *row_numbers(const Spread *spread, Builder *builder, const Type *to, int row) {
    int64_t n = spread->devices;
    int64_t *first = ARENA_ARRAY(spread->arena, int64_t, spread->groups * n);
    for (int64_t i = 0; i < spread->groups * n; i++)
        first[attr_element_int(spread->members_of, i)] = i % n * to->dims[row];
    Value *own = build_own_numbers(builder, to->element, spread->groups * n, 1, first);
    Value *start = build_reshape(builder, own, 0, NULL);
    Value *first_row = build_broadcast_in_dim(builder, start, to, NULL);
    return build_binary(builder, OP_ADD, build_iota(builder, to, row), first_row);
}

static Member new_form(Spread *spread, Builder *builder, Value *value, int row);
static void build_moved(Spread *spread, Builder *builder, const Op *op, Member *result);

static Member free_form(Spread *spread, Builder *builder, Value *value, int row) {
    Member member = {.old = value, .row = row};
    const Op *op = value->def;
    const Type *to = moved_type(spread, value->type, row, false);
    if (op->code == OP_CONSTANT) {
        const Attr *elements = op_attr(op, NAME_VALUE);
        member.value = build_constant(
            builder,
            attr_elements(spread->module->context, to, true, elements->data, elements->data_size));
    } else if (op->code == OP_IOTA) {
        int d = (int)op_int(op, NAME_IOTA_DIMENSION, 0);
        member.value =
            d == row ? row_numbers(spread, builder, to, row) : build_iota(builder, to, d);
    } else if (op->code == OP_PARTITION_ID) {
        member.value = device_numbers(spread, builder, value->type->element);
        member.has_devices = true;
    } else {
        build_moved(spread, builder, op, &member);
    }
    return member;
}

// A member, or what is brought from outside.
static Member new_form(Spread *spread, Builder *builder, Value *value, int row) {
    const Member *member = spread_member(spread, value);
    if (member && member->value) return *member;
    for (int64_t i = 0; i < spread->outside.count; i++) {
        const Member *known = &spread->outside.data[i];
        if (known->old == value && known->row == row) return *known;
    }
    Member made = {.old = value, .row = row};
    if (spread_is_free(value, FREE_DEPTH)) {
        made = free_form(spread, builder, value, row);
    } else {
        made.value = bring(spread, builder, value, row);
        made.has_devices = true;
    }
    vec_push(spread->arena, &spread->outside, made);
    return made;
}

// ---- members

static void build_pointwise(Spread *spread, Builder *builder, const Op *op, Member *result) {
    Member *operands = ARENA_ARRAY(spread->arena, Member, op->operand_count);
    for (int i = 0; i < op->operand_count; i++) {
        int row = op_operand_type(op, i)->rank ? result->row : -1;
        operands[i] = new_form(spread, builder, op_operand(op, i), row);
        result->has_devices = result->has_devices || operands[i].has_devices;
    }
    const Type *type = op_result_type(op, 0);
    const Type *to = moved_type(spread, type, result->row, result->has_devices);
    PtrMap values = ptr_map(spread->arena);
    Value **forms = ARENA_ARRAY(spread->arena, Value *, op->operand_count);
    for (int i = 0; i < op->operand_count; i++) {
        const Type *from = op_operand_type(op, i);
        bool is_scalar = from->rank == 0 && type->rank > 0;
        forms[i] = operands[i].value;
        if (is_scalar && operands[i].has_devices) {
            int64_t place = place_of(spread, type);
            const Type *like = type_with_dims(spread->module->context, from, to->rank, to->dims);
            forms[i] = build_broadcast_in_dim(builder, forms[i], like, &place);
        } else if (!is_scalar && result->has_devices) {
            forms[i] = with_devices(spread, builder, &operands[i]);
        }
    }
    Op *copy = op_clone(builder, op, &values);
    for (int i = 0; i < op->operand_count; i++)
        op_set_operand(copy, i, forms[i]);
    op_result(copy, 0)->type = to;
    result->value = op_result(copy, 0);
}

static int row_in_broadcast(const Op *op, int row) {
    int k = row < 0 ? -1 : ints_find(op_ints(op, NAME_BROADCAST_DIMENSIONS), row);
    return k >= 0 && op_operand_type(op, 0)->dims[k] == op_result_type(op, 0)->dims[row] ? k : -1;
}

// x with dimension d of `from` at map[d] of the member's; -1 = of size 1, dropped.
static Value *placed(
    Spread *spread, Builder *builder, const Member *operand, const int *map, Member *result) {
    const Type *from = operand->old->type, *type = result->old->type;
    bool has_devices = operand->has_devices;
    int64_t kept[MAX_RANK], dims[MAX_RANK];
    int rank = 0;
    for (int at = 0; at < operand->value->type->rank; at++) {
        bool is_device = has_devices && at == place_of(spread, from);
        int d = at - (has_devices && at > place_of(spread, from));
        if (!is_device && map[d] < 0) continue;
        dims[rank] =
            is_device ? place_of(spread, type) : moved_dim(spread, type, map[d], has_devices);
        kept[rank++] = operand->value->type->dims[at];
    }
    Value *x = operand->value;
    if (rank < x->type->rank) x = build_reshape(builder, x, rank, kept);
    result->has_devices = has_devices;
    return build_broadcast_in_dim(
        builder, x, moved_type(spread, type, result->row, has_devices), dims);
}

static void build_view(Spread *spread, Builder *builder, const Op *op, Member *result) {
    const Type *from = op_operand_type(op, 0);
    int map[MAX_RANK], row = -1;
    if (op->code == OP_BROADCAST_IN_DIM) {
        row = row_in_broadcast(op, result->row);
        for (int d = 0; d < from->rank; d++)
            map[d] = (int)op_ints(op, NAME_BROADCAST_DIMENSIONS).data[d];
    } else {
        spread_unit_reshape(op, map);
        for (int d = 0; d < from->rank; d++)
            if (result->row >= 0 && map[d] == result->row) row = d;
    }
    Member operand = new_form(spread, builder, op_operand(op, 0), row);
    result->value = placed(spread, builder, &operand, map, result);
}

static void build_moved(Spread *spread, Builder *builder, const Op *op, Member *result) {
    if (op_has(op, TRAIT_POINTWISE))
        build_pointwise(spread, builder, op, result);
    else
        build_view(spread, builder, op, result);
}

// The reduction and the sum over the devices at once.
static void build_reduction(Spread *spread, Builder *builder, const Op *op, Member *result) {
    const Type *type = op_operand_type(op, 0);
    IntSpan dims = op_ints(op, NAME_DIMENSIONS);
    int row = result->row;
    for (int d = 0; d <= row; d++)
        row += ints_contain(dims, d);
    Member operand = new_form(spread, builder, op_operand(op, 0), row);
    int64_t over[MAX_RANK], count = 0;
    int place = place_of(spread, type);
    for (int d = 0; d <= type->rank; d++) {
        if (d == place) over[count++] = place;
        if (d < type->rank && ints_contain(dims, d))
            over[count++] = moved_dim(spread, type, d, true);
    }
    Module *module = spread->module;
    Value *whole = with_devices(spread, builder, &operand);
    PtrMap values = ptr_map(spread->arena);
    Op *reduce = op_clone(builder, op, &values);
    op_set_operand(reduce, 0, whole);
    op_set_attr(module, reduce, NAME_DIMENSIONS, attr_ints(module->context, (int)count, over));
    mark(spread, reduce);
    op_result(reduce, 0)->type = moved_type(spread, result->old->type, result->row, false);
    result->value = op_result(reduce, 0);
}

static void build_member(Spread *spread, Member *member) {
    Op *op = member->old->def;
    Builder builder = builder_before(spread->module, op);
    if (op->code == OP_REDUCE)
        build_reduction(spread, &builder, op, member);
    else if (op->code == OP_ALL_REDUCE)
        member->value = spread_member(spread, op_operand(op, 0))->value;
    else
        build_moved(spread, &builder, op, member);
}

// ---- what others read

// In the old form: what is moved back, or computed as before. Reductions over
// the rows compute what they fold.
static void find_needs(const Spread *spread, Member *member) {
    for (const Use *use = member->old->uses; use; use = use->next) {
        const Op *op = use->owner;
        const Member *reader = op->result_count == 1 && op->parent == spread->region
                                   ? spread_member(spread, op_result(op, 0))
                                   : NULL;
        if (reader && !reader->is_kept) continue;
        bool is_computed = spread_is_moved(member->old->def) && member->of_sums;
        if (is_computed && (reader || op->code == OP_REDUCE))
            member->is_kept = true;
        else if (!member->of_sums && spread_is_moved(member->old->def))
            member->is_kept = true; // it depends on no sum: it stays as it was
        else
            member->comes_back = true;
    }
    if (member->comes_back) member->is_kept = false;
}

static bool reads_old(const Spread *spread, const Op *op) {
    const Member *reader = op->result_count == 1 ? spread_member(spread, op_result(op, 0)) : NULL;
    return !reader || reader->is_kept;
}

static void move_back(const Spread *spread, Member *member) {
    Builder builder = builder_after(spread->module, member->old->def);
    Value *back = bring_back(spread, &builder, member);
    for (Use *use = member->old->uses, *next; use; use = next) {
        next = use->next;
        if (reads_old(spread, use->owner)) op_set_operand(use->owner, use_index(use), back);
    }
}

void spread_build(Spread *spread) {
    VEC(Member *) ordered = {0};
    for (Op *op = spread->region->first; op; op = op->next) {
        Member *member = op->result_count == 1 ? spread_member(spread, op_result(op, 0)) : NULL;
        if (member) vec_push(spread->arena, &ordered, member);
    }
    for (int64_t i = 0; i < ordered.count; i++)
        build_member(spread, ordered.data[i]);
    for (int64_t i = ordered.count - 1; i >= 0; i--)
        find_needs(spread, ordered.data[i]);
    for (int64_t i = 0; i < ordered.count; i++)
        if (ordered.data[i]->comes_back) move_back(spread, ordered.data[i]);
    for (int64_t i = ordered.count - 1; i >= 0; i--)
        if (!ordered.data[i]->is_kept) op_erase(ordered.data[i]->old->def);
}
