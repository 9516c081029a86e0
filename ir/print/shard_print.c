// shard_print: the own forms of the dialect shard.
#include "ir/print/print_internal.h"
#include "ir/print/shard_form.h"
#include "ir/print/symbol_print.h"

static void puts_out(Printer *printer, const char *text) { strbuf_puts(printer->out, text); }

static void print_axes(Printer *printer, const Attr *axes) {
    puts_out(printer, "[");
    for (int i = 0; i < axes->count; i++)
        strbuf_printf(printer->out, "%s%lld", i ? ", " : "", (long long)axes->ints[i]);
    puts_out(printer, "]");
}

static void print_axis_sets(Printer *printer, const Attr *sets) {
    puts_out(printer, "[");
    for (int i = 0; i < sets->count; i++) {
        if (i) puts_out(printer, ", ");
        print_axes(printer, sets->items[i]);
    }
    puts_out(printer, "]");
}

// [4, %n]: the operands for the numbers that are not known.
void print_indices(Printer *printer, const Op *op, const Attr *numbers, int *operand) {
    puts_out(printer, "[");
    for (int i = 0; i < numbers->count; i++) {
        if (i) puts_out(printer, ", ");
        if (numbers->ints[i] != DIM_DYNAMIC)
            strbuf_printf(printer->out, "%lld", (long long)numbers->ints[i]);
        else if (*operand < op->operand_count)
            print_value_name(printer, op_operand(op, (*operand)++));
        else
            puts_out(printer, "?");
    }
    puts_out(printer, "]");
}

static void print_word(Printer *printer, const ShardField *field) {
    strbuf_printf(printer->out, " %s = ", field->word);
}

static void print_field(Printer *printer, const Op *op, const OpAttr *item, int *operand) {
    ShardField field = shard_field(op->code, item);
    const Attr *attr = op_attr(op, item->name);
    if (!attr) return;
    switch (field.kind) {
    case SHARD_FIELD_NONE: return;
    case SHARD_FIELD_SYMBOL:
        puts_out(printer, shard_says_on(op->code) ? " on " : " ");
        print_symbol(printer->out, attr->text);
        if (op->code != OP_SHARD_NEIGHBORS) return;
        puts_out(printer, "[");
        print_operand_range(printer, op, 0, op->operand_count);
        puts_out(printer, "]");
        return;
    case SHARD_FIELD_AXES:
        if (attr->count == 0) return;
        print_word(printer, &field);
        print_axes(printer, attr);
        return;
    case SHARD_FIELD_AXIS_SETS:
        print_word(printer, &field);
        print_axis_sets(printer, attr);
        return;
    case SHARD_FIELD_REDUCTION:
        if (attr->integer == SHARD_REDUCTION_sum) return;
        print_word(printer, &field);
        strbuf_append(printer->out, enum_keyword(attr->enum_kind, (int)attr->integer));
        return;
    case SHARD_FIELD_INT:
        print_word(printer, &field);
        strbuf_printf(printer->out, "%lld", (long long)attr->integer);
        return;
    case SHARD_FIELD_UNIT: strbuf_printf(printer->out, " %s", field.word); return;
    case SHARD_FIELD_INDICES:
        if (attr->count == 0 && item->name != NAME_ROOT) return;
        print_word(printer, &field);
        print_indices(printer, op, attr, operand);
        return;
    }
}

// <@grid, [[0]], partial = sum[1]>
static void print_own_spec(Printer *printer, const Op *op) {
    puts_out(printer, "<");
    print_symbol(printer->out, op_text(op, NAME_GRID));
    const Attr *sets = op_attr(op, NAME_SPLIT_AXES);
    puts_out(printer, ", ");
    print_axis_sets(printer, sets);
    const Attr *axes = op_attr(op, NAME_PARTIAL_AXES), *kind = op_attr(op, NAME_PARTIAL_TYPE);
    if (axes && axes->count > 0) {
        StrView word = kind ? enum_keyword(kind->enum_kind, (int)kind->integer) : SV("sum");
        strbuf_printf(printer->out, ", partial = %.*s", SV_ARG(word));
        print_axes(printer, axes);
    }
    puts_out(printer, ">");
}

static void print_grid(Printer *printer, const Op *op) {
    puts_out(printer, " ");
    print_symbol(printer->out, op_text(op, NAME_SYM_NAME));
    puts_out(printer, "(shape = ");
    const Attr *shape = op_attr(op, NAME_SHAPE);
    for (int i = 0; i < shape->count; i++) {
        if (i) puts_out(printer, "x");
        if (shape->ints[i] == DIM_DYNAMIC)
            puts_out(printer, "?");
        else
            strbuf_printf(printer->out, "%lld", (long long)shape->ints[i]);
    }
    puts_out(printer, ")");
}

static void print_types(Printer *printer, const Op *op) {
    puts_out(printer, " : ");
    ShardTypes types = shard_types(op->code);
    if (types == SHARD_TYPES_FUNCTIONAL) {
        print_functional_type(printer, op);
        return;
    }
    if (types != SHARD_TYPES_RESULTS) type_print(printer->out, op_operand_type(op, 0));
    if (types == SHARD_TYPES_ARROW) puts_out(printer, " -> ");
    for (int i = 0; i < op->result_count && types != SHARD_TYPES_ONE; i++) {
        if (i) puts_out(printer, ", ");
        type_print(printer->out, op_result_type(op, i));
    }
}

static bool is_axes(const Attr *attr) { return attr->kind == ATTR_INTS; }

static bool field_fits(const Attr *attr, ShardFieldKind kind) {
    switch (kind) {
    case SHARD_FIELD_NONE: return true;
    case SHARD_FIELD_SYMBOL: return attr->kind == ATTR_SYMBOL;
    case SHARD_FIELD_AXES:
    case SHARD_FIELD_INDICES: return is_axes(attr);
    case SHARD_FIELD_AXIS_SETS:
        for (int i = 0; i < attr->count && attr->kind == ATTR_ARRAY; i++) {
            if (!is_axes(attr->items[i])) return false;
        }
        return attr->kind == ATTR_ARRAY;
    case SHARD_FIELD_REDUCTION:
        return attr->kind == ATTR_ENUM && attr->enum_kind == ENUM_SHARD_REDUCTION;
    case SHARD_FIELD_INT: return attr->kind == ATTR_INT;
    case SHARD_FIELD_UNIT: return attr->kind == ATTR_UNIT;
    }
    return false;
}

bool shard_attrs_fit(const Op *op) {
    for (const OpAttr *item = op_code_attrs(op->code); item->role; item++) {
        const Attr *attr = op_attr(op, item->name);
        if (!attr && !item->is_optional) return false;
        if (attr && !field_fits(attr, shard_field(op->code, item).kind)) return false;
    }
    return true;
}

bool fits_own_shard(const Op *op) {
    if (!shard_attrs_fit(op)) return false;
    if (op->code == OP_SHARD_GRID) {
        const Attr *shape = op_attr(op, NAME_SHAPE);
        return shape->kind == ATTR_INTS && shape->count > 0;
    }
    if (shard_has_main_operand(op->code) && op->operand_count == 0) return false;
    if (op->code == OP_SHARD_SHARD)
        return op->operand_count == (op_attr(op, NAME_SPLIT_AXES) ? 1 : 2) &&
               op->result_count == 1 && op_result_type(op, 0) == op_operand_type(op, 0);
    return true;
}

void print_own_shard(Printer *printer, const Op *op) {
    if (op->code == OP_SHARD_GRID) {
        print_grid(printer, op);
        const AttrName elided[] = {NAME_SYM_NAME, NAME_SHAPE};
        print_attr_dict(printer, op, elided, 2, "");
        return;
    }
    int operand = 0;
    if (shard_has_main_operand(op->code)) {
        puts_out(printer, " ");
        print_operand_range(printer, op, operand++, 1);
    }
    AttrName elided[16];
    int elided_count = 0;
    if (op->code == OP_SHARD_SHARD) {
        puts_out(printer, " to ");
        if (op->operand_count > 1)
            print_operand_range(printer, op, 1, 1);
        else
            print_own_spec(printer, op);
    }
    for (const OpAttr *item = op_code_attrs(op->code); item->role; item++) {
        elided[elided_count++] = item->name;
        if (op->code != OP_SHARD_SHARD || item->name == NAME_ANNOTATE_FOR_USERS)
            print_field(printer, op, item, &operand);
        if (op->code != OP_SHARD_SHARD_SHAPE || item->name != NAME_DIMS_STATIC) continue;
        puts_out(printer, " sharding = ");
        if (operand < op->operand_count) print_operand_range(printer, op, operand++, 1);
    }
    print_attr_dict(printer, op, elided, elided_count, "");
    print_types(printer, op);
}
