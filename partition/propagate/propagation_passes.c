// propagation_passes: the passes that propagate shardings, and what they set up: shapes
// checked, sharding groups read.
#include "ir/analysis/data_flow.h"
#include "ir/builder.h"
#include "partition/passes.h"
#include "partition/propagate/propagate_internal.h"
#include "partition/provenance.h"
#include "partition/rules/sharding_rule.h"

static bool has_known_shapes(Op *op, void *user) {
    Diags *diags = user;
    for (int i = 0; i < op->result_count; i++) {
        const Type *type = op_result_type(op, i);
        StrBuf text = strbuf(diags->arena);
        if (type->kind == TYPE_TENSOR && !type_is_static(type)) {
            type_print(&text, type);
            diag_error(
                diags, op->loc,
                "Shardy propagation only supports ranked tensors with a static shape. type: %s",
                strbuf_cstring(&text));
            return false;
        }
        if (type->kind == TYPE_TUPLE) {
            type_print(&text, type);
            diag_error(
                diags, op->loc, "Shardy propagation doesn't support tuples: %s",
                strbuf_cstring(&text));
            return false;
        }
    }
    return true;
}

static bool read_group(Op *op, void *user) {
    Propagation *p = user;
    if (op->code != OP_SDY_GROUP) return true;
    int64_t id = op_int(op, NAME_GROUP_ID, 0);
    Value *value = op_operand(op, 0);
    if (id < 0 || id == INT64_MAX) {
        diag_error(p->diags, op->loc, "sharding group id %lld is out of range", (long long)id);
        return false;
    }
    const void *key = (const void *)(uintptr_t)(id + 1);
    int64_t group = (int64_t)(uintptr_t)ptr_map_get(&p->group_index, key) - 1;
    if (group < 0) {
        group = p->groups.count;
        vec_push(p->arena, &p->groups, (ShardingGroup){.id = id});
        ptr_map_set(&p->group_index, key, (void *)(uintptr_t)(group + 1));
    }
    if (p->group_of[value->number] == group + 1) return true;
    if (p->group_of[value->number] != 0) {
        diag_error(p->diags, op->loc, "a value can be in one sharding group only after import");
        return false;
    }
    p->group_of[value->number] = (int)group + 1;
    vec_push(p->arena, &p->groups.data[group].members, value);
    return true;
}

static bool is_open_and_replicated(const Sharding *sharding) {
    for (int d = 0; d < sharding->rank; d++) {
        if (!sharding->dims[d].is_open || sharding->dims[d].axis_count > 0) return false;
    }
    return true;
}

// Members that disagree get an open constraint each, which then is the member.
static void separate_members(
    Propagation *p, ShardingGroup *group, int64_t id, const Sharding *like) {
    const Value *first = group->members.data[0];
    diag_warning(
        p->diags, first->def ? first->def->loc : first->region->owner->loc,
        "The initial operand shardings on the sharding groups of groupID: %lld do not match. "
        "Inserting an open "
        "sharding constraint to all constrained values. This can be caused when shardings from "
        "different values are "
        "grouped (e.g. from jax.shard_alike) but have separate inconsistent sharding constraints "
        "on them.",
        (long long)id);
    for (int64_t i = 0; i < group->members.count; i++) {
        Value *member = group->members.data[i];
        Builder builder = {.module = p->module, .region = value_region(member), .loc = member->loc};
        if (member->def) {
            builder = builder_after(p->module, member->def);
        } else {
            builder.before = builder.region->first;
        }
        Op *constraint = build_op(&builder, OP_SDY_CONSTRAINT, 1, &member, 1, &member->type, 0);
        op_result(constraint, 0)->sharding =
            sharding_fully_open(p->module->context, like->mesh_name, like->rank);
        value_replace_uses_except(member, op_result(constraint, 0), constraint);
        group->members.data[i] = op_result(constraint, 0);
    }
}

static void sync_groups(Propagation *p) {
    for (int64_t g = 0; g < p->groups.count; g++) {
        ShardingGroup *group = &p->groups.data[g];
        const Sharding *common = NULL;
        Value *source = NULL;
        bool conflict = false;
        for (int64_t i = 0; i < group->members.count && !conflict; i++) {
            const Sharding *sharding = value_sharding(p->module, group->members.data[i]);
            if (!sharding || (group->members.count > 1 && is_open_and_replicated(sharding)))
                continue;
            if (!common) {
                common = sharding;
                source = group->members.data[i];
            }
            conflict = sharding != common;
        }
        if (!common) continue;
        if (conflict) {
            separate_members(p, group, group->id, common);
            continue;
        }
        for (int64_t i = 0; i < group->members.count; i++) {
            Value *member = group->members.data[i];
            value_set_sharding(p->module, member, common);
            provenance_copy_member(p->provenance, p->module, member, source, common);
        }
    }
}

static void index_groups(Propagation *p) {
    p->value_limit = p->module->next_value_number;
    p->group_of = ARENA_ARRAY(p->arena, int, p->value_limit);
    for (int64_t id = 0; id < p->groups.count; id++) {
        for (int64_t i = 0; i < p->groups.data[id].members.count; i++) {
            p->group_of[p->groups.data[id].members.data[i]->number] = (int)id + 1;
        }
    }
}

bool propagation_begin(Propagation *p, Module *module, PassContext *pass) {
    *p = (Propagation){
        .module = module,
        .arena = pass->scratch,
        .scratch = arena_child(pass->scratch),
        .diags = pass->diags,
        .conservative = pass_flag(pass, "conservative-propagation"),
        .provenance = pass->provenance,
        .group_index = ptr_map(pass->scratch)};
    if (!region_walk(module->body, has_known_shapes, pass->diags)) return false;
    index_groups(p);
    if (!region_walk(module->body, read_group, p)) return false;
    provenance_begin(p->provenance, module);
    sync_groups(p);
    index_groups(p); // constraints may be new members
    p->op_limit = module->next_op_number;
    p->op_states = ARENA_ARRAY(p->arena, OpState, p->op_limit);
    p->warned = ARENA_ARRAY(p->arena, bool, OP_COUNT);
    return true;
}

typedef struct RuleWriter {
    Module *module;
    PassContext *pass;
    bool conservative;
    bool warned[OP_COUNT];
} RuleWriter;

static bool write_rule(Op *op, void *user) {
    RuleWriter *writer = user;
    bool is_unknown = false;
    const ShardingRule *rule =
        op_sharding_rule(writer->pass->scratch, op, writer->conservative, &is_unknown);
    if (rule) op_write_sharding_rule(writer->module, op, rule);
    if (is_unknown && !writer->warned[op->code]) {
        writer->warned[op->code] = true;
        diag_warning(
            writer->pass->diags, op->loc, "%s",
            sharding_rule_unknown_text(writer->pass->scratch, op));
    }
    return true;
}

PassResult pass_populate_sharding_rules(Module *module, PassContext *pass) {
    RuleWriter *writer = ARENA_NEW(pass->scratch, RuleWriter);
    *writer = (RuleWriter){
        .module = module,
        .pass = pass,
        .conservative = pass_flag(pass, "conservative-propagation")};
    region_walk(module->body, write_rule, writer);
    return PASS_CHANGED;
}

static bool drop_rule(Op *op, void *user) {
    const Attr *rule = op_attr(op, NAME_SHARDING_RULE);
    if (rule && !(rule->rule && rule->rule->is_custom))
        op_set_attr(user, op, NAME_SHARDING_RULE, NULL);
    return true;
}

PassResult pass_drop_sharding_rules(Module *module, PassContext *pass) {
    (void)pass;
    region_walk(module->body, drop_rule, module);
    return PASS_CHANGED;
}

static PassResult finish(const Propagation *propagation, PassContext *pass) {
    Module *module = propagation->module;
    provenance_end(pass->provenance);
    if (pass_flag(pass, "keep-sharding-rules")) return pass_populate_sharding_rules(module, pass);
    return pass_drop_sharding_rules(module, pass);
}

PassResult pass_basic_propagate(Module *module, PassContext *pass) {
    Propagation propagation;
    if (!propagation_begin(&propagation, module, pass)) return PASS_FAILED;
    propagate_by_strategy(&propagation, true, false);
    return finish(&propagation, pass);
}

// propagation-strategy = basic, aggressive, which is the default, or basic-then-aggressive.
static void read_strategy(const PassContext *pass, bool *basic, bool *aggressive) {
    StrView strategy = pass_option(pass, "propagation-strategy");
    *basic = strview_is(strategy, "basic") || strview_is(strategy, "basic-then-aggressive");
    *aggressive = !strview_is(strategy, "basic");
}

PassResult pass_aggressive_propagate(Module *module, PassContext *pass) {
    Propagation propagation;
    bool basic, aggressive;
    read_strategy(pass, &basic, &aggressive);
    if (!propagation_begin(&propagation, module, pass)) return PASS_FAILED;
    propagate_by_strategy(&propagation, basic, aggressive);
    return finish(&propagation, pass);
}

PassResult pass_op_priority_propagate(Module *module, PassContext *pass) {
    Propagation propagation;
    bool basic, aggressive;
    read_strategy(pass, &basic, &aggressive);
    if (!propagation_begin(&propagation, module, pass)) return PASS_FAILED;
    propagate_by_op_priority(&propagation, basic, aggressive);
    return finish(&propagation, pass);
}

PassResult pass_user_priority_propagate(Module *module, PassContext *pass) {
    Propagation propagation;
    bool basic, aggressive;
    read_strategy(pass, &basic, &aggressive);
    if (!propagation_begin(&propagation, module, pass)) return PASS_FAILED;
    propagate_by_user_priority(&propagation, basic, aggressive);
    return finish(&propagation, pass);
}
