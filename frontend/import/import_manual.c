// import_manual: the computations between custom calls that change shapes from global to local and
// back.
//
// In one block of ops, what uses the result of an entering border, and all that
// leads to a leaving one, is local:
//
//   before  %1 = custom_call @SPMDFullToShardShape(%0)
//           %2 = stablehlo.tanh %1
//           %3 = custom_call @SPMDShardToFullShape(%2)
//   after   %3 = sdy.manual_computation(%0) .. (%1) {
//             %2 = stablehlo.tanh %1
//             sdy.return %2
//           }
//
// Local ops that have to do with each other are one computation. What needs no border (constants)
// is copied into each that uses it.
#include "frontend/import/import_manual.h"

#include "base/vec.h"
#include "ir/analysis/effects.h"
#include "ir/builder.h"
#include "ir/simplify/inline.h"

enum { MAX_CALLS = 64 }; // of manual computations in functions that manual computations call

typedef enum Progress { NOT_STARTED, OPEN, DONE } Progress;

typedef struct Function {
    Progress progress;
    bool was_inlined;
} Function;

// What all blocks share.
typedef struct Import {
    Module *module;
    Arena *scratch;
    Diags *diags;
    const PtrMap *borders;
    PtrMap functions; // func -> Function
    int depth;        // of calls
} Import;

typedef struct LocalOp {
    Op *op;
    const ManualBorder *border; // NULL: an op in between
    int64_t leader;             // union-find over Block.locals
    bool is_shared;             // needs no border: copied into the computations that use it
} LocalOp;

typedef VEC(LocalOp) LocalOps;
typedef VEC(Value *) Values;

typedef struct Block {
    Import *import;
    Module *module;
    Arena *scratch;
    const PtrMap *borders;
    Region *region;
    LocalOps locals; // in the block's order once they are sorted
    PtrMap index;    // Op -> its place in locals + 1
} Block;

static LocalOp *local_of(const Block *block, const Op *op) {
    uintptr_t place = (uintptr_t)ptr_map_get(&block->index, op);
    return place ? &block->locals.data[place - 1] : NULL;
}

static LocalOp *add_local(Block *block, Op *op, bool is_shared) {
    LocalOp local = {
        .op = op,
        .border = ptr_map_get(block->borders, op),
        .leader = block->locals.count,
        .is_shared = is_shared};
    vec_push(block->scratch, &block->locals, local);
    ptr_map_set(&block->index, op, (void *)(uintptr_t)block->locals.count);
    return &vec_last(&block->locals);
}

static bool enters(const Block *block, const Op *op) {
    const ManualBorder *border = ptr_map_get(block->borders, op);
    return border && border->enters;
}

static bool leaves(const Block *block, const Op *op) {
    const ManualBorder *border = ptr_map_get(block->borders, op);
    return border && !border->enters;
}

static bool not_manual(const Block *block, const Op *op, const char *what) {
    diag_unsupported(
        block->import->diags, op->loc,
        "'%.*s' op %s: the manual computation cannot be told from the rest", SV_ARG(op->name),
        what);
    return false;
}

// Values from outside that an op and its regions use.
typedef struct Uses {
    Arena *arena;
    const Op *op;
    Values values;
} Uses;

static bool add_uses(Op *op, void *user) {
    Uses *uses = user;
    for (int i = 0; i < op->operand_count; i++) {
        Value *value = op_operand(op, i);
        const Region *from = value_region(value);
        bool inside = false;
        for (int r = 0; r < uses->op->region_count && !inside; r++)
            inside = op != uses->op &&
                     (from == uses->op->regions[r] ||
                      (from->owner && region_contains(uses->op->regions[r], from->owner)));
        if (!inside) vec_push(uses->arena, &uses->values, value);
    }
    return true;
}

static Values values_used(const Block *block, Op *op) {
    Uses uses = {.arena = block->scratch, .op = op};
    add_uses(op, &uses);
    for (int r = 0; r < op->region_count; r++)
        region_walk(op->regions[r], add_uses, &uses);
    return uses.values;
}

// Everything that uses a result of a local op, up to the leaving borders.
static bool add_users(Block *block, int64_t from) {
    for (int64_t i = from; i < block->locals.count; i++) {
        const Op *op = block->locals.data[i].op;
        if (leaves(block, op) || block->locals.data[i].is_shared) continue;
        for (int r = 0; r < op->result_count; r++) {
            for (const Use *use = op_result(op, r)->uses; use; use = use->next) {
                Op *user = region_ancestor_of(block->region, use->owner);
                if (!user) continue;
                if (op_has(user, TRAIT_TERMINATOR))
                    return not_manual(
                        block, user, "uses a local value outside of any manual computation");
                if (!local_of(block, user)) add_local(block, user, false);
            }
        }
    }
    return true;
}

// Everything that local ops need, back to the entering borders. Ops that are
// found so need no border themselves.
static bool add_needed(Block *block) {
    for (int64_t i = 0; i < block->locals.count; i++) {
        Op *op = block->locals.data[i].op;
        if (enters(block, op)) continue;
        Values values = values_used(block, op);
        for (int64_t v = 0; v < values.count; v++) {
            Op *def = values.data[v]->def;
            if (!def || def->parent != block->region)
                return not_manual(block, op, "uses a value of the whole program");
            if (leaves(block, def))
                return not_manual(block, op, "uses a result of a manual computation");
            if (local_of(block, def)) continue;
            if (op_has_effect(def) && def->code != OP_CALL)
                return not_manual(block, def, "has an effect and is used in a manual computation");
            add_local(block, def, def->code != OP_CALL);
        }
    }
    return true;
}

// Locals in the block's order, the index with them.
static void sort_locals(Block *block) {
    LocalOps sorted = {0};
    for (Op *op = block->region->first; op; op = op->next) {
        const LocalOp *local = local_of(block, op);
        if (!local) continue;
        vec_push(block->scratch, &sorted, *local);
        vec_last(&sorted).leader = sorted.count - 1;
    }
    block->locals = sorted;
    for (int64_t i = 0; i < sorted.count; i++)
        ptr_map_set(&block->index, sorted.data[i].op, (void *)(uintptr_t)(i + 1));
}

static int64_t find_leader(Block *block, int64_t i) {
    LocalOp *locals = block->locals.data;
    while (locals[i].leader != i)
        i = locals[i].leader = locals[locals[i].leader].leader;
    return i;
}

static void join_locals(Block *block) {
    for (int64_t i = 0; i < block->locals.count; i++) {
        LocalOp *local = &block->locals.data[i];
        if (enters(block, local->op) || local->is_shared) continue;
        Values values = values_used(block, local->op);
        for (int64_t v = 0; v < values.count; v++) {
            const LocalOp *def = local_of(block, values.data[v]->def);
            if (!def || def->is_shared) continue;
            int64_t a = find_leader(block, i), b = find_leader(block, def - block->locals.data);
            block->locals.data[a > b ? a : b].leader = a > b ? b : a;
        }
    }
}

// ---- one computation ----

typedef struct Computation {
    Block *block;
    int64_t leader;
    Values in, out; // operands; what leaves
    VEC(const Sharding *) in_shardings, out_shardings;
    VEC(const Type *) out_types;
    const Attr *manual_axes;
    Op *first_leaving, *last_entering;
    PtrMap values; // values outside -> values in the region
    Op *manual;
} Computation;

static bool belongs(const Computation *computation, int64_t i) {
    const LocalOp *local = &computation->block->locals.data[i];
    return !local->is_shared && find_leader(computation->block, i) == computation->leader;
}

static bool collect_borders(Computation *computation) {
    Block *block = computation->block;
    Arena *arena = block->scratch;
    for (int64_t i = 0; i < block->locals.count; i++) {
        const LocalOp *local = &block->locals.data[i];
        const ManualBorder *border = local->border;
        if (!border || !belongs(computation, i)) continue;
        Op *op = local->op;
        for (int k = 0; k < op->result_count; k++) {
            Value *value = op_operand(op, k);
            if (border->enters) {
                vec_push(arena, &computation->in, value);
                vec_push(arena, &computation->in_shardings, border->shardings[k]);
            } else {
                vec_push(arena, &computation->out, value);
                vec_push(arena, &computation->out_shardings, border->shardings[k]);
                vec_push(arena, &computation->out_types, op_result_type(op, k));
            }
        }
        if (border->enters) computation->last_entering = op;
        if (!border->enters && !computation->first_leaving) computation->first_leaving = op;
        const Attr *axes = border->manual_axes; // GSPMD's leaving borders have none
        if (axes && computation->manual_axes && axes != computation->manual_axes)
            return not_manual(block, op, "has other manual axes than the borders before it");
        if (axes) computation->manual_axes = axes;
    }
    return true;
}

// Ops after the first leaving border that use its results move behind the last entering border,
// where the computation will stand.
static bool move_dependents(Computation *computation) {
    Block *block = computation->block;
    PtrMap dependents = ptr_map(block->scratch);
    Op *place = computation->last_entering;
    if (!place || !computation->first_leaving) return true;
    VEC(Op *) moved = {0};
    Op *op = computation->first_leaving;
    while (op && op != place)
        op = op->next;
    if (!op) return true; // all borders that enter stand before those that leave
    for (op = computation->first_leaving; op; op = op->next) {
        const LocalOp *local = local_of(block, op);
        bool mine = local && belongs(computation, local - block->locals.data);
        bool depends = mine && local->border && !local->border->enters;
        if (!depends && (!mine || enters(block, op))) {
            Values values = values_used(block, op);
            for (int64_t v = 0; v < values.count && !depends; v++)
                depends = values.data[v]->def && ptr_map_has(&dependents, values.data[v]->def);
            if (depends && mine)
                return not_manual(
                    block, op, "depends on a result of the computation that it enters");
            if (depends) vec_push(block->scratch, &moved, op);
        }
        if (depends) ptr_map_set(&dependents, op, op);
        if (op == place) break;
    }
    Op *before = place->next;
    for (int64_t i = 0; i < moved.count && before; i++)
        op_move_before(moved.data[i], before);
    return true;
}

static void build_manual(Computation *computation) {
    Block *block = computation->block;
    Module *module = block->module;
    const Op *place =
        computation->last_entering ? computation->last_entering : computation->first_leaving;
    Builder builder = {
        .module = module,
        .region = block->region,
        .before = computation->last_entering ? computation->last_entering->next
                                             : computation->first_leaving,
        .loc = place->loc};
    Op *op = build_op(
        &builder, OP_SDY_MANUAL, (int)computation->in.count, computation->in.data,
        (int)computation->out.count, computation->out_types.data, 1);
    Context *context = module->context;
    op_set_attr(
        module, op, NAME_IN_SHARDINGS,
        attr_shardings(context, (int)computation->in.count, computation->in_shardings.data));
    op_set_attr(
        module, op, NAME_OUT_SHARDINGS,
        attr_shardings(context, (int)computation->out.count, computation->out_shardings.data));
    op_set_attr(
        module, op, NAME_MANUAL_AXES,
        computation->manual_axes ? computation->manual_axes : attr_axes(context, 0, NULL));
    computation->manual = op;
}

// Which shared ops the computation needs: marked backwards, for what they need comes before them.
static bool *needed_shared(const Computation *computation) {
    Block *block = computation->block;
    bool *needed = ARENA_ARRAY(block->scratch, bool, block->locals.count);
    for (int64_t i = block->locals.count - 1; i >= 0; i--) {
        LocalOp *local = &block->locals.data[i];
        if (enters(block, local->op) || !(needed[i] || belongs(computation, i))) continue;
        Values values = values_used(block, local->op);
        for (int64_t v = 0; v < values.count; v++) {
            const LocalOp *def = local_of(block, values.data[v]->def);
            if (def && def->is_shared) needed[def - block->locals.data] = true;
        }
    }
    return needed;
}

typedef struct Renaming {
    const PtrMap *values;
} Renaming;

static bool rename_operands(Op *op, void *user) {
    const Renaming *renaming = user;
    for (int i = 0; i < op->operand_count; i++) {
        Value *value = ptr_map_get(renaming->values, op_operand(op, i));
        if (value) op_set_operand(op, i, value);
    }
    return true;
}

// The computation's ops move into its region, shared ones are copied.
static void fill_region(Computation *computation) {
    Block *block = computation->block;
    Region *body = computation->manual->regions[0];
    Builder builder = builder_at_end(block->module, body);
    Renaming renaming = {&computation->values};
    const bool *needed = needed_shared(computation);
    for (int64_t i = 0; i < block->locals.count; i++) {
        LocalOp *local = &block->locals.data[i];
        Op *op = local->op;
        if (needed[i]) {
            op_clone(&builder, op, &computation->values);
        } else if (belongs(computation, i) && enters(block, op)) {
            for (int k = 0; k < op->result_count; k++) {
                Value *arg = region_add_arg(block->module, body, op_result_type(op, k), op->loc);
                ptr_map_set(&computation->values, op_result(op, k), arg);
            }
        } else if (belongs(computation, i) && !local->border) {
            op_move_to_end(op, body);
            rename_operands(op, &renaming);
            for (int r = 0; r < op->region_count; r++)
                region_walk(op->regions[r], rename_operands, &renaming);
        }
    }
    for (int64_t i = 0; i < computation->out.count; i++) {
        Value *renamed = ptr_map_get(&computation->values, computation->out.data[i]);
        if (renamed) computation->out.data[i] = renamed;
    }
    builder.loc = computation->manual->loc;
    build_return(&builder, OP_SDY_RETURN, (int)computation->out.count, computation->out.data);
}

static void erase_borders(Computation *computation) {
    Block *block = computation->block;
    int result = 0;
    for (int64_t i = 0; i < block->locals.count; i++) {
        Op *op = block->locals.data[i].op;
        if (!block->locals.data[i].border || !belongs(computation, i) || enters(block, op))
            continue;
        for (int k = 0; k < op->result_count; k++)
            value_replace_uses(op_result(op, k), op_result(computation->manual, result++));
        op_erase(op);
    }
    for (int64_t i = 0; i < block->locals.count; i++) {
        if (block->locals.data[i].border && belongs(computation, i) &&
            block->locals.data[i].border->enters)
            op_erase(block->locals.data[i].op);
    }
}

static bool import_function(Import *import, Op *func);

// Calls in the computation: the functions were made for it.
static bool inline_body(const Computation *computation) {
    Block *block = computation->block;
    for (Op *op = computation->manual->regions[0]->first, *next; op; op = next) {
        next = op->next;
        if (op->code != OP_CALL) continue;
        Op *func = module_find_func(block->module, op_text(op, NAME_CALLEE));
        if (!func || !func_body(func)->first) continue;
        if (!import_function(block->import, func)) return false;
        inline_call(block->module, block->scratch, op, func);
        Function *function = ptr_map_get(&block->import->functions, func);
        function->was_inlined = true;
    }
    return true;
}

static bool make_computation(Block *block, int64_t leader) {
    Computation computation = {.block = block, .leader = leader, .values = ptr_map(block->scratch)};
    if (!collect_borders(&computation)) return false;
    if (computation.out.count == 0 && computation.in.count == 0) return true;
    if (!move_dependents(&computation)) return false;
    build_manual(&computation);
    fill_region(&computation);
    erase_borders(&computation);
    return inline_body(&computation);
}

// ---- blocks ----

static bool has_border(const Block *block) {
    for (const Op *op = block->region->first; op; op = op->next) {
        if (ptr_map_has(block->borders, op)) return true;
    }
    return false;
}

static void erase_unused(Block *block) {
    for (int64_t i = block->locals.count - 1; i >= 0; i--) {
        Op *op = block->locals.data[i].op;
        if (!block->locals.data[i].is_shared) continue;
        bool used = false;
        for (int r = 0; r < op->result_count; r++)
            used |= op_result(op, r)->uses != NULL;
        if (!used) op_erase(op);
    }
}

static bool make_computations(Block *block) {
    for (Op *op = block->region->first; op; op = op->next) {
        if (ptr_map_has(block->borders, op)) add_local(block, op, false);
    }
    // calls that are needed may be used elsewhere too
    if (!add_users(block, 0) || !add_needed(block) || !add_users(block, 0)) return false;
    sort_locals(block);
    join_locals(block);
    for (int64_t i = 0; i < block->locals.count; i++) {
        bool leads = !block->locals.data[i].is_shared && find_leader(block, i) == i;
        if (leads && !make_computation(block, i)) return false;
    }
    erase_unused(block);
    return true;
}

// The block's own computations first, then those in regions of its ops, new ones
// included. The readers limit nesting.
static bool import_region(Import *import, Region *region) {
    Block block = {
        .import = import,
        .module = import->module,
        .scratch = import->scratch,
        .borders = import->borders,
        .region = region,
        .index = ptr_map(import->scratch)};
    if (has_border(&block) && !make_computations(&block)) return false;
    for (const Op *op = region->first; op; op = op->next) {
        for (int r = 0; r < op->region_count; r++) {
            if (!import_region(import, op->regions[r])) return false;
        }
    }
    return true;
}

static bool import_function(Import *import, Op *func) {
    Function *function = ptr_map_get(&import->functions, func);
    if (!function) {
        function = ARENA_NEW(import->scratch, Function);
        ptr_map_set(&import->functions, func, function);
    }
    if (function->progress == DONE) return true;
    if (import->depth == MAX_CALLS) {
        diag_unsupported(
            import->diags, func->loc,
            "function @%.*s: calls from manual computations are nested deeper than %d",
            SV_ARG(func_name(func)), MAX_CALLS);
        return false;
    }
    if (function->progress == OPEN) {
        diag_error(
            import->diags, func->loc, "function @%.*s: manual computations call it recursively",
            SV_ARG(func_name(func)));
        return false;
    }
    function->progress = OPEN;
    import->depth++;
    bool ok = import_region(import, func_body(func));
    import->depth--;
    function->progress = DONE;
    return ok;
}

static bool note_call(Op *op, void *user) {
    StrMap *called = user;
    if (op->code == OP_CALL) str_map_set(called, op_text(op, NAME_CALLEE), op);
    if (op->code == OP_COMPOSITE) str_map_set(called, op_text(op, NAME_DECOMPOSITION), op);
    return true;
}

// Functions that were nothing but the body of a manual computation have done their service.
static void erase_bodies(Import *import) {
    StrMap called = str_map(import->scratch);
    region_walk(import->module->body, note_call, &called);
    for (Op *op = import->module->body->first, *next; op; op = next) {
        next = op->next;
        const Function *function = ptr_map_get(&import->functions, op);
        if (!function || !function->was_inlined || str_map_get(&called, func_name(op))) continue;
        if (func_is_private(op) || strview_starts_with(func_name(op), SV("xla.sdy."))) op_erase(op);
    }
}

bool import_manual_computations(
    Module *module, Arena *scratch, Diags *diags, const PtrMap *borders) {
    Import import = {module, scratch, diags, borders, ptr_map(scratch), 0};
    for (Op *op = module->body->first; op; op = op->next) {
        if (op->code == OP_FUNC && !import_function(&import, op)) return false;
    }
    erase_bodies(&import);
    return true;
}
