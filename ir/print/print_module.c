// print: modules in MLIR's text form: the structure, the generic form of ops, functions.
#include "ir/print/attr_print.h"
#include "ir/print/print.h"
#include "ir/print/print_internal.h"

static void puts_out(Printer *printer, const char *text) { strbuf_puts(printer->out, text); }

// The dictionary of an argument or result with its sharding: " {a = 1, sdy.sharding = ..}".
static void print_value_dict(Printer *printer, const OpDict *dict) {
    if (dict->count == 0) return;
    strbuf_putc(printer->out, ' ');
    print_op_dict(printer, dict);
}

static void print_func_results(Printer *printer, const Op *func, const Type *type) {
    int count = type ? type->part_count - type->input_count : 0;
    if (count == 0) return;
    puts_out(printer, " -> ");
    const Type *const *types = type->parts + type->input_count;
    Arena *arena = printer->dicts;
    bool parens =
        count > 1 || types[0]->kind == TYPE_FUNCTION || func_result_dict(arena, func, 0).count > 0;
    if (parens) puts_out(printer, "(");
    for (int i = 0; i < count; i++) {
        OpDict dict = func_result_dict(arena, func, i);
        if (i) puts_out(printer, ", ");
        type_print(printer->out, types[i]);
        print_value_dict(printer, &dict);
    }
    if (parens) puts_out(printer, ")");
}

static void print_func(Printer *printer, const Op *func) {
    const Region *body = func_body(func);
    StrView visibility = op_text(func, NAME_SYM_VISIBILITY);
    strbuf_putc(printer->out, ' ');
    if (visibility.size > 0) {
        strbuf_append(printer->out, visibility);
        strbuf_putc(printer->out, ' ');
    }
    print_symbol(printer->out, func_name(func));
    puts_out(printer, "(");
    bool is_declaration = !body->first;
    for (int i = 0; i < body->arg_count; i++) {
        if (i) puts_out(printer, ", ");
        if (is_declaration)
            type_print(printer->out, body->args[i]->type);
        else
            print_block_arg(printer, body->args[i]);
        OpDict dict = func_arg_dict(printer->dicts, func, i);
        print_value_dict(printer, &dict);
        if (!is_declaration) print_loc(printer, body->args[i]->loc);
    }
    puts_out(printer, ")");
    const Attr *type = op_attr(func, NAME_FUNCTION_TYPE);
    print_func_results(printer, func, type ? type->type : NULL);
    const AttrName elided[] = {
        NAME_SYM_NAME, NAME_SYM_VISIBILITY, NAME_FUNCTION_TYPE, NAME_ARG_ATTRS, NAME_RES_ATTRS};
    print_attr_dict(printer, func, elided, 5, " attributes");
    if (is_declaration) return;
    strbuf_putc(printer->out, ' ');
    print_region(printer, body, false);
}

static void print_module_op(Printer *printer, const Op *op) {
    puts_out(printer, "module");
    StrView name = op_text(op, NAME_SYM_NAME);
    if (name.size > 0) {
        strbuf_putc(printer->out, ' ');
        print_symbol(printer->out, name);
    }
    const AttrName elided[] = {NAME_SYM_NAME};
    print_attr_dict(printer, op, elided, 1, " attributes");
    strbuf_putc(printer->out, ' ');
    print_region(printer, op->regions[0], false);
}

// The properties of a generic op: its inherent attributes.
static void print_properties(Printer *printer, const Op *op) {
    OpDict dict = op_inherent_dict(printer->dicts, op);
    if (dict.count == 0) return;
    puts_out(printer, " <");
    print_op_dict(printer, &dict);
    puts_out(printer, ">");
}

static void print_generic(Printer *printer, const Op *op) {
    puts_out(printer, "\"");
    strbuf_escaped(printer->out, op->name);
    puts_out(printer, "\"(");
    print_operand_range(printer, op, 0, op->operand_count);
    puts_out(printer, ")");
    if (op->code != OP_UNREGISTERED) print_properties(printer, op);
    for (int i = 0; i < op->region_count; i++) {
        puts_out(printer, i ? ", " : " (");
        print_region(printer, op->regions[i], true);
    }
    if (op->region_count > 0) puts_out(printer, ")");
    if (!has_no_attrs(op)) {
        OpDict dict = op_discardable_dict(printer->dicts, op);
        print_value_dict(printer, &dict);
    }
    puts_out(printer, " : ");
    print_functional_type(printer, op);
}

static void print_op_name(Printer *printer, const Op *op) {
    const Op *parent = op_parent_op(op);
    bool in_func = parent && parent->code == OP_FUNC; // func is the default dialect there
    bool is_short = in_func && op_dialect(op) == DIALECT_FUNC;
    strbuf_append(printer->out, is_short ? op_code_mnemonic(op->code) : op->name);
}

// %0 = , %0:2 = or %values, %indices =
static void print_results(Printer *printer, const Op *op) {
    if (op->result_count == 0) return;
    bool named = has_named_results(printer, op);
    for (int i = 0; i < (named ? op->result_count : 1); i++) {
        const char *name = ptr_map_get(&printer->names, op_result(op, i));
        strbuf_printf(printer->out, "%s%%%s", i ? ", " : "", name ? name : "?");
    }
    if (op->result_count > 1 && !named) strbuf_printf(printer->out, ":%d", op->result_count);
    puts_out(printer, " = ");
}

static void print_one_op(Printer *printer, const Op *op) {
    print_results(printer, op);
    if (printer->options.generic || !has_pretty_form(op)) {
        print_generic(printer, op);
    } else if (op->code == OP_MODULE) {
        print_module_op(printer, op);
    } else {
        print_op_name(printer, op);
        if (op->code == OP_FUNC)
            print_func(printer, op);
        else
            print_pretty(printer, op);
    }
    print_loc(printer, op->loc);
}

static Printer printer_create(StrBuf *out, const PrintOptions *options) {
    Printer printer = {
        .out = out,
        .names = ptr_map(arena_child(out->arena)),
        .dicts = arena_child(out->arena),
        .print_op = print_one_op};
    if (options) printer.options = *options;
    return printer;
}

static void printer_close(Printer *printer) {
    arena_reset(printer->names.arena);
    arena_reset(printer->dicts);
}

void print_module(StrBuf *out, const Module *module, const PrintOptions *options) {
    Printer printer = printer_create(out, options);
    name_values(&printer, module->op);
    print_one_op(&printer, module->op);
    strbuf_putc(out, '\n');
    printer_close(&printer);
}

void print_op(StrBuf *out, const Op *op, const PrintOptions *options) {
    Printer printer = printer_create(out, options);
    const Op *top = op;
    while (op_parent_op(top))
        top = op_parent_op(top);
    name_values(&printer, top);
    print_one_op(&printer, op);
    printer_close(&printer);
}

PtrMap print_value_names(Arena *arena, const Module *module) {
    StrBuf unused = strbuf(arena);
    Printer printer = {.out = &unused, .names = ptr_map(arena)};
    name_values(&printer, module->op);
    return printer.names;
}

bool print_value_name_of(StrBuf *out, const PtrMap *names, const Value *value) {
    Printer printer = {.out = out, .names = *names};
    const Op *def = value->def;
    bool is_first = !def || def->result_count == 1 || has_named_results(&printer, def);
    if (!ptr_map_has(names, is_first ? value : op_result(def, 0))) return false;
    print_value_name(&printer, value);
    return true;
}
