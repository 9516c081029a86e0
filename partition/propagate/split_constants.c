// split_constants: each use of a constant computation gets a copy of its own, so that a
// constant can be sharded for each user.
//
// A constant computation is a constant or iota, or a pure elementwise op, broadcast, reshape or
// slice of such. Broadcasts of any scalar are copied too; scalars are not, they are never sharded.
// stablehlo.constant becomes sdy.constant, which nothing folds.
//
//   before  %c = constant  %0 = add %a, %c   %1 = mul %b, %c
//   after   %c = constant  %0 = add %a, %c   %c_0 = constant   %1 = mul %b, %c_0
//
// The way back: constants and broadcasts of scalars that are equal and sharded alike become one.
#include "ir/analysis/data_flow.h"
#include "partition/passes.h"
#include "partition/propagate/call_graph.h"
#include "partition/rules/sharding_rule.h"

typedef struct Splitting {
    Module *module;
    Arena *arena;
    CallGraph *graph;
    PtrMap constant;             // ops that are constant computations
    PtrMap expansion;            // broadcasts of scalars
    OpVec constants, expansions; // the same in order
    // names of those that compute something that is not constant
    StrMap *varying_funcs, *varying_named;
    int64_t budget; // ops that may still be copied
    bool failed;
} Splitting;

static bool is_scalar(const Value *value) {
    return value->type->kind == TYPE_TENSOR && value->type->rank == 0;
}

static bool is_pure(const Op *op) {
    return op->region_count == 0 && op->code != OP_SDY_CONSTRAINT && !op_has(op, TRAIT_EFFECT) &&
           !op_has(op, TRAIT_COLLECTIVE) && !op_has(op, TRAIT_TERMINATOR);
}

// Is the op constant when its operands are?
static bool preserves_constants(const Splitting *s, const Op *op) {
    if (op->code == OP_CALL) {
        const Op *func = call_graph_callee(s->graph, op);
        return func && !str_map_get(s->varying_funcs, func_original_name(func));
    }
    if (op->code == OP_SDY_NAMED) return !str_map_get(s->varying_named, op_text(op, NAME_NAME));
    if (!is_pure(op)) return false;
    return op->code == OP_BROADCAST_IN_DIM || op->code == OP_RESHAPE || op->code == OP_SLICE ||
           op_is_elementwise(op);
}

static bool is_constant(const Splitting *s, const Op *op) {
    if (op->code == OP_SDY_CONSTANT || op->code == OP_IOTA) return true;
    if (!preserves_constants(s, op)) return false;
    for (int i = 0; i < op->operand_count; i++) {
        const Op *def = op_operand(op, i)->def;
        if (!def || !ptr_map_has(&s->constant, def)) return false;
    }
    return true;
}

static void clone_groups(Module *module, const Value *value, Builder *builder, PtrMap *values) {
    OpVec groups = {0};
    for (const Use *use = value->uses; use; use = use->next) {
        if (use->owner->code == OP_SDY_GROUP) vec_push(module->arena, &groups, use->owner);
    }
    for (int64_t i = 0; i < groups.count; i++)
        op_clone(builder, groups.data[i], values);
}

// Copies one op whose operands are copied already; the copy goes right before it.
static void clone_one(Splitting *s, Op *op, const Value *value, PtrMap *values) {
    Builder builder = builder_before(s->module, op);
    Op *clone = op_clone(&builder, op, values);
    s->budget--;
    if (clone->code == OP_CALL) {
        Op *func = call_graph_callee(s->graph, clone);
        const Op *copy = func ? call_graph_clone(s->graph, func) : NULL;
        if (func && !copy) s->failed = true;
        if (copy) call_set_callee(s->graph, clone, copy);
    }
    clone_groups(s->module, value, &builder, values);
}

// An op on the way to being copied: operands before `next` are.
typedef struct Cloning {
    Value *value;
    int next;
} Cloning;

static bool needs_clone(const Value *value, const PtrMap *values) {
    return value->def && !is_scalar(value) && !ptr_map_has(values, value);
}

// A copy of the computation of a value; scalars stay as they are.
static Value *clone_computation(Splitting *s, Value *root) {
    if (is_scalar(root)) return root;
    PtrMap values = ptr_map(s->arena);
    VEC(Cloning) stack = {0};
    vec_push(s->arena, &stack, ((Cloning){root, 0}));
    while (stack.count > 0) {
        Cloning *top = &vec_last(&stack);
        Op *op = top->value->def;
        if (ptr_map_has(&values, top->value)) {
            stack.count--;
        } else if (top->next < op->operand_count) {
            Value *operand = op_operand(op, top->next++);
            if (needs_clone(operand, &values)) vec_push(s->arena, &stack, ((Cloning){operand, 0}));
        } else {
            clone_one(s, op, top->value, &values);
            stack.count--;
        }
    }
    return ptr_map_get(&values, root);
}

static void clone_operands(Splitting *s, Op *op) {
    for (int i = 0; i < op->operand_count && s->budget > 0; i++) {
        Value *operand = op_operand(op, i);
        if (!operand->def) continue;
        if (!ptr_map_has(&s->constant, operand->def) && !ptr_map_has(&s->expansion, operand->def))
            continue;
        op_set_operand(op, i, clone_computation(s, operand));
    }
}

static void note_varying(Splitting *s, const Op *op) {
    for (Op *parent = op_parent_op(op); parent; parent = op_parent_op(parent)) {
        if (parent->code == OP_SDY_NAMED) {
            str_map_set(s->varying_named, op_text(parent, NAME_NAME), parent);
            break;
        }
    }
    Op *func = op_parent_op(op);
    while (func && func->code != OP_FUNC)
        func = op_parent_op(func);
    if (func) str_map_set(s->varying_funcs, func_original_name(func), func);
}

static void split_op(Splitting *s, Op *op) {
    if (op->code == OP_SDY_GROUP) return;
    if (is_constant(s, op)) {
        ptr_map_set(&s->constant, op, op);
        vec_push(s->arena, &s->constants, op);
        return;
    }
    if (!preserves_constants(s, op) && !op_has(op, TRAIT_TERMINATOR)) note_varying(s, op);
    if (op->code == OP_BROADCAST_IN_DIM && is_scalar(op_operand(op, 0))) {
        ptr_map_set(&s->expansion, op, op);
        vec_push(s->arena, &s->expansions, op);
        return;
    }
    clone_operands(s, op);
}

// Pre-order, but not into named computations: those are done first. Nesting is limited by the
// readers.
static void split_region(Splitting *s, Region *region) {
    for (Op *op = region->first; op; op = op->next) {
        split_op(s, op);
        if (op->code == OP_SDY_NAMED) continue;
        for (int r = 0; r < op->region_count; r++)
            split_region(s, op->regions[r]);
    }
}

static void erase_unused(Op *op) {
    for (int i = 0; i < op->result_count; i++) {
        for (const Use *use = op->results[i].uses; use; use = use->next) {
            if (use->owner->code != OP_SDY_GROUP) return;
        }
    }
    for (int i = 0; i < op->result_count; i++) {
        while (op->results[i].uses)
            op_erase(op->results[i].uses->owner);
    }
    op_erase(op);
}

static void split_top(Splitting *s, Region *region) {
    s->constant = ptr_map(s->arena);
    s->expansion = ptr_map(s->arena);
    s->constants.count = s->expansions.count = 0;
    split_region(s, region);
    for (int64_t i = 0; i < s->expansions.count; i++)
        erase_unused(s->expansions.data[i]);
    for (int64_t i = s->constants.count - 1; i >= 0; i--)
        erase_unused(s->constants.data[i]);
}

// Regions of named computations first, inner ones before outer ones.
static void split_named(Splitting *s, Region *region) {
    for (Op *op = region->first; op; op = op->next) {
        for (int r = 0; r < op->region_count; r++)
            split_named(s, op->regions[r]);
        if (op->code == OP_SDY_NAMED) split_top(s, op->regions[0]);
    }
}

typedef struct Converting {
    int64_t ops;
} Converting;

static bool convert_constant(Op *op, void *user) {
    ((Converting *)user)->ops++;
    if (op->code == OP_CONSTANT) {
        op->code = OP_SDY_CONSTANT;
        op->name = op_code_text(OP_SDY_CONSTANT);
    }
    return true;
}

PassResult pass_split_constants(Module *module, PassContext *pass) {
    Converting converting = {0};
    region_walk(module->body, convert_constant, &converting);
    CallGraph graph = call_graph(module, pass->scratch, pass->diags);
    StrMap varying_funcs = str_map(pass->scratch), varying_named = str_map(pass->scratch);
    Splitting splitting = {
        .module = module,
        .arena = pass->scratch,
        .graph = &graph,
        .varying_funcs = &varying_funcs,
        .varying_named = &varying_named,
        // Long chains of constants with a user at each step would be copied without end.
        .budget = 16 * converting.ops + (1 << 16)};
    Op **funcs;
    int64_t count;
    if (!call_graph_post_order(&graph, &funcs, &count)) return PASS_FAILED;
    for (int64_t i = 0; i < count; i++) {
        split_named(&splitting, func_body(funcs[i]));
        split_top(&splitting, func_body(funcs[i]));
    }
    return splitting.failed ? PASS_FAILED : PASS_CHANGED;
}

// Ops that were seen, by what makes two equal.
typedef struct Merging {
    Arena *arena;
    StrMap seen;
} Merging;

static void key_pointer(StrBuf *key, const void *pointer) {
    strbuf_append(key, (StrView){(const char *)&pointer, sizeof pointer});
}

static bool merge_op(Op *op, void *user) {
    Merging *merging = user;
    bool is_broadcast = op->code == OP_BROADCAST_IN_DIM && is_scalar(op_operand(op, 0));
    if (!op_has(op, TRAIT_CONSTANT) && !is_broadcast) return true;
    if (op->code == OP_IOTA) return true;
    StrBuf key = strbuf(merging->arena);
    key_pointer(&key, op->parent);
    key_pointer(&key, op->name.data);
    key_pointer(&key, op->extra);
    key_pointer(&key, op_result_type(op, 0));
    key_pointer(&key, op->results[0].sharding);
    if (is_broadcast) key_pointer(&key, op_operand(op, 0));
    for (int i = 0; i < op->attr_count; i++)
        key_pointer(&key, op->attrs[i].value);
    Op *same = str_map_get(&merging->seen, strbuf_view(&key));
    if (!same) {
        str_map_set(&merging->seen, strbuf_view(&key), op);
        return true;
    }
    value_replace_uses(op_result(op, 0), op_result(same, 0));
    op_erase(op);
    return true;
}

PassResult pass_merge_constants(Module *module, PassContext *pass) {
    Merging merging = {pass->scratch, str_map(pass->scratch)};
    region_walk(module->body, merge_op, &merging);
    return PASS_CHANGED;
}
