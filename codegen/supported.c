// What cannot be compiled.
#include "codegen/compile.h"
#include "codegen/kernel/lower_class.h"

typedef struct Check {
    const CodegenOptions *options;
    Diags *diags;
    bool supported;
} Check;

static bool is_scalar_region_of(const Op *op) {
    const Op *parent = op_parent_op(op);
    return parent && parent->code != OP_FUNC && lower_class(parent, NULL) != LOWER_CONTROL;
}

static bool is_row_major(const Op *op, AttrName layouts) {
    const Attr *attr = op_attr(op, layouts);
    for (int i = 0; attr && i < attr->count; i++) {
        const Attr *order = attr->items[i]; // minor to major
        for (int d = 0; order->ints && d < order->count; d++) {
            if (order->ints[d] != order->count - 1 - d) return false;
        }
    }
    return true;
}

// Why the call cannot be compiled; NULL = it can.
static const char *custom_call_problem(const CodegenOptions *options, const Op *op) {
    StrView name = op_text(op, NAME_CALL_TARGET_NAME);
    bool is_known = false;
    for (int i = 0; i < options->custom_count && !is_known; i++) {
        is_known = strview_equal(name, options->custom_names[i]);
    }
    bool sees_aliases =
        !is_known && options->knows_custom && options->knows_custom(options->knows_user, name);
    if (!is_known && !sees_aliases) return "";
    const Attr *aliases = op_attr(op, NAME_OUTPUT_OPERAND_ALIASES);
    if (aliases && aliases->count > 0 && !sees_aliases)
        return " with results in the place of operands";
    if (!is_row_major(op, NAME_OPERAND_LAYOUTS) || !is_row_major(op, NAME_RESULT_LAYOUTS))
        return " with layouts other than row-major";
    return NULL;
}

static bool check_op(Op *op, void *user) {
    Check *check = user;
    if (is_scalar_region_of(op) && op_has(op, TRAIT_TERMINATOR)) return true;
    KernelKind kind;
    LowerClass lower = lower_class(op, &kind);
    bool supported = lower != LOWER_ABSENT;
    const char *problem =
        op->code == OP_CUSTOM_CALL ? custom_call_problem(check->options, op) : NULL;
    if (problem) supported = false;
    for (int i = 0; supported && i < op->result_count; i++) {
        const Type *type = op_result_type(op, i);
        bool plain = type->kind == TYPE_TOKEN ||
                     (type->kind == TYPE_TENSOR && type_is_static(type) && !type->quant);
        if (!plain) supported = false;
    }
    if (supported) return true;
    StrView called =
        op->code == OP_CUSTOM_CALL ? op_text(op, NAME_CALL_TARGET_NAME) : (StrView){"", 0};
    diag_unsupported(
        check->diags, op->loc, "'%.*s'%s%.*s%s is not supported by the code generator",
        SV_ARG(op->name), called.size ? " of @" : "", SV_ARG(called), problem ? problem : "");
    check->supported = false;
    return true;
}

bool check_supported(const Compile *compile) {
    Check check = {compile->options, compile->diags, true};
    region_walk(func_body(compile->program->main), check_op, &check);
    return check.supported;
}
