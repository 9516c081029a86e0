// fuse: which values are stored, and in which kernels.
//
//   In      a device program after insert_copies.
//   Out     every value is stored (ValueInfo.is_stored; a FusionRoot computes it) or fused into
//           those who read it. Fusion roots are in no order yet.
//
// Values are decided from the last to the first, so that all readers of a value are known: a reader
// is a kernel that evaluates the value's expression, at the element that it writes (path 0, also
// through reshapes, which keep the order of memory) or along a path of views. A value is evaluated
// once per reader and element; it is stored where that costs more than to write it once and load
// it. Then it joins a kernel over the same index space, if all other readers come after. An op with
// a kernel of its own takes over the kernel that alone reads its result element by element: that is
// its epilogue.
//
// Costs are in cheap vector operations: one element loaded from beyond the caches
// counts 4 per 4 bytes, stored 8.
#include "codegen/fuse/cost.h"
#include "codegen/fuse/fuse.h"
#include "codegen/fuse/readers.h"
#include "codegen/kernel/lower_class.h"

#include <string.h>

enum {
    // kernels up to this size are joined though they share nothing: a barrier costs more
    TINY_ELEMENTS = 4096,
    NESTED_TRIPS = 8 // guess for the iterations of a loop
};

enum { KERNEL_COST = 1000 }; // of one more kernel and its barrier

typedef struct FusionChoice {
    Fusion *fusion;
    Arena *arena;
    Readers **readers; // by Value.number; of fused values
} FusionChoice;

static void add_reader(
    Readers *readers, FusionRoot *root, uint64_t path, double evals, DimMap map) {
    for (int i = 0; i < readers->count; i++) {
        Reader *reader = &readers->list[i];
        if (reader->root == root && reader->path == path) {
            if (reader->evals < evals) reader->evals = evals;
            return;
        }
    }
    for (int i = 0; i < readers->count && readers->count == READER_LIMIT; i++) {
        Reader *reader = &readers->list[i]; // passes over the same row
        if (!root->has_rows || reader->root != root || memcmp(&reader->map, &map, sizeof map) != 0)
            continue;
        reader->evals += evals;
        if (path == 0) reader->path = 0;
        return;
    }
    if (readers->count < READER_LIMIT) {
        readers->list[readers->count++] = (Reader){root, path, evals, map};
    } else {
        readers->list[READER_LIMIT - 1].evals += evals;
        readers->list[READER_LIMIT - 1].path = 1;
        readers->list[READER_LIMIT - 1].map = map_none();
        if (root->position < readers->first_position) readers->first_position = root->position;
    }
}

static uint64_t mix_path(uint64_t path, const Op *op, int operand) {
    uint64_t key[3] = {path, (uint64_t)op->number, (uint64_t)operand};
    uint64_t mixed = hash_bytes(key, sizeof key, 7);
    return mixed ? mixed : 1;
}

// Is operand i read at the number of the result's element, in the order of memory?
static bool is_same_element(const Op *op, int i) {
    if (op->code == OP_RESHAPE) return true;
    if (!type_same_shape(op_operand_type(op, i), op_result_type(op, 0))) return false;
    return op_has(op, TRAIT_POINTWISE) || op->code == OP_MAP;
}

static int64_t position_of(const FusionChoice *choice, const Op *op) {
    return choice->fusion->positions[op->number];
}

// How many evaluations one of an operand stands for. A gather's numbers that are not stored are
// computed one by one, as memory that is read there cannot be.
static double evaluations(const Op *owner, int i) {
    const double COSTLY = 24, LANES = 8;
    double times = cost_evaluations(owner, i);
    bool is_number = owner->code == OP_GATHER && i == 1;
    return is_number && cost_of_elements(op_operand(owner, i)) >= COSTLY ? LANES * times : times;
}

// The readers of `use`'s value that come through the result of its owner.
static void add_readers_through(FusionChoice *choice, const Use *use, Readers *readers) {
    const Op *owner = use->owner;
    const Value *result = op_result(owner, 0);
    const ValueInfo *info = value_info(choice->fusion, result);
    double ratio = evaluations(owner, use_index(use));
    bool same = is_same_element(owner, use_index(use));
    if (info->is_stored) {
        double elements = (double)type_element_count(result->type);
        uint64_t path = same ? 0 : mix_path(0, owner, use_index(use));
        DimMap map = map_operand(owner, use_index(use), map_of_member(info->root, result));
        add_reader(readers, info->root, path, elements * ratio, map);
        return;
    }
    const Readers *through = choice->readers[result->number];
    if (!through) return; // nobody reads it
    if (through->is_nested) readers->is_nested = true;
    if (through->first_position < readers->first_position) {
        readers->first_position = through->first_position;
    }
    for (int i = 0; i < through->count; i++) {
        const Reader *reader = &through->list[i];
        uint64_t path = same ? reader->path : mix_path(reader->path, owner, use_index(use));
        DimMap map = map_operand(owner, use_index(use), reader->map);
        add_reader(readers, reader->root, path, reader->evals * ratio, map);
    }
}

static void need_in_memory(
    FusionChoice *choice, const Value *value, Readers *readers, const Op *by) {
    value_info(choice->fusion, value)->is_forced = true;
    int64_t position = position_of(choice, by);
    if (position < readers->first_position) readers->first_position = position;
}

// Do other devices read operand i through the op?
static bool reads_remotely(const FusionChoice *choice, const Op *owner, int i) {
    if (op_has(owner, TRAIT_COLLECTIVE)) return true;
    if (owner->code == OP_DYNAMIC_SLICE && i > 0) return false; // where it begins, they know
    return value_info(choice->fusion, op_result(owner, 0))->is_remote_shape;
}

static void read_remotely(
    FusionChoice *choice, const Value *value, Readers *readers, const Op *owner) {
    if (is_remote_form(choice->fusion, value, choice->readers[op_result(owner, 0)->number]))
        value_info(choice->fusion, value)->is_remote_shape = true;
    else
        need_in_memory(choice, value, readers, owner);
}

// The copy of the array that a part of it is read before: of its operand, or what that is made of.
static const Op *copy_behind(const Op *part) {
    for (const Op *from = part; from && from->operand_count > 0; from = op_operand(from, 0)->def) {
        for (const Use *use = op_operand(from, 0)->uses; use; use = use->next) {
            const Op *op = use->owner;
            bool is_copy =
                op->code == OP_RESHAPE && op_result_type(op, 0) == op_operand_type(op, 0);
            if (is_copy && op->parent == part->parent) return op;
        }
    }
    return NULL;
}

static Readers *find_readers(FusionChoice *choice, const Value *value) {
    Readers *readers = ARENA_NEW(choice->arena, Readers);
    readers->first_position = INT64_MAX;
    Region *region = value_region(value);
    for (const Use *use = value->uses; use; use = use->next) {
        const Op *owner = use->owner;
        if (owner->parent != region) readers->is_nested = true;
        switch (lower_class(owner, NULL)) {
        case LOWER_ABSENT: break;
        case LOWER_NONE:
            if (op_has(owner, TRAIT_TERMINATOR)) need_in_memory(choice, value, readers, owner);
            break;
        case LOWER_CONTROL: need_in_memory(choice, value, readers, owner); break;
        case LOWER_ELEMENT:
        case LOWER_REDUCE:
            if (reads_remotely(choice, owner, use_index(use)))
                read_remotely(choice, value, readers, owner);
            add_readers_through(choice, use, readers);
            break;
        case LOWER_UPDATE:
        case LOWER_KERNEL: {
            bool overwritten = op_is_in_place(owner) && use_index(use) < owner->result_count;
            if (overwritten || lower_stores_operand(owner, use_index(use))) {
                need_in_memory(choice, value, readers, owner);
            }
            if (owner->result_count == 0) break; // has it in memory
            FusionRoot *root = value_info(choice->fusion, op_result(owner, 0))->root;
            if (!root) break; // a dead op
            const Streamed *streamed = value_info(choice->fusion, op_result(owner, 0))->streamed;
            double each = streamed ? attention_evaluations(streamed, owner, use_index(use))
                                   : cost_evaluations(owner, use_index(use));
            const double IMAGE_COPIES = 1.5;
            bool is_image = use_index(use) == 0 && cost_copies_image(owner);
            if (is_image && value->def && op_has(value->def, TRAIT_VIEW)) each = IMAGE_COPIES;
            double evals = (double)type_element_count(value->type) * each;
            add_reader(readers, root, mix_path(0, owner, use_index(use)), evals, map_none());
            break;
        }
        }
    }
    const Op *copy = op_extra(value->def, READ_BEFORE) ? copy_behind(value->def) : NULL;
    if (copy) need_in_memory(choice, value, readers, copy);
    choice->readers[value->number] = readers;
    return readers;
}

// ---- roots

static FusionRoot *new_root(FusionChoice *choice, KernelKind kind, const Op *op) {
    FusionRoot *root = ARENA_NEW(choice->fusion->plan->arena, FusionRoot);
    root->kind = kind;
    root->op = op;
    root->region = op->parent;
    root->position = position_of(choice, op);
    root->type = op->result_count > 0 ? op_result_type(op, 0) : NULL;
    vec_push(choice->fusion->plan->arena, &choice->fusion->roots, root);
    return root;
}

static void add_member_at(FusionChoice *choice, FusionRoot *root, const Value *value, DimMap map) {
    ValueInfo *info = value_info(choice->fusion, value);
    info->is_stored = true;
    info->root = root;
    vec_push(choice->fusion->plan->arena, &root->members, value);
    vec_push(choice->fusion->plan->arena, &root->maps, map);
}

static void add_member(FusionChoice *choice, FusionRoot *root, const Value *value) {
    add_member_at(choice, root, value, map_identity(value->type->rank));
}

// May the value be stored by this kernel, which runs after all other members' readers... and before
// all of the value's other readers?
static bool may_join(const FusionRoot *root, const Value *value, const Readers *readers) {
    if (root->kind != KERNEL_LOOP || root->is_closed || root->has_rows) return false;
    if (root->region != value->def->parent || !type_same_shape(root->type, value->type))
        return false;
    if (root->fused_ops > FUSED_OPS_LIMIT || root->members.count >= 16) return false;
    if (readers->first_position <= root->position) return false;
    bool reads = false;
    for (int i = 0; i < readers->count; i++) {
        const Reader *reader = &readers->list[i];
        if (reader->root == root && reader->path == 0) {
            reads = true;
        } else if (reader->root->position <= root->position || reader->root == root) {
            return false;
        }
    }
    return reads || type_element_count(value->type) <= TINY_ELEMENTS;
}

static FusionRoot *find_joinable(FusionChoice *choice, const Value *value, const Readers *readers) {
    for (int i = 0; i < readers->count; i++) {
        if (may_join(readers->list[i].root, value, readers)) return readers->list[i].root;
    }
    int64_t looked = 0;
    for (int64_t i = choice->fusion->roots.count - 1; i >= 0 && looked < 16; i--, looked++) {
        FusionRoot *root = choice->fusion->roots.data[i];
        if (may_join(root, value, readers)) return root;
    }
    return NULL;
}

// The main function's argument or result number that the copy moves; -1 = it is no such copy.
static int uneven_argument(const FusionChoice *choice, const Op *op) {
    const DeviceProgram *program = choice->fusion->plan->program;
    if (op->code != OP_RESHAPE || op_operand(op, 0)->region != func_body(program->main)) return -1;
    int i = op_operand(op, 0)->index;
    return layout_is_uneven(&program->args[i], program->device_count) ? i : -1;
}

static bool is_uneven_result(const FusionChoice *choice, const Value *value) {
    const DeviceProgram *program = choice->fusion->plan->program;
    const Op *terminator = region_terminator(func_body(program->main));
    for (const Use *use = value->uses; use; use = use->next) {
        if (use->owner == terminator &&
            layout_is_uneven(&program->results[use_index(use)], program->device_count)) {
            return true;
        }
    }
    return false;
}

// The copy of what the body of a while yields into the carry: the last thing that the body does.
static bool is_carry_copy(const Value *value) {
    const Use *use = value->uses;
    if (!use || use->next || use->owner->code != OP_RETURN) return false;
    const Op *owner = op_parent_op(use->owner);
    return owner && owner->code == OP_WHILE && use->owner->parent == owner->regions[1];
}

// A copy of a value that lies in memory anyway: share.c may remove it, so
// nothing else goes into its kernel.
static bool is_removable_copy(const Value *value) {
    const Op *op = value->def;
    if (op->code != OP_RESHAPE || op_operand_type(op, 0) != value->type) return false;
    const Op *source = op_operand(op, 0)->def;
    if (!source) return op_operand(op, 0)->region->owner->code != OP_FUNC;
    LowerClass lower = lower_class(source, NULL);
    return lower == LOWER_CONTROL || lower == LOWER_UPDATE || lower == LOWER_KERNEL;
}

static bool join_rows(FusionChoice *choice, const Value *value, const Readers *readers) {
    DimMap map;
    FusionRoot *root = rows_to_join(choice->fusion, value, readers, &map);
    if (root) add_member_at(choice, root, value, map);
    return root != NULL;
}

// The kernel that makes `sent` stores it as `value`, if it can: until that is known it is a copy's.
static void send_element(FusionChoice *choice, const Value *sent, const Value *value) {
    FusionRoot *copy = new_root(choice, KERNEL_LOOP, value->def);
    copy->is_closed = copy->is_pure_copy = true;
    ValueInfo *info = value_info(choice->fusion, value);
    info->is_stored = true;
    info->root = copy;
    value_info(choice->fusion, sent)->goes_to = value;
}

static void settle_sent(FusionChoice *choice, const Value *sent) {
    ValueInfo *info = value_info(choice->fusion, sent);
    if (!info->goes_to) return;
    if (info->is_stored && root_can_send(info->root)) {
        info->root->sends = true;
        return;
    }
    const Value *value = info->goes_to;
    info->goes_to = NULL;
    add_member(choice, value_info(choice->fusion, value)->root, value);
}

static void store_element(FusionChoice *choice, const Value *value, const Readers *readers) {
    if (is_carry_copy(value)) {
        FusionRoot *copy = new_root(choice, KERNEL_LOOP, value->def);
        copy->is_closed = copy->is_pure_copy = true;
        add_member(choice, copy, value);
        value_info(choice->fusion, op_operand(value->def, 0))->is_forced = true;
        return;
    }
    KernelKind kind = KERNEL_LOOP;
    if (uneven_argument(choice, value->def) >= 0) {
        kind = KERNEL_TILE_IN;
    } else if (is_uneven_result(choice, value)) {
        kind = KERNEL_TILE_OUT;
    }
    bool apart = kind != KERNEL_LOOP || is_removable_copy(value) || op_extra(value->def, UNWRITTEN);
    if (!apart && join_rows(choice, value, readers)) return;
    const Value *sent = apart ? NULL : sent_value(choice->fusion, value);
    if (sent) {
        send_element(choice, sent, value);
        return;
    }
    FusionRoot *root = apart ? NULL : find_joinable(choice, value, readers);
    if (!root) root = new_root(choice, kind, value->def);
    root->is_closed = apart && kind == KERNEL_LOOP;
    add_member(choice, root, value);
}

// The one kernel that reads the value, element by element, and has no root op yet:
// its epilogue may be that kernel.
static FusionRoot *find_epilogue(const Value *value, const Readers *readers) {
    if (readers->count != 1 || readers->list[0].path != 0 || readers->is_nested) return NULL;
    FusionRoot *root = readers->list[0].root;
    bool fits = root->kind == KERNEL_LOOP && !root->is_pure_copy && !root->sends &&
                !root->has_rows && root->members.count == 1 && root->region == value->def->parent &&
                type_element_count(root->type) == type_element_count(value->type);
    return fits ? root : NULL;
}

static void take_over(FusionChoice *choice, FusionRoot *root, KernelKind kind, const Value *value) {
    root->kind = kind;
    root->op = value->def;
    root->has_epilogue = true;
    value_info(choice->fusion, value)->root = root;
}

// ---- decisions

static double total_evaluations(const Readers *readers) {
    double total = 0;
    for (int i = 0; i < readers->count; i++) {
        total += readers->list[i].evals;
    }
    return total;
}

static bool exceeds_limit(const Readers *readers) {
    for (int i = 0; i < readers->count; i++) {
        if (readers->list[i].root->fused_ops >= FUSED_OPS_LIMIT) return true;
    }
    return false;
}

static void count_fused(const Readers *readers, bool moves_lanes) {
    for (int i = 0; i < readers->count; i++) {
        readers->list[i].root->fused_ops++;
        if (moves_lanes) readers->list[i].root->moves_lanes = true;
    }
}

// Does somebody choose between this value and others at each element, so that it would be computed
// in vain?
static bool is_costly_choice(const FusionChoice *choice, const Value *value) {
    if (value_info(choice->fusion, value)->work < 40) return false;
    for (const Use *use = value->uses; use; use = use->next) {
        if (use->owner->code == OP_CONCATENATE || use->owner->code == OP_PAD) return true;
    }
    return false;
}

static bool is_cheaper_stored(
    const FusionChoice *choice, const Value *value, const Readers *readers) {
    const ValueInfo *info = value_info(choice->fusion, value);
    double elements = (double)type_element_count(value->type);
    double evals = total_evaluations(readers);
    if (readers->is_nested) evals *= NESTED_TRIPS;
    double load = cost_load(value->type), work = (double)info->work;
    double stored = elements * (work + cost_store(value->type)) + evals * load + KERNEL_COST;
    // A kernel over the same elements can store it on the way: no other
    // kernel, and it is computed once.
    for (int i = 0; i < readers->count; i++) {
        if (may_join(readers->list[i].root, value, readers)) {
            stored -= KERNEL_COST + readers->list[i].evals * load;
            break;
        }
    }
    return evals * work > stored;
}

static bool is_plain_view(const Op *op) {
    return op_has(op, TRAIT_VIEW) && op->code != OP_CONCATENATE && op->code != OP_PAD;
}

static void decide_element(FusionChoice *choice, const Value *value, const Readers *readers) {
    ValueInfo *info = value_info(choice->fusion, value);
    const Op *op = value->def;
    if (op->code == OP_CONSTANT || op->code == OP_CHLO_CONSTANT) {
        const Attr *elements = op_attr(op, NAME_VALUE);
        info->is_stored = elements && !elements->is_splat && !cost_is_looked_up(value);
        return;
    }
    bool store = info->is_forced || op_extra(op, PANEL_COLUMNS) ||
                 (!info->is_free && exceeds_limit(readers));
    if (!store && !info->is_free && !is_plain_view(op) && !info->is_remote_shape &&
        !(op_has(op, TRAIT_COLLECTIVE) && op_extra(op, SPREAD_OVER)) &&
        !gathers_panels(op)) { // of a view, the operand decides
        store = (readers->is_nested && !info->is_view) || is_costly_choice(choice, value) ||
                cost_is_asked_in_windows(value) ||
                (is_cheaper_stored(choice, value, readers) && !rows_keep(value, readers));
    }
    store = store || (!info->is_free && lane_move_is_stored(choice->fusion, value, readers)) ||
            cost_gathers_along_k(value);
    if (store) {
        store_element(choice, value, readers);
    } else if (!info->is_free) {
        count_fused(readers, is_lane_move(op));
    }
}

// A sum over rows may be computed where each row is needed once.
static bool may_fuse_reduce(
    const FusionChoice *choice, const Value *value, const Readers *readers) {
    enum { FEW_ROWS = 256, FEW_STEPS = 16 };
    const Op *op = value->def;
    if (value_info(choice->fusion, value)->is_forced || op->result_count != 1) return false;
    if (readers->count != 1 || readers->is_nested || exceeds_limit(readers)) return false;
    const FusionRoot *root = readers->list[0].root;
    if ((root->kind != KERNEL_LOOP && root->kind != KERNEL_REDUCE) || root->has_rows) return false;
    double elements = (double)type_element_count(value->type);
    if (elements < 16 || readers->list[0].evals > elements * 1.01) return false;
    if ((double)type_element_count(root->type) < elements)
        return false;                       // fewer chunks than it has by itself
    if (op->code != OP_REDUCE) return true; // over devices
    // several chunks share such a row, and each would make the sum
    if (elements < FEW_ROWS && cost_reduced_elements(op) > FEW_STEPS) return false;
    IntSpan dims = op_ints(op, NAME_DIMENSIONS);
    int rank = op_operand_type(op, 0)->rank;
    for (int i = 0; i < dims.count; i++)
        if (dims.data[i] < rank - dims.count) return false;
    return true;
}

static void decide_reduce(FusionChoice *choice, const Value *value, const Readers *readers) {
    FusionRoot *epilogue = find_epilogue(value, readers);
    if (epilogue && !value_info(choice->fusion, value)->is_forced &&
        value->def->result_count == 1) {
        take_over(choice, epilogue, KERNEL_REDUCE, value);
    } else if (
        rows_take(choice->fusion, value, readers) || may_fuse_reduce(choice, value, readers)) {
        count_fused(readers, false);
    } else if (!join_rows(choice, value, readers)) {
        KernelKind kind;
        lower_class(value->def, &kind);
        add_member(choice, new_root(choice, kind, value->def), value);
    }
}

// The kernel that computes the product of the weights reads what the one of the scores reads.
static void start_streaming(FusionChoice *choice, const Streamed *streamed, FusionRoot *root) {
    if (!streamed) return;
    root->scores = streamed->scores;
    value_info(choice->fusion, op_result(streamed->scores, 0))->root = root;
}

// What is computed in a kernel of attention block by block is decided with what this stores.
static bool is_streamed(FusionChoice *choice, const Op *op) {
    if (op->result_count != 1) return false;
    const Value *value = op_result(op, 0);
    const Streamed *streamed = value_info(choice->fusion, value)->streamed;
    if (!streamed || (streamed->product == op && !streamed->end)) return false;
    if (value != streamed->end) return true;
    FusionRoot *root = new_root(choice, KERNEL_LOOP, op);
    root->is_closed = true;
    add_member(choice, root, value);
    take_over(choice, root, KERNEL_ATTENTION, op_result(streamed->product, 0));
    start_streaming(choice, streamed, root);
    return true;
}

// An elementwise value may be the end of the kernel that makes what it is made of, or one of its
// rows' results, rather than the update's.
static void decide_stacked(FusionChoice *choice, const Op *update) {
    const Value *value = stacked_value(update);
    if (value && lower_class(value->def, NULL) == LOWER_ELEMENT)
        value_info(choice->fusion, value)->is_forced = true;
}

static void decide_kernel(FusionChoice *choice, const Op *op) {
    KernelKind kind;
    lower_class(op, &kind);
    if (kind == KERNEL_UPDATE) decide_stacked(choice, op);
    const Value *value = op->result_count == 1 ? op_result(op, 0) : NULL;
    bool is_contraction = value && (kind == KERNEL_CONTRACT || kind == KERNEL_CONV);
    const Streamed *streamed = is_contraction ? value_info(choice->fusion, value)->streamed : NULL;
    if (streamed) kind = KERNEL_ATTENTION;
    if (is_contraction || (value && kind == KERNEL_WINDOW)) {
        FusionRoot *epilogue = find_epilogue(value, choice->readers[value->number]);
        if (epilogue && !value_info(choice->fusion, value)->is_forced) {
            take_over(choice, epilogue, kind, value);
            start_streaming(choice, streamed, epilogue);
            return;
        }
    }
    FusionRoot *root = new_root(choice, kind, op);
    start_streaming(choice, streamed, root);
    for (int i = 0; i < op->result_count; i++) {
        if (type_is_stored(op_result(op, i)->type)) add_member(choice, root, op_result(op, i));
    }
}

static void decide_region(FusionChoice *choice, const Region *region);

static void decide_values(FusionChoice *choice, const Op *op, LowerClass lower) {
    if (lower == LOWER_ELEMENT) {
        decide_element(choice, op_result(op, 0), choice->readers[op_result(op, 0)->number]);
    } else if (lower == LOWER_REDUCE && op->result_count == 1) {
        decide_reduce(choice, op_result(op, 0), choice->readers[op_result(op, 0)->number]);
    } else {
        decide_kernel(choice, op);
    }
}

static void decide_op(FusionChoice *choice, const Op *op) {
    LowerClass lower = lower_class(op, NULL);
    if (lower == LOWER_CONTROL) {
        for (int i = 0; i < op->result_count; i++) {
            value_info(choice->fusion, op_result(op, i))->is_stored = true;
        }
        for (int r = op->region_count - 1; r >= 0; r--) {
            decide_region(choice, op->regions[r]);
        }
        return;
    }
    if (lower == LOWER_ABSENT || lower == LOWER_NONE) return;
    bool is_used = op_has(op, TRAIT_EFFECT);
    for (int i = 0; i < op->result_count; i++) {
        if (type_is_stored(op_result(op, i)->type)) find_readers(choice, op_result(op, i));
        is_used = is_used || op_result(op, i)->uses;
    }
    if (!is_used) return;
    if (!is_streamed(choice, op)) decide_values(choice, op, lower);
    for (int i = 0; i < op->result_count; i++)
        settle_sent(choice, op_result(op, i));
}

static void decide_region(FusionChoice *choice, const Region *region) {
    for (int i = 0; i < region->arg_count; i++) {
        value_info(choice->fusion, region->args[i])->is_stored = true;
    }
    for (const Op *op = region->last; op; op = op->prev) {
        decide_op(choice, op);
    }
}

void fuse_values(Fusion *fusion) {
    cost_values(fusion);
    if (fusion->plan->streams_attention) find_attention(fusion);
    FusionChoice choice = {fusion, fusion->plan->arena, NULL};
    choice.readers = ARENA_ARRAY(choice.arena, Readers *, fusion->module->next_value_number);
    decide_region(&choice, func_body(fusion->plan->program->main));
    drop_unread(fusion, choice.readers);
    join_reductions(fusion, choice.readers);
    place_stacks(fusion);
}
