// run_checks: see run_checks.h.
//
//   func @t() {                          func @t(%arg0) -> T {     func @checks(%arg0) {
//     %c = constant dense<..>              %0 = abs %arg0            %e = constant dense<..>
//     %0 = abs %c                   =>     return %0           +     check.expect_eq %arg0, %e
//     check.expect_eq %0, dense<..>      }                         }
//   }                                    compiled                  evaluated
#include "tools/run/run_checks.h"

#include "base/vec.h"
#include "ir/builder.h"
#include "ir/pass/passes.h"
#include "ir/print/print.h"

typedef struct Split {
    Tool *tool;
    Diags *diags;
    Module *module; // a copy; `func` is compiled, `checks` compares
    Op *func, *checks;
    VEC(Value *) needed;         // what checks look at
    PtrMap in_checks;            // value of func -> value of checks
    VEC(const Attr *) constants; // what the arguments of func are
    bool ok;
} Split;

static bool cannot(Split *split, const Op *op, const char *what) {
    diag_unsupported(split->diags, op->loc, "'%.*s' op %s", SV_ARG(op->name), what);
    return split->ok = false;
}

static bool is_check(const Op *op) {
    return op_dialect(op) == DIALECT_CHECK ||
           (op->code == OP_CUSTOM_CALL &&
            strview_starts_with(op_text(op, NAME_CALL_TARGET_NAME), SV("check.")));
}

// Probes keep a value for a check.
static bool is_comparison(const Op *op) { return is_check(op) || op->code == OP_PROBE; }

static bool is_no_check(Op *op, void *user) {
    (void)user;
    return !is_check(op) && op->code != OP_RUN_PARALLEL;
}

bool has_checks(const Module *module) { return !region_walk(module->body, is_no_check, NULL); }

static bool refuse_nested(Op *op, void *user) {
    return !is_comparison(op) || cannot(user, op, "in a region is not run natively");
}

// Programs that are started on devices are functions of the whole module.
static bool refuse_parallel(Op *op, void *user) {
    return op->code != OP_RUN_PARALLEL || cannot(user, op, "is not run natively");
}

// The value as the checks see it: a constant, or an argument that the compiled program computes.
// The first operand of a check is always computed.
static Value *value_in_checks(Split *split, Value *value, bool must_be_computed) {
    Value *known = ptr_map_get(&split->in_checks, value);
    if (known) return known;
    Builder builder = builder_at_end(split->module, func_body(split->checks));
    if (value->def && value->def->code == OP_CONSTANT && !must_be_computed) {
        op_clone(&builder, value->def, &split->in_checks);
        return ptr_map_get(&split->in_checks, value);
    }
    vec_push(split->tool->arena, &split->needed, value);
    known = region_add_arg(split->module, func_body(split->checks), value->type, value->loc);
    ptr_map_set(&split->in_checks, value, known);
    return known;
}

// The comparison goes to the checks; in func a probe is its operand.
static void move_comparison(Split *split, Op *op) {
    Module *module = split->module;
    Value **operands = ARENA_ARRAY(split->tool->arena, Value *, op->operand_count + 1);
    PtrMap values = ptr_map(split->tool->arena);
    for (int i = 0; i < op->operand_count; i++) {
        operands[i] = value_in_checks(split, op_operand(op, i), i == 0);
        ptr_map_set(&values, op_operand(op, i), operands[i]);
    }
    Builder builder = builder_at_end(module, func_body(split->checks));
    op_clone(&builder, op, &values);
    if (op->code == OP_PROBE) value_replace_uses(op_result(op, 0), op_operand(op, 0));
    for (int i = 0; i < op->result_count; i++) {
        if (op_result(op, i)->uses) cannot(split, op, "whose result is used is not run natively");
    }
    if (split->ok) op_erase(op);
}

// Scalars that are more than an operand of elementwise ops stay where they are:
// initial values, bounds, starts.
static bool becomes_argument(const Op *op) {
    if (op->code != OP_CONSTANT) return false;
    const Type *type = op_result_type(op, 0);
    if (type->kind != TYPE_TENSOR || type->quant) return false;
    for (const Use *use = op_result(op, 0)->uses; use; use = use->next) {
        if (type->rank == 0 && !op_has(use->owner, TRAIT_POINTWISE) &&
            !op_has(use->owner, TRAIT_TERMINATOR))
            return false;
    }
    return op_result(op, 0)->uses != NULL;
}

static void hoist_constants(Split *split) {
    Region *body = func_body(split->func);
    for (Op *op = body->first, *next; op; op = next) {
        next = op->next;
        if (!becomes_argument(op)) continue;
        Value *arg = region_add_arg(split->module, body, op_result_type(op, 0), op->loc);
        vec_push(split->tool->arena, &split->constants, op_attr(op, NAME_VALUE));
        value_replace_uses(op_result(op, 0), arg);
        op_erase(op);
    }
}

static void set_function_type(Split *split, Op *func, int count, Value *const *results) {
    const Region *body = func_body(func);
    const Type **types = ARENA_ARRAY(split->tool->arena, const Type *, body->arg_count + count + 1);
    for (int i = 0; i < body->arg_count; i++)
        types[i] = body->args[i]->type;
    for (int i = 0; i < count; i++)
        types[body->arg_count + i] = results[i]->type;
    const Type *type = type_function(
        split->module->context, body->arg_count, types, count, types + body->arg_count);
    op_set_attr(split->module, func, NAME_FUNCTION_TYPE, attr_type(split->module->context, type));
    op_set_attr(split->module, func, NAME_ARG_ATTRS, NULL);
    op_set_attr(split->module, func, NAME_RES_ATTRS, NULL);
    func->result_shardings = ARENA_ARRAY(split->module->arena, const Sharding *, count + 1);
}

static void end_function(Split *split, Op *func, int count, Value *const *results) {
    Builder builder = builder_at_end(split->module, func_body(func));
    builder.loc = func->loc;
    build_return(&builder, OP_FUNC_RETURN, count, results);
    set_function_type(split, func, count, results);
}

static void begin_checks(Split *split) {
    Module *module = split->module;
    Builder builder = builder_at_end(module, module->body);
    builder.loc = split->func->loc;
    split->checks = build_op(&builder, OP_FUNC, 0, NULL, 0, NULL, 1);
    op_set_attr(
        module, split->checks, NAME_SYM_NAME, attr_string(module->context, SV("shardc.checks")));
}

// What the function returns is computed, too, unless it is what a check says.
static void need_results(Split *split, const Op *terminator) {
    for (int i = 0; i < terminator->operand_count; i++) {
        Value *value = op_operand(terminator, i);
        bool is_computed = !value->def || !is_comparison(value->def);
        if (is_computed && value->type->kind == TYPE_TENSOR)
            (void)value_in_checks(split, value, true);
    }
}

static bool split_function(Split *split, const Module *module, const Op *func) {
    split->module = module_clone(module, split->tool->arena);
    split->in_checks = ptr_map(split->tool->arena);
    // calls hide the constants that ops need and the checks that are to be made
    PassContext pass = {
        .module = split->module, .scratch = arena_child(split->tool->arena), .diags = split->diags};
    if (pass_run(&flatten_pass, &pass) == PASS_FAILED) return false;
    split->func = module_find_func(split->module, func_name(func));
    Region *body = func_body(split->func);
    region_walk(body, refuse_parallel, split);
    if (!split->ok) return false;
    begin_checks(split);
    need_results(split, region_terminator(body));
    op_erase(region_terminator(body));
    for (Op *op = body->first, *next; op && split->ok; op = next) {
        next = op->next;
        if (is_comparison(op)) {
            move_comparison(split, op);
            continue;
        }
        for (int r = 0; r < op->region_count; r++)
            region_walk(op->regions[r], refuse_nested, split);
    }
    if (!split->ok) return false;
    if (split->needed.count == 0) return cannot(split, split->func, "has nothing to compute");
    end_function(split, split->func, (int)split->needed.count, split->needed.data);
    hoist_constants(split);
    set_function_type(split, split->func, (int)split->needed.count, split->needed.data);
    end_function(split, split->checks, 0, NULL);
    return true;
}

// The compiled function alone, as text: what users hand in, too.
static StrView function_text(Split *split) {
    Module *alone = module_clone(split->module, split->tool->arena);
    op_erase(module_find_func(alone, SV("shardc.checks")));
    StrBuf text = strbuf(split->tool->arena);
    for (Op *op = alone->body->first, *next; op; op = next) {
        next = op->next;
        bool is_func = op->code == OP_FUNC && !strview_equal(func_name(op), func_name(split->func));
        if (is_func) op_erase(op);
    }
    print_module(&text, alone, NULL);
    return strbuf_view(&text);
}

static const void *argument_data(Split *split, int i) {
    const Attr *constant = split->constants.data[i];
    if (!constant->is_splat) return constant->data;
    size_t size = element_bytes(constant->type->element), bytes = type_bytes(constant->type);
    char *data = arena_alloc_aligned(split->tool->arena, bytes + 64, 64);
    for (size_t at = 0; at < bytes; at += size)
        memcpy(data + at, constant->data, size);
    return data;
}

static shardc_status *execute(Split *split, shardc_executable *executable, Tensor **results) {
    Arena *arena = split->tool->arena;
    int64_t args = split->constants.count, count = split->needed.count;
    const void **inputs = ARENA_ARRAY(arena, const void *, args + 1);
    void **outputs = ARENA_ARRAY(arena, void *, count + 1);
    for (int64_t i = 0; i < args; i++)
        inputs[i] = argument_data(split, (int)i);
    for (int64_t i = 0; i < count; i++) {
        const Type *type = func_body(split->checks)->args[i]->type;
        outputs[i] = tool_alloc_array(split->tool, type);
        results[i] = ARENA_NEW(arena, Tensor);
        *results[i] = (Tensor){.type = type, .data = outputs[i]};
    }
    return shardc_execute(executable, inputs, outputs);
}

static shardc_status *compile_and_execute(Split *split, Tensor **results) {
    StrView text = function_text(split);
    StrView name = func_name(split->func);
    shardc_context *context = NULL;
    shardc_module *module = NULL;
    shardc_executable *executable = NULL;
    shardc_options options;
    shardc_options_init(&options);
    options.entry = arena_cstring(split->tool->arena, name);
    shardc_status *status = shardc_context_create(NULL, &context);
    if (!status) status = shardc_module_parse(context, "test", text.data, text.size, &module);
    if (!status) status = shardc_compile(module, &options, &executable);
    if (!status) status = execute(split, executable, results);
    shardc_executable_free(executable);
    shardc_module_free(module);
    shardc_context_free(context);
    return status;
}

bool check_native(
    Tool *tool, const Module *module, const Op *func, Diags *diags, EvalChecks *checks,
    shardc_status **status) {
    Split split = {.tool = tool, .diags = diags, .ok = true};
    *status = NULL;
    if (!split_function(&split, module, func)) return false;
    Tensor **results = ARENA_ARRAY(tool->arena, Tensor *, split.needed.count + 1);
    *status = compile_and_execute(&split, results);
    if (*status) return false;
    EvalOptions options = {.print = tool_print_value, .print_user = tool};
    return eval_function(
        tool->arena, split.module, split.checks, (const Tensor *const *)results, NULL, &options,
        checks, diags);
}
