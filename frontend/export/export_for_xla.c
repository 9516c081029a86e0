// export_for_xla: see export_for_xla.h.
#include "frontend/export/export_for_xla.h"

#include "frontend/gspmd/gspmd.h"
#include "frontend/import/import_mhlo.h"
#include "ir/builder.h"

// V1, as all readers know it, where it has words for the sharding.
static void print_layout(StrBuf *out, const GlobalLayout *layout, Arena *scratch) {
    const Sharding *sharding = layout->sharding;
    GspmdSharding gspmd;
    StrBuf text = strbuf(scratch);
    if (!sharding || !layout->mesh ||
        !gspmd_from_sharding(scratch, layout->mesh, sharding, (AxisSpan){0}, &gspmd)) {
        strbuf_puts(out, "{replicated}");
    } else if (gspmd_print(&text, &gspmd, GSPMD_V1)) {
        strbuf_append(out, strbuf_view(&text));
    } else {
        strbuf_append(out, gspmd_text(scratch, &gspmd));
    }
}

static const Attr *layout_attr(Module *module, const GlobalLayout *layout, Arena *scratch) {
    StrBuf text = strbuf(scratch);
    print_layout(&text, layout, scratch);
    return attr_string(module->context, strbuf_view(&text));
}

static void export_layouts(const DeviceProgram *program, Arena *scratch) {
    Module *module = program->module;
    if (program->device_count == 1) return;
    const Attr **args = ARENA_ARRAY(scratch, const Attr *, program->arg_count + 1);
    for (int i = 0; i < program->arg_count; i++)
        args[i] = layout_attr(module, &program->args[i], scratch);
    op_set_extra(
        module, module->op, SV("mhlo.spmd_parameters_shardings"),
        attr_array(module->context, program->arg_count, args));
    if (program->result_count == 0) return;
    StrBuf text = strbuf(scratch);
    strbuf_puts(&text, program->result_count > 1 ? "{" : "");
    for (int i = 0; i < program->result_count; i++) {
        strbuf_puts(&text, i ? ", " : "");
        print_layout(&text, &program->results[i], scratch);
    }
    strbuf_puts(&text, program->result_count > 1 ? "}" : "");
    op_set_extra(
        module, module->op, SV("mhlo.spmd_output_sharding"),
        attr_string(module->context, strbuf_view(&text)));
}

// Several operands that HLO's collective cannot have.
static bool must_split(const Op *op) {
    if (!op_has(op, TRAIT_COLLECTIVE) || op->operand_count < 2 || op->region_count > 0)
        return false;
    bool must = op->code == OP_ALL_TO_ALL;
    for (int i = 1; i < op->operand_count; i++)
        must = must || op_operand_type(op, i)->element != op_operand_type(op, 0)->element;
    return must && op->operand_count == op->result_count;
}

static void split(Module *module, Op *op) {
    for (int i = 0; i < op->operand_count; i++) {
        Value *operand = op_operand(op, i), *result = op_result(op, i);
        Builder builder = builder_before(module, op);
        Op *part = build_op(&builder, op->code, 1, &operand, 1, &result->type, 0);
        for (int a = 0; a < op->attr_count; a++)
            op_set_attr(module, part, op->attrs[a].name, op->attrs[a].value);
        value_replace_uses(result, op_result(part, 0));
    }
    op_erase(op);
}

// One operand, at most two results.
static void make_call(Module *module, Op *op, const char *target, const Attr *attributes) {
    Context *context = module->context;
    Value *operand = op_operand(op, 0);
    const Type *types[2] = {op_result_type(op, 0), NULL};
    if (op->result_count == 2) types[1] = op_result_type(op, 1);
    Builder builder = builder_before(module, op);
    Op *call = build_op(&builder, OP_CUSTOM_CALL, 1, &operand, op->result_count, types, 0);
    op_set_attr(module, call, NAME_CALL_TARGET_NAME, attr_string(context, strview(target)));
    op_set_extra(module, call, SV("mhlo.attributes"), attributes);
    op_set_extra(module, call, SV("mhlo.version"), attr_int(context, 1, ELEMENT_I64));
    for (int i = 0; i < op->result_count; i++)
        value_replace_uses(op_result(op, i), op_result(call, i));
    op_erase(op);
}

static void make_top_k(Module *module, Op *op) {
    Context *context = module->context;
    const StrView names[] = {context_name(context, SV("k")), context_name(context, SV("largest"))};
    const Attr *values[] = {
        attr_int(context, op_int(op, NAME_K, 0), ELEMENT_I64), attr_bool(context, true)};
    make_call(module, op, "mhlo.topk", attr_dict(context, 2, names, values));
}

// Of a real number it is the number.
static void make_conjugate(Module *module, Op *op) {
    Value *value = op_operand(op, 0);
    if (element_real_part(value->type->element) != value->type->element) {
        Builder builder = builder_before(module, op);
        const Type *type = type_tensor(
            module->context, element_real_part(value->type->element), value->type->rank,
            value->type->dims);
        Op *real = build_op(&builder, OP_REAL, 1, &value, 1, &type, 0);
        Op *imag = build_op(&builder, OP_IMAG, 1, &value, 1, &type, 0);
        Value *parts[] = {op_result(real, 0), build_unary(&builder, OP_NEGATE, op_result(imag, 0))};
        value = op_result(build_op(&builder, OP_COMPLEX, 2, parts, 1, &value->type, 0), 0);
    }
    value_replace_uses(op_result(op, 0), value);
    op_erase(op);
}

static bool export_op(Op *op, void *user) {
    Module *module = user;
    if (must_split(op)) {
        split(module, op);
        return true;
    }
    if (op_dialect(op) != DIALECT_CHLO) return true;
    const char *target = mhlo_call_target(op->code);
    if (target)
        make_call(module, op, target, attr_dict(module->context, 0, NULL, NULL));
    else if (op->code == OP_CHLO_TOP_K)
        make_top_k(module, op);
    else if (op->code == OP_CHLO_CONJ)
        make_conjugate(module, op);
    return true;
}

void export_for_xla(const DeviceProgram *program, Arena *scratch) {
    export_layouts(program, scratch);
    region_walk(program->module->body, export_op, program->module);
}
