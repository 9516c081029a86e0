// Prints attributes as MLIR does.
#include "ir/print/attr_print.h"

#include "ir/attr.h"
#include "ir/print/sharding_print.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// A decimal number: 0.d1 d2 ... digits * 10^exponent of the first digit.
typedef struct Decimal {
    char digits[48];
    int count;
    int exponent; // of the first digit: d1.d2d3 * 10^exponent
} Decimal;

// How many leading decimal digits LLVM keeps before it rounds to `count`: it first divides the
// exact integer by a power of ten that it estimates from the number of bits (196/59 is just above
// log2 10), and so cuts off digits behind.
static int digits_before_rounding(double magnitude, int count, int exponent) {
    if (magnitude == 0.0) return count;
    int binary;
    uint64_t odd = (uint64_t)ldexp(frexp(magnitude, &binary), 53);
    binary -= 53;
    int zeros = __builtin_ctzll(odd);
    odd >>= zeros;
    binary += zeros;
    int fives = binary < 0 ? -binary : 0; // the integer is odd * 5^fives, or odd * 2^binary
    double bits_of_fives = fives * 2.3219280948873623; // log2 5
    int bits = (int)(log2((double)odd) + bits_of_fives) + 1 + (binary > 0 ? binary : 0);
    int required = (count * 196 + 58) / 59;
    int removed = bits <= required ? 0 : (bits - required) * 59 / 196;
    return exponent + 1 + fives - removed;
}

// The value with `count` significant digits as LLVM rounds it: halves up, after
// cutting; trailing zeros are dropped.
static Decimal decimal_of(double magnitude, int count) {
    char text[80];
    snprintf(text, sizeof text, "%.44e", magnitude);
    Decimal decimal = {.count = count};
    decimal.exponent = (int)strtol(strchr(text, 'e') + 1, NULL, 10);
    char all[46];
    all[0] = text[0];
    memcpy(all + 1, text + 2, 44);
    memcpy(decimal.digits, all, (size_t)count);
    bool is_cut = digits_before_rounding(magnitude, count, decimal.exponent) <= count;
    if (all[count] >= '5' && !is_cut) {
        int i = count - 1;
        while (i >= 0 && decimal.digits[i] == '9')
            decimal.digits[i--] = '0';
        if (i >= 0) {
            decimal.digits[i]++;
        } else {
            decimal.digits[0] = '1'; // 9.99 became 10.0: the digits behind are zeros
            decimal.exponent++;
        }
    }
    while (decimal.count > 1 && decimal.digits[decimal.count - 1] == '0')
        decimal.count--;
    return decimal;
}

// d.ddddde+xx, with at least six digits after the point.
static void scientific(char *text, size_t size, bool negative, const Decimal *decimal) {
    snprintf(
        text, size, "%s%c.%.*s%.*se%c%02d", negative ? "-" : "", decimal->digits[0],
        decimal->count - 1, decimal->digits + 1, 7 - decimal->count, "000000",
        decimal->exponent < 0 ? '-' : '+', abs(decimal->exponent));
}

// LLVM's default text of a float: plain digits where at most three zeros are needed, else
// scientific. False when the text would have no point.
static bool natural(char *text, size_t size, bool negative, const Decimal *decimal, int precision) {
    const char *sign = negative ? "-" : "";
    int last = decimal->exponent - (decimal->count - 1); // exponent of the last digit
    bool use_scientific;
    if (last >= 0) {
        use_scientific = last > 3 || decimal->count + last > precision;
    } else {
        use_scientific = decimal->exponent < 0 && -decimal->exponent > 3;
    }
    if (use_scientific) {
        snprintf(
            text, size, "%s%c.%.*sE%c%d", sign, decimal->digits[0],
            decimal->count > 1 ? decimal->count - 1 : 1,
            decimal->count > 1 ? decimal->digits + 1 : "0", decimal->exponent < 0 ? '-' : '+',
            abs(decimal->exponent));
        return true;
    }
    if (last >= 0) return false;
    if (decimal->exponent >= 0) {
        int whole = decimal->exponent + 1;
        snprintf(
            text, size, "%s%.*s.%.*s", sign, whole, decimal->digits, decimal->count - whole,
            decimal->digits + whole);
    } else {
        snprintf(
            text, size, "%s0.%.*s%.*s", sign, -decimal->exponent - 1, "000", decimal->count,
            decimal->digits);
    }
    return true;
}

void print_float_bits(StrBuf *out, ElementType element, uint64_t bits) {
    const FloatFormat *format = element_float_format(element);
    double number = float_decode(format, bits);
    if (isfinite(number)) {
        bool negative = signbit(number);
        char text[96];
        Decimal six = decimal_of(fabs(number), 6);
        scientific(text, sizeof text, negative, &six);
        bool exact = format->has_negative_zero || number != 0.0 || !negative;
        if (exact && float_encode(format, strtod(text, NULL)) == bits) {
            strbuf_puts(out, text);
            return;
        }
        int precision = 2 + (format->mantissa_bits + 1) * 59 / 196;
        Decimal full = decimal_of(fabs(number), precision);
        if (natural(text, sizeof text, negative, &full, precision)) {
            strbuf_puts(out, text);
            return;
        }
    }
    strbuf_printf(out, "0x%llX", (unsigned long long)bits);
}

static uint64_t load_bits(const void *data, size_t size) {
    uint64_t bits = 0;
    memcpy(&bits, data, size < sizeof bits ? size : sizeof bits);
    return bits;
}

static void print_element(StrBuf *out, ElementType element, const void *data) {
    switch (element_class(element)) {
    case CLASS_BOOL: strbuf_puts(out, *(const unsigned char *)data ? "true" : "false"); break;
    case CLASS_SINT:
    case CLASS_UINT: {
        uint64_t bits = load_bits(data, element_bytes(element));
        int shift = 64 - 8 * (int)element_bytes(element);
        if (element_class(element) == CLASS_UINT) {
            strbuf_printf(out, "%llu", (unsigned long long)bits);
        } else {
            strbuf_printf(out, "%lld", (long long)((int64_t)(bits << shift) >> shift));
        }
        break;
    }
    case CLASS_FLOAT:
        print_float_bits(out, element, load_bits(data, element_bytes(element)));
        break;
    case CLASS_COMPLEX: {
        ElementType part = element_real_part(element);
        size_t size = element_bytes(part);
        strbuf_putc(out, '(');
        print_float_bits(out, part, load_bits(data, size));
        strbuf_putc(out, ',');
        print_float_bits(out, part, load_bits((const char *)data + size, size));
        strbuf_putc(out, ')');
        break;
    }
    }
}

static void print_hex(StrBuf *out, const Attr *attr) {
    static const char digits[] = "0123456789ABCDEF";
    const unsigned char *data = attr->data;
    strbuf_puts(out, "\"0x");
    char chunk[1024];
    size_t size = 0;
    for (size_t i = 0; i < attr->data_size; i++) {
        chunk[size++] = digits[data[i] >> 4];
        chunk[size++] = digits[data[i] & 15];
        if (size < sizeof chunk && i + 1 < attr->data_size) continue;
        strbuf_append(out, (StrView){chunk, size});
        size = 0;
    }
    strbuf_putc(out, '"');
}

static void print_nested(StrBuf *out, const Attr *attr) {
    const Type *type = attr->type;
    int64_t count = type_element_count(type);
    for (int64_t i = 0; i < count; i++) {
        if (i) strbuf_puts(out, ", ");
        // Element i opens a bracket for every dimension that starts there, and closes those that
        // end.
        int64_t block = 1;
        int opened = 0;
        for (int d = type->rank - 1; d >= 0; d--) {
            block *= type->dims[d];
            if (i % block == 0) opened++;
        }
        for (int d = 0; d < opened; d++)
            strbuf_putc(out, '[');
        print_element(out, type->element, attr_element(attr, i));
        block = 1;
        for (int d = type->rank - 1; d >= 0; d--) {
            block *= type->dims[d];
            if ((i + 1) % block == 0) strbuf_putc(out, ']');
        }
    }
}

// Equal elements are printed once.
static bool are_equal(const Attr *attr) {
    size_t size = element_bytes(attr->type->element);
    const char *data = attr->data;
    return attr->data_size >= size && memcmp(data, data + size, attr->data_size - size) == 0;
}

void print_elements(StrBuf *out, const Attr *attr) {
    enum { HEX_LIMIT = 100 };
    strbuf_puts(out, "dense<");
    if (attr->is_splat || are_equal(attr)) {
        print_element(out, attr->type->element, attr->data);
    } else if (type_is_static(attr->type)) {
        int64_t count = type_element_count(attr->type);
        if (count > HEX_LIMIT) {
            print_hex(out, attr);
        } else if (count) {
            print_nested(out, attr);
        }
    }
    strbuf_putc(out, '>');
}

static void print_ints(StrBuf *out, IntSpan ints) {
    strbuf_putc(out, '[');
    for (int i = 0; i < ints.count; i++)
        strbuf_printf(out, i ? ", %lld" : "%lld", (long long)ints.data[i]);
    strbuf_putc(out, ']');
}

// name = [..], with a comma before all but the first; empty lists are left out.
static void print_field(StrBuf *out, bool *first, const char *name, IntSpan ints) {
    if (ints.count == 0) return;
    strbuf_printf(out, *first ? "%s = " : ", %s = ", name);
    print_ints(out, ints);
    *first = false;
}

static void print_index_field(StrBuf *out, bool *first, const char *name, int64_t number) {
    if (number == 0) return;
    strbuf_printf(out, *first ? "%s = %lld" : ", %s = %lld", name, (long long)number);
    *first = false;
}

// #stablehlo.dot<...> or #chlo.ragged_dot<...>
static void print_dot(StrBuf *out, const char *name, const DotDims *dot) {
    bool first = true;
    strbuf_printf(out, "#%s<", name);
    print_field(out, &first, "lhs_batching_dimensions", dot->lhs_batch);
    print_field(out, &first, "rhs_batching_dimensions", dot->rhs_batch);
    print_field(out, &first, "lhs_contracting_dimensions", dot->lhs_contracting);
    print_field(out, &first, "rhs_contracting_dimensions", dot->rhs_contracting);
    print_field(out, &first, "lhs_ragged_dimensions", dot->lhs_ragged);
    print_field(out, &first, "rhs_group_dimensions", dot->rhs_group);
    strbuf_putc(out, '>');
}

static void print_conv_dims(
    StrBuf *out, int64_t first_dim, char first, int64_t second_dim, char second, IntSpan spatial) {
    strbuf_putc(out, '[');
    int rank = spatial.count + 2;
    for (int d = 0; d < rank; d++) {
        if (d) strbuf_puts(out, ", ");
        if (d == first_dim) {
            strbuf_putc(out, first);
        } else if (d == second_dim) {
            strbuf_putc(out, second);
        } else {
            int position = 0;
            while (position < spatial.count && spatial.data[position] != d)
                position++;
            if (position < spatial.count) {
                strbuf_printf(out, "%d", position);
            } else {
                strbuf_putc(out, '?');
            }
        }
    }
    strbuf_putc(out, ']');
}

void print_conv_dimension_numbers(StrBuf *out, const ConvDims *conv) {
    print_conv_dims(out, conv->input_batch, 'b', conv->input_feature, 'f', conv->input_spatial);
    strbuf_putc(out, 'x');
    print_conv_dims(
        out, conv->kernel_input_feature, 'i', conv->kernel_output_feature, 'o',
        conv->kernel_spatial);
    strbuf_puts(out, "->");
    print_conv_dims(out, conv->output_batch, 'b', conv->output_feature, 'f', conv->output_spatial);
}

static void print_gather(StrBuf *out, const GatherDims *gather) {
    bool first = true;
    strbuf_puts(out, "#stablehlo.gather<");
    print_field(out, &first, "offset_dims", gather->offset_dims);
    print_field(out, &first, "collapsed_slice_dims", gather->collapsed_slice_dims);
    print_field(out, &first, "operand_batching_dims", gather->operand_batching_dims);
    print_field(out, &first, "start_indices_batching_dims", gather->start_indices_batching_dims);
    print_field(out, &first, "start_index_map", gather->start_index_map);
    print_index_field(out, &first, "index_vector_dim", gather->index_vector_dim);
    strbuf_putc(out, '>');
}

static void print_scatter(StrBuf *out, const ScatterDims *scatter) {
    bool first = true;
    strbuf_puts(out, "#stablehlo.scatter<");
    print_field(out, &first, "update_window_dims", scatter->update_window_dims);
    print_field(out, &first, "inserted_window_dims", scatter->inserted_window_dims);
    print_field(out, &first, "input_batching_dims", scatter->input_batching_dims);
    print_field(
        out, &first, "scatter_indices_batching_dims", scatter->scatter_indices_batching_dims);
    print_field(out, &first, "scatter_dims_to_operand_dims", scatter->scatter_dims_to_operand_dims);
    print_index_field(out, &first, "index_vector_dim", scatter->index_vector_dim);
    strbuf_putc(out, '>');
}

static void print_alias(StrBuf *out, const OperandAlias *alias) {
    strbuf_puts(out, "#stablehlo.output_operand_alias<output_tuple_indices = ");
    print_ints(out, alias->output_tuple_indices);
    strbuf_printf(
        out, ", operand_index = %lld, operand_tuple_indices = ", (long long)alias->operand_index);
    print_ints(out, alias->operand_tuple_indices);
    strbuf_putc(out, '>');
}

static void print_f64(StrBuf *out, double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    print_float_bits(out, ELEMENT_F64, bits);
}

static void print_accuracy(StrBuf *out, const ResultAccuracy *accuracy) {
    strbuf_puts(out, "#stablehlo.result_accuracy<");
    if (accuracy->mode == RESULT_ACCURACY_TOLERANCE) {
        const double tolerances[] = {accuracy->atol, accuracy->rtol};
        for (int i = 0; i < 2; i++) {
            if (tolerances[i] == 0) continue;
            strbuf_puts(out, i ? "rtol = " : "atol = ");
            print_f64(out, tolerances[i]);
            strbuf_puts(out, ", ");
        }
        if (accuracy->ulps != 0) strbuf_printf(out, "ulps = %lld, ", (long long)accuracy->ulps);
    }
    strbuf_printf(
        out, "mode = #stablehlo.result_accuracy_mode<%.*s>>",
        SV_ARG(enum_keyword(ENUM_RESULT_ACCURACY, accuracy->mode)));
}

static StrView precision_text(ElementType element, bool is_tf32) {
    return is_tf32 ? SV("tf32") : element_text(element);
}

static void print_algorithm(StrBuf *out, const DotAlgorithm *algorithm) {
    strbuf_puts(out, "#stablehlo.dot_algorithm<lhs_precision_type = ");
    strbuf_append(out, precision_text(algorithm->lhs_precision, algorithm->lhs_is_tf32));
    strbuf_puts(out, ", rhs_precision_type = ");
    strbuf_append(out, precision_text(algorithm->rhs_precision, algorithm->rhs_is_tf32));
    strbuf_puts(out, ", accumulation_type = ");
    strbuf_append(out, precision_text(algorithm->accumulation, algorithm->accumulation_is_tf32));
    strbuf_printf(
        out,
        ", lhs_component_count = %lld, rhs_component_count = %lld, num_primitive_operations = %lld"
        ", allow_imprecise_accumulation = %s>",
        (long long)algorithm->lhs_components, (long long)algorithm->rhs_components,
        (long long)algorithm->primitive_operations,
        algorithm->allow_imprecise_accumulation ? "true" : "false");
}

void print_enum(StrBuf *out, const Attr *attr) {
    bool is_mpi = attr->enum_kind == ENUM_MPI_REDUCTION || attr->enum_kind == ENUM_MPI_ERROR;
    strbuf_printf(
        out, is_mpi ? "#%.*s.%.*s<%.*s>" : "#%.*s<%.*s %.*s>",
        SV_ARG(enum_dialect(attr->enum_kind)),
        SV_ARG(enum_mnemonic(attr->enum_kind)),
        SV_ARG(enum_keyword(attr->enum_kind, (int)attr->integer)));
}

void print_sharding_list(StrBuf *out, const Attr *attr) {
    strbuf_putc(out, '[');
    for (int i = 0; i < attr->count; i++) {
        if (i) strbuf_puts(out, ", ");
        sharding_print_body(out, attr->shardings[i]);
    }
    strbuf_putc(out, ']');
}

void print_axes_per_dim(StrBuf *out, const Attr *attr) {
    strbuf_putc(out, '[');
    for (int i = 0; i < attr->count; i++) {
        if (i) strbuf_puts(out, ", ");
        axis_list_print(out, attr->axes_per_dim[i].axes, attr->axes_per_dim[i].count);
    }
    strbuf_putc(out, ']');
}

void print_all_to_all(StrBuf *out, const Attr *attr) {
    strbuf_putc(out, '[');
    for (int i = 0; i < attr->count; i++) {
        const AllToAllParam *param = &attr->all_to_all[i];
        if (i) strbuf_puts(out, ", ");
        axis_list_print(out, param->axes.axes, param->axes.count);
        strbuf_printf(out, ": %d->%d", param->source_dim, param->target_dim);
    }
    strbuf_putc(out, ']');
}

static void print_int(StrBuf *out, const Attr *attr, bool elide) {
    if (!attr->type) {
        strbuf_printf(out, "%lld", (long long)attr->integer);
        return;
    }
    ElementType element = attr->type->element;
    if (element == ELEMENT_I1) {
        strbuf_puts(out, attr->integer ? "true" : "false");
        return;
    }
    if (element == ELEMENT_UI64) {
        strbuf_printf(out, "%llu", (unsigned long long)attr->integer);
    } else {
        strbuf_printf(out, "%lld", (long long)attr->integer);
    }
    if (elide && element == ELEMENT_I64) return;
    strbuf_puts(out, " : ");
    type_print(out, attr->type);
}

static void print_float(StrBuf *out, const Attr *attr, bool elide) {
    ElementType element = attr->type ? attr->type->element : ELEMENT_F64;
    if (!element_is_float(element)) element = ELEMENT_F64;
    print_float_bits(out, element, float_encode(element_float_format(element), attr->number));
    if (elide && element == ELEMENT_F64) return;
    strbuf_printf(out, " : %.*s", SV_ARG(element_text(element)));
}

static void print_int_array(StrBuf *out, const Attr *attr) {
    bool is_bool = attr->type && attr->type->element == ELEMENT_I1;
    strbuf_puts(out, "array<");
    strbuf_append(out, attr->type ? element_text(attr->type->element) : SV("i64"));
    for (int i = 0; i < attr->count; i++) {
        strbuf_puts(out, i ? ", " : ": ");
        if (is_bool) {
            strbuf_puts(out, attr->ints[i] ? "true" : "false");
        } else {
            strbuf_printf(out, "%lld", (long long)attr->ints[i]);
        }
    }
    strbuf_putc(out, '>');
}

static void print_value(StrBuf *out, const Attr *attr, bool elide);

void print_dict(StrBuf *out, const Attr *attr) {
    strbuf_putc(out, '{');
    for (int i = 0; i < attr->count; i++) {
        if (i) strbuf_puts(out, ", ");
        if (is_word(attr->names[i])) {
            strbuf_append(out, attr->names[i]);
        } else {
            strbuf_putc(out, '"');
            strbuf_escaped(out, attr->names[i]);
            strbuf_putc(out, '"');
        }
        if (attr->items[i]->kind == ATTR_UNIT) continue;
        strbuf_puts(out, " = ");
        print_value(out, attr->items[i], false);
    }
    strbuf_putc(out, '}');
}

static void print_array(StrBuf *out, const Attr *attr) {
    strbuf_putc(out, '[');
    for (int i = 0; i < attr->count; i++) {
        if (i) strbuf_puts(out, ", ");
        print_value(out, attr->items[i], true);
    }
    strbuf_putc(out, ']');
}

static void print_sdy_list(StrBuf *out, const Attr *attr) {
    if (attr->kind == ATTR_SHARDINGS) {
        strbuf_puts(out, "#sdy.sharding_per_value<");
        print_sharding_list(out, attr);
    } else if (attr->kind == ATTR_AXES) {
        strbuf_puts(out, "#sdy<manual_axes");
        axis_list_print(out, attr->axes, attr->count);
    } else if (attr->kind == ATTR_AXES_PER_DIM) {
        strbuf_puts(out, "#sdy<list_of_axis_ref_lists");
        print_axes_per_dim(out, attr);
    } else {
        strbuf_puts(out, "#sdy<all_to_all_param_list");
        print_all_to_all(out, attr);
    }
    strbuf_putc(out, '>');
}

// elide: inside an array, where MLIR leaves out i64 and f64.
static void print_value(StrBuf *out, const Attr *attr, bool elide) {
    switch (attr->kind) {
    case ATTR_UNIT: strbuf_puts(out, "unit"); break;
    case ATTR_BOOL: strbuf_puts(out, attr->integer ? "true" : "false"); break;
    case ATTR_INT: print_int(out, attr, elide); break;
    case ATTR_FLOAT: print_float(out, attr, elide); break;
    case ATTR_STRING:
        strbuf_putc(out, '"');
        strbuf_escaped(out, attr->text);
        strbuf_putc(out, '"');
        break;
    case ATTR_SYMBOL: print_symbol(out, attr->text); break;
    case ATTR_TYPE: type_print(out, attr->type); break;
    case ATTR_ARRAY: print_array(out, attr); break;
    case ATTR_DICT: print_dict(out, attr); break;
    case ATTR_INTS: print_int_array(out, attr); break;
    case ATTR_ELEMENTS:
        print_elements(out, attr);
        strbuf_puts(out, " : ");
        type_print(out, attr->type);
        break;
    case ATTR_ENUM: print_enum(out, attr); break;
    case ATTR_DOT_DIMS: print_dot(out, "stablehlo.dot", attr->dot); break;
    case ATTR_RAGGED_DOT_DIMS: print_dot(out, "chlo.ragged_dot", attr->dot); break;
    case ATTR_CONV_DIMS:
        strbuf_puts(out, "#stablehlo.conv<");
        print_conv_dimension_numbers(out, attr->conv);
        strbuf_putc(out, '>');
        break;
    case ATTR_GATHER_DIMS: print_gather(out, attr->gather); break;
    case ATTR_SCATTER_DIMS: print_scatter(out, attr->scatter); break;
    case ATTR_CHANNEL:
        strbuf_printf(
            out, "#stablehlo.channel_handle<handle = %lld, type = %lld>",
            attr->ints ? (long long)attr->ints[0] : 0LL,
            attr->ints ? (long long)attr->ints[1] : 0LL);
        break;
    case ATTR_ALIAS: print_alias(out, attr->alias); break;
    case ATTR_ACCURACY: print_accuracy(out, attr->accuracy); break;
    case ATTR_DOT_ALGORITHM: print_algorithm(out, attr->dot_algorithm); break;
    case ATTR_MESH:
        strbuf_puts(out, "#sdy.mesh");
        mesh_print(out, attr->mesh);
        break;
    case ATTR_SHARDING: sharding_print(out, attr->sharding); break;
    case ATTR_SHARDINGS:
    case ATTR_AXES:
    case ATTR_AXES_PER_DIM:
    case ATTR_ALL_TO_ALL: print_sdy_list(out, attr); break;
    case ATTR_RULE: sharding_rule_print(out, attr->rule); break;
    case ATTR_EDGES: propagation_steps_print(out, attr->count, attr->steps); break;
    case ATTR_OPAQUE: strbuf_append(out, attr->text); break;
    }
}

void attr_print(StrBuf *out, const Attr *attr) { print_value(out, attr, false); }
