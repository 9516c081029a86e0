// source_print: the own forms of arith, tensor, scf, affine, linalg and mpi.
#include "ir/print/print_internal.h"
#include "ir/print/symbol_print.h"

static void puts_out(Printer *printer, const char *text) { strbuf_puts(printer->out, text); }

static void print_operand(Printer *printer, const Op *op, int i) {
    print_operand_range(printer, op, i, 1);
}

static void print_operand_type(Printer *printer, const Op *op, int i) {
    type_print(printer->out, op_operand_type(op, i));
}

static bool is_ints(const Op *op, AttrName name) {
    const Attr *attr = op_attr(op, name);
    return attr && attr->kind == ATTR_INTS;
}

// --- arith ---

bool fits_own_arith_constant(const Op *op) {
    const Attr *value = op_attr(op, NAME_VALUE);
    if (!value || op->result_count != 1) return false;
    const Type *type = op_result_type(op, 0);
    if (value->kind == ATTR_BOOL) return type->kind == TYPE_ELEMENT && type->element == ELEMENT_I1;
    return value->type == type;
}

void print_own_arith_constant(Printer *printer, const Op *op) {
    const AttrName elided[] = {NAME_VALUE};
    print_attr_dict(printer, op, elided, 1, "");
    puts_out(printer, " ");
    attr_print(printer->out, op_attr(op, NAME_VALUE));
}

bool fits_own_arith_compare(const Op *op) {
    const Attr *predicate = op_attr(op, NAME_PREDICATE);
    return predicate && predicate->kind == ATTR_ENUM && op->operand_count == 2 &&
           op_operand_type(op, 0) == op_operand_type(op, 1);
}

void print_own_arith_compare(Printer *printer, const Op *op) {
    const Attr *predicate = op_attr(op, NAME_PREDICATE);
    StrView word = enum_keyword(predicate->enum_kind, (int)predicate->integer);
    strbuf_printf(printer->out, " %.*s, ", SV_ARG(word));
    print_operand_range(printer, op, 0, 2);
    const Attr *flags = op_attr(op, NAME_FASTMATH);
    if (flags) puts_out(printer, " fastmath");
    if (flags) print_arith_flags(printer, flags);
    const AttrName elided[] = {NAME_PREDICATE, NAME_FASTMATH};
    print_attr_dict(printer, op, elided, 2, "");
    puts_out(printer, " : ");
    print_operand_type(printer, op, 0);
}

bool fits_own_arith_select(const Op *op) {
    return op->operand_count == 3 && op->result_count == 1 &&
           op_operand_type(op, 1) == op_result_type(op, 0) &&
           op_operand_type(op, 2) == op_result_type(op, 0);
}

void print_own_arith_select(Printer *printer, const Op *op) {
    puts_out(printer, " ");
    print_operand_range(printer, op, 0, 3);
    print_attr_dict(printer, op, NULL, 0, "");
    puts_out(printer, " : ");
    if (op_operand_type(op, 0)->kind == TYPE_TENSOR) {
        print_operand_type(printer, op, 0);
        puts_out(printer, ", ");
    }
    type_print(printer->out, op_result_type(op, 0));
}

// --- tensor ---

static bool is_groups(const Attr *groups) {
    if (!groups || groups->kind != ATTR_ARRAY) return false;
    for (int i = 0; i < groups->count; i++) {
        const Attr *group = groups->items[i];
        if (group->kind != ATTR_ARRAY) return false;
        for (int d = 0; d < group->count; d++) {
            if (group->items[d]->kind != ATTR_INT) return false;
        }
    }
    return true;
}

bool fits_own_tensor_generate(const Op *op) { return op->result_count == 1; }

static bool has_operand_and_result(const Op *op) {
    return op->result_count == 1 && op->operand_count > 0;
}

bool fits_own_tensor_dim(const Op *op) { return has_operand_and_result(op); }
bool fits_own_tensor_extract(const Op *op) { return has_operand_and_result(op); }
bool fits_own_tensor_reshape(const Op *op) { return has_operand_and_result(op); }

bool fits_own_tensor_extract_slice(const Op *op) {
    return has_operand_and_result(op) && is_ints(op, NAME_STATIC_OFFSETS) &&
           is_ints(op, NAME_STATIC_SIZES) && is_ints(op, NAME_STATIC_STRIDES);
}

bool fits_own_tensor_insert_slice(const Op *op) {
    return fits_own_tensor_extract_slice(op) && op->operand_count > 1;
}

bool fits_own_tensor_pad(const Op *op) {
    return has_operand_and_result(op) && is_ints(op, NAME_STATIC_LOW) &&
           is_ints(op, NAME_STATIC_HIGH);
}

bool fits_own_tensor_regroup(const Op *op) {
    return has_operand_and_result(op) && is_groups(op_attr(op, NAME_REASSOCIATION)) &&
           (!op_attr(op, NAME_STATIC_OUTPUT_SHAPE) || is_ints(op, NAME_STATIC_OUTPUT_SHAPE));
}

static void print_groups(Printer *printer, const Attr *groups) {
    puts_out(printer, " [");
    for (int i = 0; i < groups->count; i++) {
        puts_out(printer, i ? ", [" : "[");
        for (int d = 0; d < groups->items[i]->count; d++)
            strbuf_printf(
                printer->out, "%s%lld", d ? ", " : "",
                (long long)groups->items[i]->items[d]->integer);
        puts_out(printer, "]");
    }
    puts_out(printer, "]");
}

static void print_ranges(Printer *printer, const Op *op, int operand) {
    print_indices(printer, op, op_attr(op, NAME_STATIC_OFFSETS), &operand);
    puts_out(printer, " ");
    print_indices(printer, op, op_attr(op, NAME_STATIC_SIZES), &operand);
    puts_out(printer, " ");
    print_indices(printer, op, op_attr(op, NAME_STATIC_STRIDES), &operand);
}

static void print_inherent_aside(Printer *printer, const Op *op) {
    AttrName elided[16];
    int count = 0;
    for (const OpAttr *item = op_code_attrs(op->code); item->role; item++)
        elided[count++] = item->name;
    print_attr_dict(printer, op, elided, count, "");
}

static void print_two_types(Printer *printer, const Op *op, const char *word) {
    print_inherent_aside(printer, op);
    puts_out(printer, " : ");
    print_operand_type(printer, op, 0);
    puts_out(printer, word);
    type_print(printer->out, op_result_type(op, 0));
}

void print_own_tensor_pad(Printer *printer, const Op *op) {
    int operand = 1;
    puts_out(printer, " ");
    print_operand(printer, op, 0);
    puts_out(printer, op_attr(op, NAME_NOFOLD) ? " nofold low" : " low");
    print_indices(printer, op, op_attr(op, NAME_STATIC_LOW), &operand);
    puts_out(printer, " high");
    print_indices(printer, op, op_attr(op, NAME_STATIC_HIGH), &operand);
    puts_out(printer, " ");
    print_region(printer, op->regions[0], true);
    print_two_types(printer, op, " to ");
}

void print_own_tensor_generate(Printer *printer, const Op *op) {
    puts_out(printer, " ");
    print_operand_range(printer, op, 0, op->operand_count);
    if (op->operand_count > 0) puts_out(printer, " ");
    print_region(printer, op->regions[0], true);
    print_attr_dict(printer, op, NULL, 0, "");
    puts_out(printer, " : ");
    type_print(printer->out, op_result_type(op, 0));
}

void print_own_tensor_regroup(Printer *printer, const Op *op) {
    puts_out(printer, " ");
    print_operand(printer, op, 0);
    print_groups(printer, op_attr(op, NAME_REASSOCIATION));
    const Attr *shape = op_attr(op, NAME_STATIC_OUTPUT_SHAPE);
    if (shape) {
        int operand = 1;
        puts_out(printer, " output_shape ");
        print_indices(printer, op, shape, &operand);
    }
    print_two_types(printer, op, " into ");
}

void print_own_tensor_dim(Printer *printer, const Op *op) {
    puts_out(printer, " ");
    print_operand(printer, op, 0);
    puts_out(printer, ", ");
    print_operand(printer, op, 1);
    print_attr_dict(printer, op, NULL, 0, "");
    puts_out(printer, " : ");
    print_operand_type(printer, op, 0);
}

void print_own_tensor_extract(Printer *printer, const Op *op) {
    puts_out(printer, " ");
    print_operand(printer, op, 0);
    puts_out(printer, "[");
    print_operand_range(printer, op, 1, op->operand_count - 1);
    puts_out(printer, "]");
    print_attr_dict(printer, op, NULL, 0, "");
    puts_out(printer, " : ");
    print_operand_type(printer, op, 0);
}

void print_own_tensor_extract_slice(Printer *printer, const Op *op) {
    puts_out(printer, " ");
    print_operand(printer, op, 0);
    print_ranges(printer, op, 1);
    print_two_types(printer, op, " to ");
}

void print_own_tensor_insert_slice(Printer *printer, const Op *op) {
    puts_out(printer, " ");
    print_operand(printer, op, 0);
    puts_out(printer, " into ");
    print_operand(printer, op, 1);
    print_ranges(printer, op, 2);
    print_two_types(printer, op, " into ");
}

void print_own_tensor_reshape(Printer *printer, const Op *op) {
    puts_out(printer, " ");
    print_operand(printer, op, 0);
    puts_out(printer, "(");
    print_operand(printer, op, 1);
    puts_out(printer, ")");
    print_attr_dict(printer, op, NULL, 0, "");
    puts_out(printer, " : ");
    print_functional_type(printer, op);
}

// --- scf ---

bool fits_own_scf_if(const Op *op) { return op->operand_count > 0; }
bool fits_own_scf_condition(const Op *op) { return op->operand_count > 0; }

bool fits_own_scf_while(const Op *op) { return op->regions[0]->arg_count == op->operand_count; }

bool fits_own_scf_for(const Op *op) {
    return op->operand_count >= 3 && op->result_count == op->operand_count - 3 &&
           op->regions[0]->arg_count == op->operand_count - 2;
}

static void print_result_types(Printer *printer, const Op *op) {
    if (op->result_count == 0) return;
    puts_out(printer, " -> (");
    for (int i = 0; i < op->result_count; i++) {
        if (i) puts_out(printer, ", ");
        type_print(printer->out, op_result_type(op, i));
    }
    puts_out(printer, ")");
}

// (%a = %x, ...): of a region's arguments from `arg` on, and the operands from `operand` on
static void print_bindings(Printer *printer, const Op *op, int arg, int operand) {
    puts_out(printer, "(");
    for (int i = operand; i < op->operand_count; i++) {
        if (i > operand) puts_out(printer, ", ");
        print_value_name(printer, op->regions[0]->args[arg + i - operand]);
        puts_out(printer, " = ");
        print_operand(printer, op, i);
    }
    puts_out(printer, ")");
}

void print_own_scf_if(Printer *printer, const Op *op) {
    puts_out(printer, " ");
    print_operand(printer, op, 0);
    print_result_types(printer, op);
    puts_out(printer, " ");
    print_region(printer, op->regions[0], false);
    const Op *end = op->regions[1]->first;
    bool is_empty = op->result_count == 0 && (!end || !end->next);
    if (!is_empty) {
        puts_out(printer, " else ");
        print_region(printer, op->regions[1], false);
    }
    print_attr_dict(printer, op, NULL, 0, "");
}

void print_own_scf_for(Printer *printer, const Op *op) {
    puts_out(printer, " ");
    print_value_name(printer, op->regions[0]->args[0]);
    puts_out(printer, " = ");
    print_operand(printer, op, 0);
    puts_out(printer, " to ");
    print_operand(printer, op, 1);
    puts_out(printer, " step ");
    print_operand(printer, op, 2);
    if (op->operand_count > 3) {
        puts_out(printer, " iter_args");
        print_bindings(printer, op, 1, 3);
        print_result_types(printer, op);
    }
    const Type *type = op_operand_type(op, 0);
    if (type->element != ELEMENT_INDEX) {
        puts_out(printer, " : ");
        type_print(printer->out, type);
    }
    puts_out(printer, " ");
    print_region(printer, op->regions[0], false);
    print_attr_dict(printer, op, NULL, 0, "");
}

void print_own_scf_while(Printer *printer, const Op *op) {
    puts_out(printer, " ");
    print_bindings(printer, op, 0, 0);
    puts_out(printer, " : ");
    print_functional_type(printer, op);
    puts_out(printer, " ");
    print_region(printer, op->regions[0], false);
    puts_out(printer, " do ");
    print_region(printer, op->regions[1], true);
}

void print_own_scf_condition(Printer *printer, const Op *op) {
    puts_out(printer, "(");
    print_operand(printer, op, 0);
    puts_out(printer, ")");
    if (op->operand_count == 1) return;
    puts_out(printer, " ");
    print_operand_range(printer, op, 1, op->operand_count - 1);
    puts_out(printer, " : ");
    for (int i = 1; i < op->operand_count; i++) {
        if (i > 1) puts_out(printer, ", ");
        print_operand_type(printer, op, i);
    }
}

// --- affine ---

bool fits_own_affine_delinearize(const Op *op) {
    return is_ints(op, NAME_STATIC_BASIS) && op->operand_count > 0;
}

bool fits_own_affine_apply(const Op *op) {
    const Attr *map = op_attr(op, NAME_MAP);
    return map && map->kind == ATTR_OPAQUE;
}

// How many dimensions stand in front of the symbols: the commas of the first ( ).
static int map_dims(StrView text, int operands) {
    const char *open = memchr(text.data, '(', text.size);
    const char *close = open ? memchr(open, ')', text.size - (size_t)(open - text.data)) : NULL;
    if (!close || close == open + 1) return 0;
    int count = 1;
    for (const char *p = open; p < close; p++)
        count += *p == ',';
    return count < operands ? count : operands;
}

void print_own_affine_delinearize(Printer *printer, const Op *op) {
    puts_out(printer, " ");
    print_operand(printer, op, 0);
    puts_out(printer, " into (");
    const Attr *basis = op_attr(op, NAME_STATIC_BASIS);
    int operand = 1;
    for (int i = 0; i < basis->count; i++) {
        if (i) puts_out(printer, ", ");
        if (basis->ints[i] != DIM_DYNAMIC)
            strbuf_printf(printer->out, "%lld", (long long)basis->ints[i]);
        else if (operand < op->operand_count)
            print_operand(printer, op, operand++);
    }
    puts_out(printer, ") : ");
    for (int i = 0; i < op->result_count; i++) {
        if (i) puts_out(printer, ", ");
        type_print(printer->out, op_result_type(op, i));
    }
}

void print_own_affine_apply(Printer *printer, const Op *op) {
    puts_out(printer, " ");
    const Attr *map = op_attr(op, NAME_MAP);
    attr_print(printer->out, map);
    int dims = map_dims(map->text, op->operand_count);
    puts_out(printer, "(");
    print_operand_range(printer, op, 0, dims);
    puts_out(printer, ")");
    if (op->operand_count == dims) return;
    puts_out(printer, "[");
    print_operand_range(printer, op, dims, op->operand_count - dims);
    puts_out(printer, "]");
}

// --- linalg ---

bool fits_own_linalg(const Op *op) {
    IntSpan segments = op_ints(op, NAME_OPERAND_SEGMENT_SIZES);
    if (segments.count != 2 || segments.data[0] < 0 || segments.data[1] < 1 ||
        segments.data[0] + segments.data[1] != op->operand_count)
        return false;
    if (op_attr(op, NAME_DIMENSIONS) && !is_ints(op, NAME_DIMENSIONS)) return false;
    return !op_attr(op, NAME_PERMUTATION) || is_ints(op, NAME_PERMUTATION);
}

static void print_values(Printer *printer, const Op *op, const char *word, int first, int count) {
    if (count == 0) return;
    strbuf_printf(printer->out, " %s(", word);
    print_operand_range(printer, op, first, count);
    puts_out(printer, " : ");
    for (int i = 0; i < count; i++) {
        if (i) puts_out(printer, ", ");
        print_operand_type(printer, op, first + i);
    }
    puts_out(printer, ")");
}

static void print_list(Printer *printer, const Op *op, AttrName name) {
    const Attr *list = op_attr(op, name);
    if (!list) return;
    StrView word = attr_name_text(name);
    int operand = op->operand_count;
    strbuf_printf(printer->out, " %.*s = ", SV_ARG(word));
    print_indices(printer, op, list, &operand);
}

static void print_linalg_body(Printer *printer, const Op *op) {
    const Region *body = op->regions[0];
    puts_out(printer, " ");
    if (op->code == OP_LINALG_GENERIC) {
        print_region(printer, body, true);
        return;
    }
    puts_out(printer, "(");
    for (int i = 0; i < body->arg_count; i++) {
        if (i) puts_out(printer, ", ");
        print_block_arg(printer, body->args[i]);
    }
    puts_out(printer, ") ");
    print_region(printer, body, false);
}

void print_own_linalg(Printer *printer, const Op *op) {
    IntSpan segments = op_ints(op, NAME_OPERAND_SEGMENT_SIZES);
    int ins = (int)segments.data[0], outs = (int)segments.data[1];
    bool has_short_end = op->code == OP_LINALG_MAP || op->code == OP_LINALG_REDUCE ||
                         op->code == OP_LINALG_TRANSPOSE || op->code == OP_LINALG_BROADCAST;
    AttrName elided[4] = {NAME_OPERAND_SEGMENT_SIZES, NAME_DIMENSIONS, NAME_PERMUTATION};
    int elided_count = 3;
    if (op->code != OP_LINALG_GENERIC && op_attr(op, NAME_INDEXING_MAPS)) {
        puts_out(printer, " indexing_maps = ");
        attr_print(printer->out, op_attr(op, NAME_INDEXING_MAPS));
        elided[elided_count++] = NAME_INDEXING_MAPS;
    }
    if (!has_short_end) print_attr_dict(printer, op, elided, elided_count, "");
    print_values(printer, op, "ins", 0, ins);
    print_values(printer, op, "outs", ins, outs);
    print_list(printer, op, NAME_DIMENSIONS);
    print_list(printer, op, NAME_PERMUTATION);
    if (has_short_end) print_attr_dict(printer, op, elided, elided_count, " attrs =");
    if (op->region_count == 1) print_linalg_body(printer, op);
    if (has_short_end || op->result_count == 0) return;
    puts_out(printer, " -> ");
    if (op->result_count > 1) puts_out(printer, "(");
    for (int i = 0; i < op->result_count; i++) {
        if (i) puts_out(printer, ", ");
        type_print(printer->out, op_result_type(op, i));
    }
    if (op->result_count > 1) puts_out(printer, ")");
}

// --- mpi ---

bool mpi_types_are_results(OpCode code) {
    switch (code) { // NOLINT(hicpp-multiway-paths-covered): of one dialect
    case OP_MPI_INIT:
    case OP_MPI_FINALIZE:
    case OP_MPI_COMM_WORLD:
    case OP_MPI_COMM_RANK:
    case OP_MPI_COMM_SIZE:
    case OP_MPI_COMM_SPLIT:
    case OP_MPI_BARRIER:
    case OP_MPI_RETVAL_CHECK:
    case OP_MPI_ERROR_CLASS: return true;
    default: return false;
    }
}

// A reduction stands behind two buffers.
bool fits_own_mpi(const Op *op) {
    const Attr *reduction = op_attr(op, NAME_MPI_OP), *error = op_attr(op, NAME_ERRCLASS);
    for (const OpAttr *item = op_code_attrs(op->code); item->role; item++) {
        const Attr *attr = op_attr(op, item->name);
        if (!attr || attr->kind != ATTR_ENUM) return false;
    }
    if (reduction && op->operand_count < 2) return false;
    return op->operand_count > 0 || (!error && op->code != OP_MPI_ERROR_CLASS);
}

static void print_mpi_arguments(Printer *printer, const Op *op) {
    const Attr *reduction = op_attr(op, NAME_MPI_OP);
    if (op->operand_count == 0) return;
    puts_out(printer, "(");
    for (int i = 0; i < op->operand_count; i++) {
        if (i) puts_out(printer, ", ");
        print_operand(printer, op, i);
        if (!reduction || i != 1) continue;
        puts_out(printer, ", ");
        strbuf_append(printer->out, enum_keyword(reduction->enum_kind, (int)reduction->integer));
    }
    puts_out(printer, ")");
}

static void print_mpi_types(Printer *printer, const Op *op) {
    bool has_operands = !mpi_types_are_results(op->code) && op->operand_count > 0;
    bool is_first = true;
    for (int i = 0; i < op->operand_count && has_operands; i++) {
        const Type *type = op_operand_type(op, i);
        if (type->kind == TYPE_OPAQUE && strview_is(type->encoding, "!mpi.comm")) break;
        puts_out(printer, i ? ", " : " : ");
        type_print(printer->out, type);
    }
    for (int i = 0; i < op->result_count; i++) {
        puts_out(printer, !is_first ? ", " : has_operands ? " -> " : " : ");
        type_print(printer->out, op_result_type(op, i));
        is_first = false;
    }
}

void print_own_mpi(Printer *printer, const Op *op) {
    const Attr *error = op_attr(op, NAME_ERRCLASS);
    if (error || op->code == OP_MPI_ERROR_CLASS) {
        puts_out(printer, " ");
        print_operand(printer, op, 0);
    } else {
        print_mpi_arguments(printer, op);
    }
    if (error) {
        StrView word = enum_keyword(error->enum_kind, (int)error->integer);
        strbuf_printf(printer->out, " = <%.*s>", SV_ARG(word));
    }
    const AttrName elided[] = {NAME_MPI_OP, NAME_ERRCLASS};
    print_attr_dict(printer, op, elided, 2, "");
    print_mpi_types(printer, op);
}
