// propagate: the pipelines around propagation, and its only door.
#include "partition/propagate/propagate.h"

#include "ir/builder.h"
#include "ir/data_flow.h"
#include "partition/partition.h"
#include "partition/passes.h"
#include "partition/propagate/propagate_internal.h"

// As passes.def names it.
static const char *pass_name(PassFn *function) {
    for (int i = 0; i < partition_pass_count(); i++) {
        if (partition_pass(i)->run == function) return partition_pass(i)->name;
    }
    return "another pass";
}

// Runs one pass of a pipeline. The pipeline's own options are not the pass's.
static PassResult run_one(
    Module *module, PassContext *pass, PassFn *function, const PassOption *option) {
    PassContext one = *pass;
    one.scratch = arena_child(pass->scratch);
    one.option_count = option ? 1 : 0;
    one.options = option;
    pass_log_begin(one.log);
    PassResult result = function(module, &one);
    const char *name = pass_name(function);
    pass_log_end(one.log, name);
    if (result != PASS_FAILED) pass_print(module, &one, name);
    arena_reset(one.scratch);
    return result;
}

// Runs passes in order until one fails.
static PassResult run_all(Module *module, PassContext *pass, int count, PassFn *const *passes) {
    PassResult result = PASS_UNCHANGED;
    for (int i = 0; i < count; i++) {
        PassResult changed = run_one(module, pass, passes[i], NULL);
        if (changed == PASS_FAILED) return PASS_FAILED;
        if (changed == PASS_CHANGED) result = PASS_CHANGED;
    }
    return result;
}

#define RUN_ALL(module, pass, ...)                                                          \
    run_all(                                                                                \
        (module), (pass), (int)(sizeof((PassFn *const[]){__VA_ARGS__}) / sizeof(PassFn *)), \
        (PassFn *const[]){__VA_ARGS__})

static PassResult import_for_propagation(Module *module, PassContext *pass) {
    return RUN_ALL(
        module, pass, pass_symbol_dce, pass_lift_inlined_meshes, pass_remove_size_one_axes,
        pass_func_shardings_to_calls, pass_split_constants, pass_symbol_dce,
        pass_manual_axes_cleanup, pass_add_data_flow_edges);
}

// Constraints and groups, once calls are where the pipeline wants them.
static PassResult apply_constraints(Module *module, PassContext *pass) {
    return RUN_ALL(module, pass, pass_apply_sharding_constraints, pass_sharding_group_import);
}

PassResult pass_import_pipeline(Module *module, PassContext *pass) {
    PassResult result = import_for_propagation(module, pass);
    if (result != PASS_FAILED && pass_flag(pass, "dedup-functions-fully", false)) {
        result = apply_constraints(module, pass);
    }
    return result;
}

static PassResult calls_to_computations(Module *module, PassContext *pass) {
    return RUN_ALL(
        module, pass, pass_flatten_call_graph, pass_symbol_dce, pass_import_func_calls,
        pass_symbol_dce);
}

static PassResult finish_shardings(Module *module, PassContext *pass) {
    PassResult result = RUN_ALL(
        module, pass, pass_merge_constants, pass_sink_data_flow_edges, pass_remove_sharding_groups,
        pass_constraint_to_reshard);
    bool update = pass_flag(pass, "update-non-divisible-input-output-shardings", true);
    if (result == PASS_FAILED) return PASS_FAILED;
    if (update && RUN_ALL(
                      module, pass, pass_update_non_divisible_shardings,
                      pass_remove_input_output_sub_axes) == PASS_FAILED)
        return PASS_FAILED;
    return run_one(module, pass, pass_close_shardings, NULL);
}

static bool run_with(
    Module *module, PassContext *pass, PassFn *function, const char *name, const char *value) {
    const PassOption option = {strview(name), strview(value)};
    return run_one(module, pass, function, &option) != PASS_FAILED;
}

// Unless explicit collectives are wanted, only the reshards that a partitioner could not find by itself are inserted.
static bool insert_communication(Module *module, PassContext *pass) {
    bool all = pass_flag(pass, "enable-insert-explicit-collectives", false);
    bool without = pass_flag(pass, "remove-all-gather-reduce-scatter-for-cmv1", false);
    const char *full = all ? "true" : "false";
    PassFn *insert = pass_insert_explicit_reshards, *simplify = pass_canonicalize_sdy;
    if (RUN_ALL(module, pass, pass_verify_unreduced_axes) == PASS_FAILED) return false;
    if (!run_with(module, pass, insert, "enable-full-version", full)) return false;
    if (all && !(run_with(module, pass, simplify, "enabled-patterns", "reshard") &&
                 RUN_ALL(module, pass, pass_reshard_to_collectives) != PASS_FAILED))
        return false;
    if (!run_with(module, pass, simplify, "enabled-patterns", "collective")) return false;
    return !(all && without) || RUN_ALL(module, pass, pass_remove_ag_rs_for_cmv1) != PASS_FAILED;
}

static PassResult export_module(Module *module, PassContext *pass, bool inlines_meshes) {
    if (finish_shardings(module, pass) == PASS_FAILED) return PASS_FAILED;
    if (!insert_communication(module, pass)) return PASS_FAILED;
    if (!pass_flag(pass, "keep-sharding-rules", false) &&
        RUN_ALL(module, pass, pass_drop_sharding_rules) == PASS_FAILED)
        return PASS_FAILED;
    if (pass_flag(pass, "inline-meshes", inlines_meshes))
        return RUN_ALL(module, pass, pass_inline_meshes);
    return PASS_CHANGED;
}

PassResult pass_export_pipeline(Module *module, PassContext *pass) {
    return export_module(module, pass, true);
}

PassResult pass_propagation_pipeline(Module *module, PassContext *pass) {
    if (import_for_propagation(module, pass) == PASS_FAILED) return PASS_FAILED;
    PassResult result;
    if (pass_flag(pass, "dedup-functions-fully", false)) {
        result = RUN_ALL(
            module, pass, pass_apply_sharding_constraints, pass_sharding_group_import,
            pass_add_func_data_flow_edges, pass_pre_order_funcs, pass_user_priority_propagate,
            pass_propagate_to_func_results, pass_sink_func_data_flow_edges);
    } else {
        if (calls_to_computations(module, pass) == PASS_FAILED) return PASS_FAILED;
        if (apply_constraints(module, pass) == PASS_FAILED) return PASS_FAILED;
        result = RUN_ALL(
            module, pass, pass_pre_order_funcs, pass_user_priority_propagate,
            pass_export_named_computations, pass_propagate_to_func_results);
    }
    if (result == PASS_FAILED) return PASS_FAILED;
    result = RUN_ALL(
        module, pass, pass_unflatten_call_graph, pass_symbol_dce, pass_insert_func_call_reshards);
    return result == PASS_FAILED ? PASS_FAILED : export_module(module, pass, false);
}

// Only what the entry calls is compiled.
static void erase_other_entries(Module *module, Op *entry) {
    for (Op *op = module->body->first; op; op = op->next) {
        if (op->code != OP_FUNC || op == entry) continue;
        op_set_attr(module, op, NAME_SYM_VISIBILITY, attr_string(module->context, SV("private")));
    }
    if (func_is_private(entry)) {
        op_set_attr(module, entry, NAME_SYM_VISIBILITY, attr_string(module->context, SV("public")));
    }
}

static Value *reshard_if_needed(
    Builder *builder, Value *value, const Sharding *from, const Sharding *to) {
    if (!to || value->type->kind != TYPE_TENSOR || value->type->rank == 0) return value;
    const Sharding *source =
        from ? from : sharding_replicated(builder->module->context, to->mesh_name, to->rank);
    if (sharding_same_placement(builder->module, source, to)) return value;
    return build_reshard(builder, value, sharding_closed(builder->module->context, to));
}

// Puts the body in place of the computation; a reshard stays where what enters or leaves lies otherwise than inside.
static void inline_computation(Module *module, Op *op) {
    Region *body = op->regions[0];
    Builder builder = builder_before(module, op);
    for (int i = 0; i < body->arg_count && i < op->operand_count; i++) {
        Value *operand = op_operand(op, i);
        Value *inside = reshard_if_needed(
            &builder, operand, value_sharding(module, operand), region_in_sharding(op, i));
        value_replace_uses(body->args[i], inside);
    }
    Op *end = region_terminator(body);
    for (Op *inner = body->first, *next; inner && inner != end; inner = next) {
        next = inner->next;
        op_move_before(inner, op);
    }
    for (int i = 0; end && i < op->result_count && i < end->operand_count; i++) {
        Value *returned = op_operand(end, i);
        Value *outside = reshard_if_needed(
            &builder, returned, value_sharding(module, returned), region_out_sharding(op, i));
        value_replace_uses(op_result(op, i), outside);
    }
    op_erase(op);
}

// Inner computations first, so that each body is flat when it moves. Nesting is limited by the readers.
static void inline_computations(Module *module, Region *region) {
    for (Op *op = region->first, *next; op; op = next) {
        next = op->next;
        for (int r = 0; r < op->region_count; r++)
            inline_computations(module, op->regions[r]);
        if (op->code == OP_SDY_NAMED) inline_computation(module, op);
    }
}

bool propagate_module(Module *module, PassContext *pass) {
    Op *entry = module_entry(module, (StrView){0});
    if (!entry) {
        diag_error(
            pass->diags, module->op->loc,
            "the module has no function @main and no single public function");
        return false;
    }
    erase_other_entries(module, entry);
    // Edges that the program came with would be joined to what calls become.
    if (RUN_ALL(module, pass, pass_sink_func_data_flow_edges, pass_sink_data_flow_edges) ==
        PASS_FAILED)
        return false;
    if (import_for_propagation(module, pass) == PASS_FAILED) return false;
    if (calls_to_computations(module, pass) == PASS_FAILED) return false;
    if (apply_constraints(module, pass) == PASS_FAILED) return false;
    if (RUN_ALL(module, pass, pass_user_priority_propagate) == PASS_FAILED) return false;
    if (finish_shardings(module, pass) == PASS_FAILED) return false;
    for (Op *op = module->body->first; op; op = op->next) {
        if (op->code == OP_FUNC) inline_computations(module, func_body(op));
    }
    if (RUN_ALL(module, pass, pass_merge_constants, pass_drop_sharding_rules) == PASS_FAILED)
        return false;
    data_flow_set_argument_shardings(module);
    return true;
}
