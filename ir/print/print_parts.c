// The parts of an op's text: names of values, types, attributes, places, regions.
#include "ir/print/attr_print.h"
#include "ir/print/print_internal.h"

enum { DICTS_LIMIT = 1 << 16 }; // bytes of dictionaries before they are given back

static void puts_out(Printer *printer, const char *text) { strbuf_puts(printer->out, text); }

void print_newline(Printer *printer) {
    strbuf_putc(printer->out, '\n');
    strbuf_indent(printer->out, printer->indent);
}

void print_value_name(Printer *printer, const Value *value) {
    const Op *def = value->def;
    bool is_numbered = def && def->result_count > 1 && !has_named_results(printer, def);
    const Value *named = is_numbered ? op_result(def, 0) : value;
    const char *name = ptr_map_get(&printer->names, named);
    strbuf_putc(printer->out, '%');
    puts_out(printer, name ? name : "<<UNKNOWN SSA VALUE>>");
    if (is_numbered) strbuf_printf(printer->out, "#%d", value->index);
}

void print_operand_range(Printer *printer, const Op *op, int first, int count) {
    for (int i = 0; i < count; i++) {
        if (i) puts_out(printer, ", ");
        print_value_name(printer, op_operand(op, first + i));
    }
}

void print_block_arg(Printer *printer, const Value *arg) {
    print_value_name(printer, arg);
    puts_out(printer, ": ");
    type_print(printer->out, arg->type);
}

void print_arith_flags(Printer *printer, const Attr *flags) {
    const char *open = memchr(flags->text.data, '<', flags->text.size);
    size_t before = open ? (size_t)(open - flags->text.data) : flags->text.size;
    strbuf_append(printer->out, (StrView){flags->text.data + before, flags->text.size - before});
}

void print_functional_type(Printer *printer, const Op *op) {
    puts_out(printer, "(");
    for (int i = 0; i < op->operand_count; i++) {
        if (i) puts_out(printer, ", ");
        type_print(printer->out, op_operand_type(op, i));
    }
    puts_out(printer, ") -> ");
    bool parens = op->result_count != 1 || op_result_type(op, 0)->kind == TYPE_FUNCTION;
    if (parens) puts_out(printer, "(");
    for (int i = 0; i < op->result_count; i++) {
        if (i) puts_out(printer, ", ");
        type_print(printer->out, op_result_type(op, i));
    }
    if (parens) puts_out(printer, ")");
}

void print_loc(Printer *printer, const Loc *loc) {
    if (!printer->options.locations || !loc) return;
    const LocTexts *texts = loc_texts(loc);
    bool has_file = texts->model_file.size > 0;
    bool has_name = texts->name.size > 0;
    StrBuf *out = printer->out;
    puts_out(printer, " loc(");
    if (has_name) {
        puts_out(printer, "\"");
        strbuf_escaped(out, texts->name);
        puts_out(printer, has_file ? "\"(" : "\"");
    }
    if (has_file) {
        puts_out(printer, "\"");
        strbuf_escaped(out, texts->model_file);
        strbuf_printf(
            out, "\":%d:%d%s", texts->model_line, texts->model_column, has_name ? ")" : "");
    }
    puts_out(printer, has_name || has_file ? ")" : "unknown)");
}

void print_op_dict(Printer *printer, const OpDict *dict) {
    const Attr attr = op_dict_attr(dict);
    print_dict(printer->out, &attr);
}

static bool is_in(AttrName name, const AttrName *names, int count) {
    for (int i = 0; i < count; i++) {
        if (names[i] == name) return true;
    }
    return false;
}

bool has_no_attrs(const Op *op) {
    if (op->attr_count > 0 || op->extra || op->own_sharding) return false;
    for (int i = 0; i < op->result_count; i++) {
        if (op_result(op, i)->sharding) return false;
    }
    return true;
}

void print_attr_dict(
    Printer *printer, const Op *op, const AttrName *elided, int elided_count, const char *keyword) {
    if (has_no_attrs(op)) return;
    Arena *arena = printer->dicts;
    OpDict dict = op_discardable_dict(arena, op);
    for (int i = 0; i < op->attr_count; i++) {
        AttrName name = op->attrs[i].name;
        if (name == NAME_SHARDING_RULE || is_in(name, elided, elided_count)) continue;
        op_dict_add(&dict, op_attr_text(op->code, name), op_shown_attr(arena, op, name));
    }
    if (dict.count == 0) return;
    puts_out(printer, keyword);
    strbuf_putc(printer->out, ' ');
    print_op_dict(printer, &dict);
}

void print_region(Printer *printer, const Region *region, bool block_label) {
    puts_out(printer, "{");
    bool label = block_label && (region->arg_count > 0 || !region->first);
    if (label && !(region->owner && region->owner->code == OP_FUNC && !region->first)) {
        print_newline(printer);
        puts_out(printer, "^bb0");
        for (int i = 0; i < region->arg_count; i++) {
            puts_out(printer, i ? ", " : "(");
            print_block_arg(printer, region->args[i]);
            print_loc(printer, region->args[i]->loc);
        }
        puts_out(printer, region->arg_count > 0 ? "):" : ":");
    }
    printer->indent += 2;
    for (const Op *op = region->first; op; op = op->next) {
        print_newline(printer);
        printer->print_op(printer, op);
        if (arena_bytes(printer->dicts) > DICTS_LIMIT) arena_reset(printer->dicts);
    }
    printer->indent -= 2;
    print_newline(printer);
    puts_out(printer, "}");
}
