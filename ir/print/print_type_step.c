// print_type_step: the types behind a pretty form, in the way that the op's row says.
#include "ir/print/print_internal.h"

static void puts_out(Printer *printer, const char *text) { strbuf_puts(printer->out, text); }

void print_operand_types(Printer *printer, const Op *op) {
    for (int i = 0; i < op->operand_count; i++) {
        if (i) puts_out(printer, ", ");
        type_print(printer->out, op_operand_type(op, i));
    }
}

static void print_result_types(Printer *printer, const Op *op) {
    for (int i = 0; i < op->result_count; i++) {
        if (i) puts_out(printer, ", ");
        type_print(printer->out, op_result_type(op, i));
    }
}

static void print_arrow(Printer *printer, const Op *op) {
    print_operand_types(printer, op);
    puts_out(printer, " -> ");
    print_result_types(printer, op);
}

static void print_top_k(Printer *printer, const Op *op) {
    print_operand_types(printer, op);
    puts_out(printer, " -> (");
    print_result_types(printer, op);
    puts_out(printer, ")");
}

static void print_one(Printer *printer, const Op *op) {
    type_print(printer->out, op->result_count > 0 ? op_result_type(op, 0) : op_operand_type(op, 0));
}

static void print_to(Printer *printer, const Op *op) {
    type_print(printer->out, op_operand_type(op, 0));
    puts_out(printer, " to ");
    type_print(printer->out, op->result_count ? op_result_type(op, 0) : op_operand_type(op, 1));
}

// The result's type where it stands for all, else the functional type.

static void print_same(Printer *printer, const Op *op) {
    const Type *result = op_result_type(op, 0);
    for (int i = 0; i < op->operand_count; i++) {
        if (op_operand_type(op, i) != result) {
            print_functional_type(printer, op);
            return;
        }
    }
    type_print(printer->out, result);
}

static void print_select(Printer *printer, const Op *op) {
    const Type *result = op_result_type(op, 0);
    if (op->operand_count != 3 || op_operand_type(op, 1) != result ||
        op_operand_type(op, 2) != result) {
        print_functional_type(printer, op);
        return;
    }
    type_print(printer->out, op_operand_type(op, 0));
    puts_out(printer, ", ");
    type_print(printer->out, result);
}

static bool operands_are_parts(const Op *op) {
    const Type *result = op_result_type(op, 0);
    if (result->kind != TYPE_TENSOR || element_class(result->element) != CLASS_COMPLEX)
        return false;
    ElementType real = element_real_part(result->element);
    for (int i = 0; i < op->operand_count; i++) {
        const Type *type = op_operand_type(op, i);
        if (type->kind != TYPE_TENSOR || type->element != real || !type_same_shape(type, result))
            return false;
    }
    return true;
}

static void print_complex(Printer *printer, const Op *op) {
    if (operands_are_parts(op))
        type_print(printer->out, op_result_type(op, 0));
    else
        print_functional_type(printer, op);
}

typedef void PrintTypesFn(Printer *printer, const Op *op);

static PrintTypesFn *const print_types[] = {
    [STEP_TYPE_FUNCTIONAL] = print_functional_type,
    [STEP_TYPE_SAME] = print_same,
    [STEP_TYPE_COMPLEX] = print_complex,
    [STEP_TYPE_SELECT] = print_select,
    [STEP_TYPE_RESULTS] = print_result_types,
    [STEP_TYPE_TUPLE] = print_one,
    [STEP_TYPE_PAIRWISE] = print_operand_types,
    [STEP_TYPE_OPERANDS] = print_operand_types,
    [STEP_TYPE_ONE] = print_one,
    [STEP_TYPE_ARROW] = print_arrow,
    [STEP_TYPE_TO] = print_to,
    [STEP_TYPE_TOP_K] = print_top_k,
    [STEP_TYPE_VALUE] = NULL,
};

void print_type_step(Printer *printer, const Op *op, const AsmStep *step) {
    bool none = op->operand_count == 0 &&
                (step->kind == STEP_TYPE_OPERANDS || step->kind == STEP_TYPE_PAIRWISE);
    if (step->kind == STEP_TYPE_PAIRWISE && none) puts_out(printer, "()");
    if (none || !print_types[step->kind]) return;
    puts_out(printer, " : ");
    print_types[step->kind](printer, op);
}
