// print_format: the ops' pretty forms, printed as the rows of ir/print/asm_format.c say, and the
// forms of while, reduce and constants.
#include "ir/print/attr_print.h"
#include "ir/print/print_internal.h"
#include "ir/print/sharding_print.h"

static void puts_out(Printer *printer, const char *text) { strbuf_puts(printer->out, text); }

static void print_ints(Printer *printer, IntSpan ints) {
    puts_out(printer, "[");
    for (int i = 0; i < ints.count; i++) {
        strbuf_printf(printer->out, "%s%lld", i ? ", " : "", (long long)ints.data[i]);
    }
    puts_out(printer, "]");
}

static IntSpan attr_span(const Attr *attr) {
    return attr && attr->kind == ATTR_INTS ? (IntSpan){attr->ints, attr->count}
                                           : (IntSpan){NULL, 0};
}

static bool has_slice_ranges(const Op *op) {
    IntSpan start = op_ints(op, NAME_START_INDICES);
    IntSpan limit = op_ints(op, NAME_LIMIT_INDICES);
    IntSpan stride = op_ints(op, NAME_STRIDES);
    return op_attr(op, NAME_START_INDICES) && op_attr(op, NAME_LIMIT_INDICES) &&
           op_attr(op, NAME_STRIDES) && start.count == limit.count && limit.count == stride.count;
}

// Is every attribute that the row prints there, and of the right kind? An op that the verifier
// would refuse is printed in the generic form.
static bool step_fits(const Op *op, const AsmStep *step) {
    const Attr *attr = step->name < ATTR_NAME_COUNT ? op_attr(op, step->name) : NULL;
    switch (step->kind) {
    case STEP_INT: return attr && (attr->kind == ATTR_INT || attr->kind == ATTR_BOOL);
    case STEP_FLOAT: return attr && attr->kind == ATTR_FLOAT;
    case STEP_BOOL: return attr && attr->kind == ATTR_BOOL;
    case STEP_INTS: return attr && attr->kind == ATTR_INTS;
    case STEP_ENUM: return attr && attr->kind == ATTR_ENUM && (int)attr->enum_kind == step->detail;
    case STEP_STRING:
    case STEP_ANGLE_STRING: return attr && attr->kind == ATTR_STRING;
    case STEP_FLAGS:
        return !attr ||
               (attr->kind == ATTR_OPAQUE && strview_starts_with(attr->text, SV("#arith.")));
    case STEP_ATTR: return attr != NULL;
    case STEP_UNIT: return attr && attr->kind == ATTR_UNIT;
    case STEP_SYMBOL: return attr && (attr->kind == ATTR_STRING || attr->kind == ATTR_SYMBOL);
    case STEP_SLICE_RANGES: return has_slice_ranges(op);
    case STEP_CONV_DIMS: return attr && attr->kind == ATTR_CONV_DIMS;
    case STEP_DOT_DIMS: return attr && attr->kind == ATTR_DOT_DIMS;
    case STEP_FLOAT_FORMAT:
        return op_attr(op, NAME_EXPONENT_BITS) && op_attr(op, NAME_MANTISSA_BITS);
    case STEP_OWN_SHARDING: return op->result_count == 1 && op_result(op, 0)->sharding;
    case STEP_SHARDINGS: return !attr || attr->kind == ATTR_SHARDINGS;
    case STEP_AXES: return attr && attr->kind == ATTR_AXES;
    case STEP_AXES_PER_DIM: return attr && attr->kind == ATTR_AXES_PER_DIM;
    case STEP_ALL_TO_ALL: return attr && attr->kind == ATTR_ALL_TO_ALL;
    case STEP_MESH: return attr && attr->kind == ATTR_MESH;
    case STEP_SYMBOL_NAME: return op_attr(op, NAME_SYM_NAME) != NULL;
    case STEP_REGIONS: return op->region_count == 0; // with regions the generic form is printed
    case STEP_TYPE_SAME:
    case STEP_TYPE_COMPLEX:
    case STEP_TYPE_SELECT:
    case STEP_TYPE_TUPLE:
    case STEP_TYPE_ARROW: return op->result_count == 1;
    case STEP_TYPE_TO:
        return op->result_count == 1 || (op->result_count == 0 && op->operand_count == 2);
    case STEP_END:
    case STEP_TEXT:
    case STEP_OPERAND:
    case STEP_OPERANDS:
    case STEP_OPERANDS_COMMA:
    case STEP_OPTIONAL:
    case STEP_CLOSE:
    case STEP_ATTR_DICT:
    case STEP_WINDOW:
    case STEP_PRECISION:
    case STEP_ALGORITHM:
    case STEP_OPTIONAL_OWN_SHARDING:
    case STEP_REDUCTION:
    case STEP_BODY:
    case STEP_TYPE_FUNCTIONAL:
    case STEP_TYPE_RESULTS:
    case STEP_TYPE_PAIRWISE:
    case STEP_TYPE_OPERANDS:
    case STEP_TYPE_ONE:
    case STEP_TYPE_TOP_K:
    case STEP_TYPE_VALUE: return true;
    }
    return true;
}

static bool format_fits(const Op *op, const AsmStep *format) {
    int fixed = 0;
    for (const AsmStep *step = format; step->kind != STEP_END; step++) {
        if (step->kind == STEP_OPERAND) fixed++;
        if (step->kind == STEP_OPTIONAL && !op_attr(op, step->name)) {
            while (step->kind != STEP_CLOSE)
                step++;
            continue;
        }
        if (!step_fits(op, step)) return false;
    }
    return fixed <= op->operand_count;
}

// The pretty form of a while says each type once: for operand, arguments and result.
bool fits_own_while(const Op *op) {
    bool plain = op->result_count == op->operand_count;
    for (int r = 0; r < op->region_count; r++)
        plain = plain && op->regions[r]->arg_count == op->operand_count;
    for (int i = 0; i < op->operand_count && plain; i++) {
        const Type *type = op_operand_type(op, i);
        plain = op_result_type(op, i) == type;
        for (int r = 0; r < op->region_count; r++)
            plain = plain && op->regions[r]->args[i]->type == type;
    }
    return plain;
}

static void print_precision(Printer *printer, const Attr *config) {
    if (!config || config->kind != ATTR_ARRAY) return;
    puts_out(printer, ", precision = [");
    for (int i = 0; i < config->count; i++) {
        if (i) puts_out(printer, ", ");
        strbuf_append(printer->out, enum_keyword(ENUM_PRECISION, (int)config->items[i]->integer));
    }
    puts_out(printer, "]");
}

// The attribute without the #stablehlo.name in front.
static void print_stripped(Printer *printer, const Attr *attr) {
    StrBuf text = strbuf(printer->out->arena);
    attr_print(&text, attr);
    StrView view = strbuf_view(&text);
    const char *angle = memchr(view.data, '<', view.size);
    size_t skipped = angle ? (size_t)(angle - view.data) : 0;
    strbuf_append(printer->out, (StrView){view.data + skipped, view.size - skipped});
}

static void print_slice_ranges(Printer *printer, const Op *op) {
    IntSpan start = op_ints(op, NAME_START_INDICES);
    IntSpan limit = op_ints(op, NAME_LIMIT_INDICES);
    IntSpan stride = op_ints(op, NAME_STRIDES);
    puts_out(printer, "[");
    for (int d = 0; d < start.count; d++) {
        strbuf_printf(
            printer->out, "%s%lld:%lld", d ? ", " : "", (long long)start.data[d],
            (long long)limit.data[d]);
        if (stride.data[d] != 1) strbuf_printf(printer->out, ":%lld", (long long)stride.data[d]);
    }
    puts_out(printer, "]");
}

// [[0, 1], [1, 1]]
static void print_pairs(Printer *printer, const Attr *pairs) {
    puts_out(printer, "[");
    int64_t count =
        pairs->kind == ATTR_ELEMENTS && pairs->type->rank == 2 ? pairs->type->dims[0] : 0;
    for (int64_t i = 0; i < count; i++) {
        strbuf_printf(
            printer->out, "%s[%lld, %lld]", i ? ", " : "",
            (long long)attr_element_int(pairs, 2 * i),
            (long long)attr_element_int(pairs, 2 * i + 1));
    }
    puts_out(printer, "]");
}

static const AttrName window_names[] = {
    NAME_WINDOW_STRIDES, NAME_PADDING, NAME_LHS_DILATION, NAME_RHS_DILATION, NAME_WINDOW_REVERSAL};
enum { WINDOW_NAMES = sizeof window_names / sizeof window_names[0] };

static void print_window(Printer *printer, const Op *op) {
    static const char *const words[] = {
        "stride = ", "pad = ", "lhs_dilate = ", "rhs_dilate = ", "reverse = "};
    bool first = true;
    for (int i = 0; i < WINDOW_NAMES; i++) {
        const Attr *attr = op_attr(op, window_names[i]);
        if (!attr) continue;
        if (!first) puts_out(printer, ", ");
        first = false;
        puts_out(printer, words[i]);
        if (window_names[i] == NAME_PADDING) {
            print_pairs(printer, attr);
        } else if (window_names[i] != NAME_WINDOW_REVERSAL) {
            print_ints(printer, attr_span(attr));
        } else {
            puts_out(printer, "[");
            IntSpan bools = attr_span(attr);
            for (int b = 0; b < bools.count; b++) {
                strbuf_printf(
                    printer->out, "%s%s", b ? ", " : "", bools.data[b] ? "true" : "false");
            }
            puts_out(printer, "]");
        }
    }
}

static void print_dot_dims(Printer *printer, const DotDims *dot) {
    if (dot->lhs_batch.count > 0 || dot->rhs_batch.count > 0) {
        puts_out(printer, "batching_dims = ");
        print_ints(printer, dot->lhs_batch);
        puts_out(printer, " x ");
        print_ints(printer, dot->rhs_batch);
        puts_out(printer, ", ");
    }
    puts_out(printer, "contracting_dims = ");
    print_ints(printer, dot->lhs_contracting);
    puts_out(printer, " x ");
    print_ints(printer, dot->rhs_contracting);
}

// Which attributes the row prints outside the dictionary.
static int named_attrs(const Op *op, const AsmStep *format, AttrName *names) {
    int count = 0;
    for (const AsmStep *step = format; step->kind != STEP_END; step++) {
        if (step->name < ATTR_NAME_COUNT && step->kind != STEP_OPTIONAL &&
            step->kind != STEP_TYPE_VALUE) {
            names[count++] = step->name;
        }
        if (step->kind == STEP_SYMBOL_NAME) names[count++] = NAME_SYM_NAME;
        if (step->kind == STEP_ALGORITHM) names[count++] = NAME_ALGORITHM;
        if (step->kind == STEP_FLOAT_FORMAT) {
            names[count++] = NAME_EXPONENT_BITS;
            names[count++] = NAME_MANTISSA_BITS;
        }
        if (step->kind == STEP_SLICE_RANGES) {
            names[count++] = NAME_START_INDICES;
            names[count++] = NAME_LIMIT_INDICES;
            names[count++] = NAME_STRIDES;
        }
        for (int i = 0; i < WINDOW_NAMES && step->kind == STEP_WINDOW; i++)
            names[count++] = window_names[i];
    }
    (void)op;
    return count;
}

// Does an attribute have the value that it has when it is not written?
static bool is_default(const Op *op, AttrName name) {
    const Attr *attr = op_attr(op, name);
    if (!attr) return false;
    bool is_empty = (attr->kind == ATTR_ARRAY || attr->kind == ATTR_DICT) && attr->count == 0;
    if (op->code == OP_CUSTOM_CALL) {
        if (name == NAME_HAS_SIDE_EFFECT) return attr->integer == 0;
        if (name == NAME_API_VERSION) return attr->integer == 1;
        return (name == NAME_CALLED_COMPUTATIONS || name == NAME_OUTPUT_OPERAND_ALIASES) &&
               is_empty;
    }
    if (op->code == OP_COMPOSITE) {
        if (name == NAME_VERSION) return attr->integer == 0;
        return name == NAME_COMPOSITE_ATTRIBUTES && is_empty;
    }
    return name == NAME_RESULT_ACCURACY && attr->kind == ATTR_ACCURACY &&
           attr->accuracy->mode == RESULT_ACCURACY_DEFAULT && attr->accuracy->atol == 0 &&
           attr->accuracy->rtol == 0;
}

static void print_dict_step(Printer *printer, const Op *op, const AsmStep *format) {
    enum { MOST = 48 };
    AttrName elided[MOST];
    int count = named_attrs(op, format, elided);
    for (int i = 0; i < op->attr_count && count < MOST; i++) {
        if (is_default(op, op->attrs[i].name)) elided[count++] = op->attrs[i].name;
    }
    print_attr_dict(printer, op, elided, count, "");
}

// (%a: T, ...) { ... }
static void print_body(Printer *printer, const Region *region) {
    puts_out(printer, "(");
    for (int i = 0; i < region->arg_count; i++) {
        if (i) puts_out(printer, ", ");
        print_block_arg(printer, region->args[i]);
    }
    puts_out(printer, ") ");
    print_region(printer, region, false);
}

static void print_attr_step(Printer *printer, const Op *op, const AsmStep *step) {
    const Attr *attr = op_attr(op, step->name);
    StrBuf *out = printer->out;
    if (step->kind == STEP_INT) {
        bool is_unsigned = element_class((ElementType)step->detail) == CLASS_UINT;
        strbuf_printf(out, is_unsigned ? "%llu" : "%lld", (unsigned long long)attr->integer);
    }
    if (step->kind == STEP_BOOL) puts_out(printer, attr->integer ? "true" : "false");
    if (step->kind == STEP_INTS) print_ints(printer, attr_span(attr));
    if (step->kind == STEP_ENUM)
        strbuf_append(out, enum_keyword(attr->enum_kind, (int)attr->integer));
    if (step->kind == STEP_ATTR) attr_print(out, attr);
    if (step->kind == STEP_CONV_DIMS) print_conv_dimension_numbers(out, attr->conv);
    if (step->kind == STEP_DOT_DIMS) print_dot_dims(printer, attr->dot);
    if (step->kind == STEP_PRECISION) print_precision(printer, attr);
    if (step->kind == STEP_SHARDINGS && attr) print_sharding_list(out, attr);
    if (step->kind == STEP_AXES) axis_list_print(out, attr->axes, attr->count);
    if (step->kind == STEP_AXES_PER_DIM) print_axes_per_dim(out, attr);
    if (step->kind == STEP_ALL_TO_ALL) print_all_to_all(out, attr);
    if (step->kind == STEP_MESH) mesh_print(out, attr->mesh);
    if (step->kind == STEP_FLAGS) print_arith_flags(printer, attr);
    if (step->kind == STEP_SYMBOL) print_symbol(out, attr->text);
    if (step->kind == STEP_FLOAT) {
        StrBuf text = strbuf(out->arena);
        attr_print(&text, attr);
        StrView view = strbuf_view(&text);
        const char *blank = memchr(view.data, ' ', view.size);
        strbuf_append(out, (StrView){view.data, blank ? (size_t)(blank - view.data) : view.size});
    }
    if (step->kind == STEP_STRING || step->kind == STEP_ANGLE_STRING) {
        puts_out(printer, step->kind == STEP_STRING ? "\"" : "<\"");
        strbuf_escaped(out, attr->text);
        puts_out(printer, step->kind == STEP_STRING ? "\"" : "\">");
    }
    if (step->kind == STEP_REDUCTION && attr && attr->integer != SDY_REDUCTION_sum) {
        puts_out(printer, " ");
        strbuf_append(out, enum_keyword(ENUM_SDY_REDUCTION, (int)attr->integer));
    }
}

static void print_step(
    Printer *printer, const Op *op, const AsmStep *format, const AsmStep *step, int *operand) {
    StrBuf *out = printer->out;
    if (step->kind >= STEP_TYPE_FUNCTIONAL) {
        print_type_step(printer, op, step);
    } else if (step->kind == STEP_TEXT) {
        puts_out(printer, step->text);
    } else if (step->kind == STEP_OPERAND) {
        print_operand_range(printer, op, (*operand)++, 1);
    } else if (step->kind == STEP_OPERANDS) {
        char last = out->size > 0 ? out->data[out->size - 1] : ' ';
        if (op->operand_count > *operand && last != ' ' && last != '(') puts_out(printer, " ");
        print_operand_range(printer, op, *operand, op->operand_count - *operand);
    } else if (step->kind == STEP_OPERANDS_COMMA) {
        print_operand_range(printer, op, *operand, op->operand_count - *operand);
        puts_out(printer, ",");
    } else if (step->kind == STEP_REGIONS) {
        for (int i = 0; i < op->region_count; i++) {
            puts_out(printer, i ? ", " : " (");
            print_region(printer, op->regions[i], true);
        }
        if (op->region_count > 0) puts_out(printer, ")");
    } else if (step->kind == STEP_ATTR_DICT) {
        print_dict_step(printer, op, format);
    } else if (step->kind == STEP_SLICE_RANGES) {
        print_slice_ranges(printer, op);
    } else if (step->kind == STEP_WINDOW) {
        print_window(printer, op);
    } else if (step->kind == STEP_ALGORITHM) {
        if (!op_attr(op, NAME_ALGORITHM)) return;
        puts_out(printer, ", algorithm = ");
        print_stripped(printer, op_attr(op, NAME_ALGORITHM));
    } else if (step->kind == STEP_FLOAT_FORMAT) {
        strbuf_printf(
            out, "e%lldm%lld", (long long)op_int(op, NAME_EXPONENT_BITS, 0),
            (long long)op_int(op, NAME_MANTISSA_BITS, 0));
    } else if (step->kind == STEP_OWN_SHARDING) {
        sharding_print_body(out, op_result(op, 0)->sharding);
    } else if (step->kind == STEP_OPTIONAL_OWN_SHARDING) {
        if (!op_result(op, 0)->sharding) return;
        puts_out(printer, step->text);
        sharding_print_body(out, op_result(op, 0)->sharding);
    } else if (step->kind == STEP_SYMBOL_NAME) {
        print_symbol(out, op_text(op, NAME_SYM_NAME));
    } else if (step->kind == STEP_BODY) {
        print_body(printer, op->regions[0]);
    } else {
        print_attr_step(printer, op, step);
    }
}

static void print_format(Printer *printer, const Op *op, const AsmStep *format) {
    int operand = 0;
    for (const AsmStep *step = format; step->kind != STEP_END; step++) {
        if (step->kind == STEP_CLOSE) continue;
        if (step->kind != STEP_OPTIONAL) {
            print_step(printer, op, format, step, &operand);
        } else if (op_attr(op, step->name)) {
            puts_out(printer, step->text);
        } else {
            while (step->kind != STEP_CLOSE)
                step++;
        }
    }
}

void print_own_constant(Printer *printer, const Op *op) {
    const AttrName elided[] = {NAME_VALUE};
    const Attr *value = op_attr(op, NAME_VALUE);
    if (value->type !=
        op_result_type(op, 0)) { // the constant's storage differs, as for quantised types
        puts_out(printer, "() <{value = ");
        attr_print(printer->out, value);
        puts_out(printer, "}>");
        print_attr_dict(printer, op, elided, 1, "");
        puts_out(printer, " : ");
        print_functional_type(printer, op);
        return;
    }
    print_attr_dict(printer, op, elided, 1, "");
    puts_out(printer, " ");
    bool elide = printer->options.elide_larger > 0 &&
                 type_element_count(value->type) > printer->options.elide_larger &&
                 !value->is_splat;
    if (elide) {
        puts_out(printer, "dense_resource<__elided__> : ");
        type_print(printer->out, value->type);
    } else {
        attr_print(printer->out, value);
    }
}

void print_own_while(Printer *printer, const Op *op) {
    puts_out(printer, "(");
    for (int i = 0; i < op->operand_count; i++) {
        if (i) puts_out(printer, ", ");
        print_value_name(printer, op->regions[1]->args[i]);
        puts_out(printer, " = ");
        print_value_name(printer, op_operand(op, i));
    }
    puts_out(printer, ")");
    if (op->operand_count > 0) {
        puts_out(printer, " : ");
        print_operand_types(printer, op);
    }
    print_attr_dict(printer, op, NULL, 0, " attributes");
    print_newline(printer);
    puts_out(printer, "cond ");
    print_region(printer, op->regions[0], false);
    puts_out(printer, " do ");
    print_region(printer, op->regions[1], false);
}

// Is the body one commutative op on the two arguments in their order, whose result is returned?
static bool is_compact_reduce(const Op *op) {
    const Region *body = op->regions[0];
    const Op *inner = body->first;
    if (!inner || !inner->next || inner->next != body->last || body->last->code != OP_RETURN)
        return false;
    bool fits = op_has(inner, TRAIT_COMMUTES) && inner->operand_count == 2 &&
                inner->result_count == 1 && inner->region_count == 0 && body->arg_count == 2 &&
                body->last->operand_count == 1 && op_operand(inner, 0) == body->args[0] &&
                op_operand(inner, 1) == body->args[1] &&
                op_operand(body->last, 0) == op_result(inner, 0);
    if (!fits) return false;
    const Type *input = op_operand_type(op, 0);
    const Type *scalar = op_operand_type(inner, 0);
    return scalar == op_operand_type(inner, 1) && scalar == op_result_type(inner, 0) &&
           scalar->kind == TYPE_TENSOR && scalar->rank == 0 && scalar->element == input->element &&
           scalar->quant == input->quant;
}

void print_own_reduce(Printer *printer, const Op *op) {
    int pairs = op->operand_count / 2;
    for (int i = 0; i < pairs; i++) {
        puts_out(printer, i ? ", (" : "(");
        print_operand_range(printer, op, i, 1);
        puts_out(printer, " init: ");
        print_operand_range(printer, op, pairs + i, 1);
        puts_out(printer, ")");
    }
    bool compact = is_compact_reduce(op);
    if (compact) {
        puts_out(printer, " applies ");
        strbuf_append(printer->out, op->regions[0]->first->name);
    }
    puts_out(printer, " across dimensions = ");
    print_ints(printer, attr_span(op_attr(op, NAME_DIMENSIONS)));
    const AttrName elided[] = {NAME_DIMENSIONS};
    print_attr_dict(printer, op, elided, 1, "");
    puts_out(printer, " : ");
    print_functional_type(printer, op);
    if (compact) return;
    print_newline(printer);
    puts_out(printer, " reducer");
    const Region *body = op->regions[0];
    for (int i = 0; i < pairs; i++) {
        puts_out(printer, "(");
        print_block_arg(printer, body->args[i]);
        puts_out(printer, ", ");
        print_block_arg(printer, body->args[pairs + i]);
        puts_out(printer, ") ");
    }
    puts_out(printer, " ");
    print_region(printer, body, false);
}

void print_own_scan(Printer *printer, const Op *op) {
    int inputs = (int)op_ints(op, NAME_OPERAND_SEGMENT_SIZES).data[0];
    if (inputs < 0 || inputs > op->operand_count) inputs = op->operand_count;
    puts_out(printer, "(");
    print_operand_range(printer, op, 0, inputs);
    puts_out(printer, ") inits (");
    print_operand_range(printer, op, inputs, op->operand_count - inputs);
    strbuf_printf(printer->out, ") dimension=%lld ", (long long)op_int(op, NAME_DIMENSION, 0));
    const AttrName elided[] = {
        NAME_DIMENSION, NAME_OPERAND_SEGMENT_SIZES, NAME_RESULT_SEGMENT_SIZES};
    print_attr_dict(printer, op, elided, 3, " attributes");
    puts_out(printer, " ");
    print_region(printer, op->regions[0], true);
    puts_out(printer, " : ");
    print_functional_type(printer, op);
}

bool fits_own_reduce(const Op *op) {
    const Attr *dims = op_attr(op, NAME_DIMENSIONS);
    return op->operand_count % 2 == 0 && op->operand_count > 0 && dims && dims->kind == ATTR_INTS &&
           op->regions[0]->arg_count == op->operand_count;
}

bool fits_own_scan(const Op *op) {
    return op_ints(op, NAME_OPERAND_SEGMENT_SIZES).count == 2 && op_attr(op, NAME_DIMENSION);
}

bool fits_own_constant(const Op *op) {
    const Attr *value = op_attr(op, NAME_VALUE);
    return value && value->kind == ATTR_ELEMENTS;
}

// --- which form ---

typedef struct OwnForm {
    FitsForm *fits;
    PrintForm *print;
} OwnForm;

static bool fits_always(const Op *op) { return op != NULL; }

#define FORM(...) \
    { NULL, NULL }
#define NO_FORM \
    { NULL, NULL }
#define MODULE_FORM \
    { fits_always, NULL } // print.c
#define OWN_FORM(name) \
    { fits_own_##name, print_own_##name }

static const OwnForm own_forms[OP_COUNT] = {
#define OP(name, dialect, text, traits, operands, results, regions, attributes, form, ...) \
    [OP_##name] = form,
#include "ir/dialects/ops.def"
};

bool has_pretty_form(const Op *op) {
    if (own_forms[op->code].fits) return own_forms[op->code].fits(op);
    const AsmStep *format = asm_format(op->code);
    return format && format_fits(op, format);
}

void print_pretty(Printer *printer, const Op *op) {
    if (own_forms[op->code].print) {
        own_forms[op->code].print(printer, op);
    } else {
        print_format(printer, op, asm_format(op->code));
    }
}
