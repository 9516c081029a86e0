// hlo_values: diagnostics of instructions, their operands' values, and the ops that they become.
#include "frontend/hlo/hlo_import.h"

#include <stdarg.h>

__attribute__((format(printf, 4, 0))) static bool report(
    HloImporter *importer, const HloInstr *instr, bool is_unsupported, const char *format,
    va_list arguments) {
    StrBuf text = strbuf(importer->arena);
    strbuf_printf(&text, "'%.*s' op ", SV_ARG(instr->opcode));
    strbuf_vprintf(&text, format, arguments);
    if (is_unsupported) {
        diag_unsupported(importer->source->diags, instr->loc, "%s", strbuf_cstring(&text));
    } else {
        diag_error(importer->source->diags, instr->loc, "%s", strbuf_cstring(&text));
    }
    return false;
}

bool hlo_fail(HloImporter *importer, const HloInstr *instr, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)report(importer, instr, false, format, arguments);
    va_end(arguments);
    return false;
}

bool hlo_refuse(HloImporter *importer, const HloInstr *instr, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)report(importer, instr, true, format, arguments);
    va_end(arguments);
    return false;
}

static const Type **push_leaves(const Type *type, const Type **out) {
    if (type->kind != TYPE_TUPLE) {
        *out = type;
        return out + 1;
    }
    for (int i = 0; i < type->part_count; i++)
        out = push_leaves(type->parts[i], out);
    return out;
}

void hlo_leaf_types(const Type *type, const Type **types) { (void)push_leaves(type, types); }

const Type **hlo_result_types(HloImporter *importer, const HloInstr *instr, int *count) {
    *count = hlo_leaf_count(instr->shape.type);
    const Type **types = ARENA_ARRAY(importer->arena, const Type *, *count + 1);
    hlo_leaf_types(instr->shape.type, types);
    return types;
}

HloValues hlo_values(HloImporter *importer, int count) {
    return (HloValues){ARENA_ARRAY(importer->arena, Value *, count + 1), count};
}

const HloInstr *hlo_operand(const HloImporter *importer, const HloInstr *instr, int i) {
    return &importer->computation->instrs[instr->operands[i]];
}

HloValues hlo_operand_values(const HloImporter *importer, const HloInstr *instr, int i) {
    return importer->values[instr->operands[i]];
}

HloValues hlo_all_operands(HloImporter *importer, const HloInstr *instr) {
    int64_t count = 0;
    for (int i = 0; i < instr->operand_count; i++)
        count += hlo_operand_values(importer, instr, i).count;
    HloValues all = hlo_values(importer, (int)count);
    all.count = 0;
    for (int i = 0; i < instr->operand_count; i++) {
        HloValues values = hlo_operand_values(importer, instr, i);
        for (int k = 0; k < values.count; k++)
            all.data[all.count++] = values.data[k];
    }
    importer->budget -= all.count;
    return all;
}

bool hlo_check_operands(HloImporter *importer, const HloInstr *instr, int count) {
    if (instr->operand_count == count) return true;
    return hlo_fail(
        importer, instr, "expected %d operand%s, but found %d", count, count == 1 ? "" : "s",
        instr->operand_count);
}

Value *hlo_array(HloImporter *importer, const HloInstr *instr, int i) {
    if (i < instr->operand_count) {
        HloValues values = hlo_operand_values(importer, instr, i);
        if (values.count == 1 && values.data[0]->type->kind == TYPE_TENSOR) return values.data[0];
    }
    (void)hlo_fail(importer, instr, "expected operand %d to be an array", i);
    return NULL;
}

const Type *hlo_array_type(HloImporter *importer, const HloInstr *instr) {
    if (instr->shape.type->kind == TYPE_TENSOR) return instr->shape.type;
    (void)hlo_fail(importer, instr, "expected the result to be an array");
    return NULL;
}

Op *hlo_emit(
    HloImporter *importer, const HloInstr *instr, OpCode code, HloValues operands, int regions,
    HloValues *results) {
    int count;
    const Type **types = hlo_result_types(importer, instr, &count);
    int expected = op_code_operands(code);
    if (expected >= 0 && expected != operands.count) {
        (void)hlo_fail(
            importer, instr, "expected %d operand%s, but found %d", expected,
            expected == 1 ? "" : "s", operands.count);
        return NULL;
    }
    if (op_code_results(code) >= 0 && op_code_results(code) != count) {
        (void)hlo_fail(
            importer, instr, "expected %d result%s, but found %d", op_code_results(code),
            op_code_results(code) == 1 ? "" : "s", count);
        return NULL;
    }
    Op *op =
        build_op(&importer->builder, code, operands.count, operands.data, count, types, regions);
    *results = hlo_values(importer, count);
    for (int i = 0; i < count; i++)
        results->data[i] = op_result(op, i);
    return op;
}

void hlo_set(HloImporter *importer, Op *op, AttrName name, const Attr *value) {
    op_set_attr(importer->module, op, name, value);
}
