// print: modules in MLIR's text form: the structure, the generic form of ops, functions.
#include "ir/print.h"

#include "ir/attr_print.h"
#include "ir/print_internal.h"

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

// loc("name"("file":3:4))
static void print_loc(Printer *printer, const Loc *loc) {
    if (!printer->options.locations || !loc) return;
    bool has_file = loc->model_file.size > 0;
    bool has_name = loc->name.size > 0;
    StrBuf *out = printer->out;
    puts_out(printer, " loc(");
    if (has_name) {
        puts_out(printer, "\"");
        print_escaped(out, loc->name);
        puts_out(printer, has_file ? "\"(" : "\"");
    }
    if (has_file) {
        puts_out(printer, "\"");
        print_escaped(out, loc->model_file);
        strbuf_printf(out, "\":%d:%d%s", loc->model_line, loc->model_column, has_name ? ")" : "");
    }
    puts_out(printer, has_name || has_file ? ")" : "unknown)");
}

// Attributes of one op on their way to a dictionary, sorted by name.
typedef struct Entries {
    int count;
    StrView *names;
    const Attr **items;
    Attr shardings; // the op's sdy.sharding
} Entries;

static void add_entry(Entries *entries, StrView name, const Attr *value) {
    int place = entries->count++;
    while (place > 0 && strview_compare(entries->names[place - 1], name) > 0) {
        entries->names[place] = entries->names[place - 1];
        entries->items[place] = entries->items[place - 1];
        place--;
    }
    entries->names[place] = name;
    entries->items[place] = value;
}

// Fully open on the mesh of `like`, for a result without sharding beside one that has one.
static const Sharding *open_sharding(Arena *arena, const Sharding *like, const Type *type) {
    Sharding *sharding = ARENA_NEW(arena, Sharding);
    sharding->mesh_name = like->mesh_name;
    sharding->mesh = like->mesh;
    sharding->rank = type->kind == TYPE_TENSOR ? type->rank : 0;
    DimSharding *dims = ARENA_ARRAY(arena, DimSharding, sharding->rank);
    for (int d = 0; d < sharding->rank; d++)
        dims[d] = (DimSharding){.is_open = true, .priority = PRIORITY_NONE};
    sharding->dims = dims;
    return sharding;
}

// sdy.sharding of an op whose results have shardings (or of one without results that has its own).
static void add_shardings(Arena *arena, Entries *entries, const Op *op) {
    const Sharding *any = op->result_count == 0 ? op->own_sharding : NULL;
    for (int i = 0; i < op->result_count && !any; i++)
        any = op_result(op, i)->sharding;
    if (!any || op_own_sharding_text(op->code).size > 0) return;
    int count = op->result_count ? op->result_count : 1;
    const Sharding **shardings = ARENA_ARRAY(arena, const Sharding *, count);
    shardings[0] = any;
    for (int i = 0; i < op->result_count; i++) {
        const Sharding *own = op_result(op, i)->sharding;
        shardings[i] = own ? own : open_sharding(arena, any, op_result_type(op, i));
    }
    entries->shardings = (Attr){.kind = ATTR_SHARDINGS, .count = count, .shardings = shardings};
    add_entry(entries, SV("sdy.sharding"), &entries->shardings);
}

static void entries_init(Arena *arena, Entries *entries, const Op *op) {
    int64_t most = op->attr_count + 2 + (op->extra ? op->extra->count : 0);
    *entries = (Entries){0};
    entries->names = ARENA_ARRAY(arena, StrView, most);
    entries->items = ARENA_ARRAY(arena, const Attr *, most);
}

static void add_discardable(Arena *arena, Entries *entries, const Op *op) {
    for (int i = 0; op->extra && i < op->extra->count; i++) {
        add_entry(entries, op->extra->names[i], op->extra->items[i]);
    }
    const Attr *rule = op_attr(op, NAME_SHARDING_RULE);
    if (rule) add_entry(entries, attr_name_text(NAME_SHARDING_RULE), rule);
    add_shardings(arena, entries, op);
}

// An attribute as dictionaries show it: what the op's own syntax knows from its place says here which dialect's it is.
static const Attr *shown_attr(Arena *arena, const Op *op, AttrName name) {
    const Attr *attr = op_attr(op, name);
    StrBuf text = strbuf(arena);
    bool is_chlo = strview_starts_with(op->name, SV("chlo."));
    if (attr->kind == ATTR_AXES &&
        name == NAME_AXES) { // of a collective, not of a manual computation
        strbuf_puts(&text, "#sdy<axis_ref_list");
        axis_list_print(&text, attr->axes, attr->count);
        strbuf_putc(&text, '>');
    } else if (attr->kind == ATTR_ENUM && attr->enum_kind == ENUM_PROPAGATION) {
        strbuf_printf(&text, "%lld : i32", (long long)attr->integer);
    } else if (name == NAME_PRECISION_CONFIG && is_chlo && attr->kind == ATTR_ARRAY) {
        strbuf_putc(&text, '[');
        for (int i = 0; i < attr->count; i++) {
            StrView keyword = enum_keyword(ENUM_PRECISION, (int)attr->items[i]->integer);
            strbuf_printf(&text, "%s#chlo<precision %.*s>", i ? ", " : "", SV_ARG(keyword));
        }
        strbuf_putc(&text, ']');
    } else {
        return attr;
    }
    Attr *shown = ARENA_NEW(arena, Attr);
    shown->kind = ATTR_OPAQUE;
    shown->text = strbuf_view(&text);
    return shown;
}

static void print_entries(Printer *printer, const Entries *entries) {
    Attr dict = {
        .kind = ATTR_DICT,
        .count = entries->count,
        .names = entries->names,
        .items = entries->items};
    print_dict(printer->out, &dict);
}

static bool is_in(AttrName name, const AttrName *names, int count) {
    for (int i = 0; i < count; i++) {
        if (names[i] == name) return true;
    }
    return false;
}

static bool has_no_attrs(const Op *op) {
    if (op->attr_count > 0 || op->extra || op->own_sharding) return false;
    for (int i = 0; i < op->result_count; i++) {
        if (op_result(op, i)->sharding) return false;
    }
    return true;
}

void print_attr_dict(
    Printer *printer, const Op *op, const AttrName *elided, int elided_count, const char *keyword) {
    if (has_no_attrs(op)) return;
    Arena *arena = printer->out->arena;
    Entries entries;
    entries_init(arena, &entries, op);
    for (int i = 0; i < op->attr_count; i++) {
        AttrName name = op->attrs[i].name;
        if (name == NAME_SHARDING_RULE || is_in(name, elided, elided_count)) continue;
        add_entry(&entries, op_attr_text(op->code, name), shown_attr(arena, op, name));
    }
    add_discardable(arena, &entries, op);
    if (entries.count == 0) return;
    puts_out(printer, keyword);
    strbuf_putc(printer->out, ' ');
    print_entries(printer, &entries);
}

static void print_one_op(Printer *printer, const Op *op);

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
        print_one_op(printer, op);
    }
    printer->indent -= 2;
    print_newline(printer);
    puts_out(printer, "}");
}

// The dictionary of an argument or result with its sharding: " {a = 1, sdy.sharding = ..}".
static void print_value_dict(Printer *printer, const Attr *dict, const Sharding *sharding) {
    int count = dict ? dict->count : 0;
    if (count == 0 && !sharding) return;
    Arena *arena = printer->out->arena;
    Entries entries = {0};
    entries.names = ARENA_ARRAY(arena, StrView, count + 1);
    entries.items = ARENA_ARRAY(arena, const Attr *, count + 1);
    for (int i = 0; i < count; i++)
        add_entry(&entries, dict->names[i], dict->items[i]);
    Attr attr = {.kind = ATTR_SHARDING, .sharding = sharding};
    if (sharding) add_entry(&entries, SV("sdy.sharding"), &attr);
    strbuf_putc(printer->out, ' ');
    print_entries(printer, &entries);
}

static const Sharding *func_result_sharding(const Op *func, int i) {
    return func->result_shardings ? func->result_shardings[i] : NULL;
}

static bool has_dict(const Attr *dict, const Sharding *sharding) {
    return sharding || (dict && dict->count > 0);
}

static void print_func_results(Printer *printer, const Op *func, const Type *type) {
    int count = type ? type->part_count - type->input_count : 0;
    if (count == 0) return;
    puts_out(printer, " -> ");
    const Type *const *types = type->parts + type->input_count;
    bool parens = count > 1 || types[0]->kind == TYPE_FUNCTION ||
                  has_dict(func_result_attrs(func, 0), func_result_sharding(func, 0));
    if (parens) puts_out(printer, "(");
    for (int i = 0; i < count; i++) {
        if (i) puts_out(printer, ", ");
        type_print(printer->out, types[i]);
        print_value_dict(printer, func_result_attrs(func, i), func_result_sharding(func, i));
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
        print_value_dict(printer, func_arg_attrs(func, i), body->args[i]->sharding);
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

// An array of the dictionaries of a function's arguments or results, with their shardings; nothing when all are empty.
static bool func_dicts(Printer *printer, const Op *func, bool args, StrBuf *text) {
    const Attr *type = op_attr(func, NAME_FUNCTION_TYPE);
    const Region *body = func_body(func);
    int count = args   ? body->arg_count
                : type ? type->type->part_count - type->type->input_count
                       : 0;
    StrBuf *out = printer->out;
    bool any = false;
    strbuf_puts(text, "[");
    printer->out = text;
    for (int i = 0; i < count; i++) {
        const Attr *dict = args ? func_arg_attrs(func, i) : func_result_attrs(func, i);
        const Sharding *sharding = args ? body->args[i]->sharding : func_result_sharding(func, i);
        if (i) strbuf_puts(text, ",");
        if (has_dict(dict, sharding)) {
            if (i == 0) text->size--; // the dictionary brings a blank
            print_value_dict(printer, dict, sharding);
            if (i == 0) text->data[0] = '[';
            any = true;
        } else {
            strbuf_puts(text, i ? " {}" : "{}");
        }
    }
    strbuf_puts(text, "]");
    printer->out = out;
    return any;
}

// The properties of a generic op: its inherent attributes. Functions have their arguments' and results' dictionaries among them.
static void print_properties(Printer *printer, const Op *op) {
    Arena *arena = printer->out->arena;
    Entries entries;
    entries_init(arena, &entries, op);
    if (op->code == OP_FUNC) {
        entries.names = ARENA_ARRAY(arena, StrView, op->attr_count + 4);
        entries.items = ARENA_ARRAY(arena, const Attr *, op->attr_count + 4);
    }
    for (int i = 0; i < op->attr_count; i++) {
        AttrName name = op->attrs[i].name;
        bool is_dicts = op->code == OP_FUNC && (name == NAME_ARG_ATTRS || name == NAME_RES_ATTRS);
        if (name != NAME_SHARDING_RULE && !is_dicts)
            add_entry(&entries, op_attr_text(op->code, name), shown_attr(arena, op, name));
    }
    Attr own = {.kind = ATTR_SHARDING};
    StrView own_text = op_own_sharding_text(op->code);
    if (own_text.size > 0 && op_result(op, 0)->sharding) {
        own.sharding = op_result(op, 0)->sharding;
        add_entry(&entries, own_text, &own);
    }
    Attr dicts[2] = {{.kind = ATTR_OPAQUE}, {.kind = ATTR_OPAQUE}};
    for (int i = 0; i < 2 && op->code == OP_FUNC; i++) {
        StrBuf text = strbuf(arena);
        if (!func_dicts(printer, op, i == 0, &text)) continue;
        dicts[i].text = strbuf_view(&text);
        add_entry(&entries, i == 0 ? SV("arg_attrs") : SV("res_attrs"), &dicts[i]);
    }
    if (entries.count == 0) return;
    puts_out(printer, " <");
    print_entries(printer, &entries);
    puts_out(printer, ">");
}

static void print_generic(Printer *printer, const Op *op) {
    puts_out(printer, "\"");
    print_escaped(printer->out, op->name);
    puts_out(printer, "\"(");
    print_operand_range(printer, op, 0, op->operand_count);
    puts_out(printer, ")");
    if (op->code != OP_UNREGISTERED) print_properties(printer, op);
    for (int i = 0; i < op->region_count; i++) {
        puts_out(printer, i ? ", " : " (");
        print_region(printer, op->regions[i], true);
    }
    if (op->region_count > 0) puts_out(printer, ")");
    Arena *arena = printer->out->arena;
    if (!has_no_attrs(op)) {
        Entries entries;
        entries_init(arena, &entries, op);
        add_discardable(arena, &entries, op);
        if (entries.count > 0) {
            strbuf_putc(printer->out, ' ');
            print_entries(printer, &entries);
        }
    }
    puts_out(printer, " : ");
    print_functional_type(printer, op);
}

static void print_op_name(Printer *printer, const Op *op) {
    const Op *parent = op_parent_op(op);
    bool in_func = parent && parent->code == OP_FUNC; // func is the default dialect there
    StrView name = op->name;
    if (in_func && strview_starts_with(name, SV("func.")))
        name = (StrView){name.data + 5, name.size - 5};
    strbuf_append(printer->out, name);
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
    Printer printer = {.out = out, .names = ptr_map(out->arena)};
    if (options) printer.options = *options;
    return printer;
}

void print_module(StrBuf *out, const Module *module, const PrintOptions *options) {
    Printer printer = printer_create(out, options);
    name_values(&printer, module->op);
    print_one_op(&printer, module->op);
    strbuf_putc(out, '\n');
}

void print_op(StrBuf *out, const Op *op, const PrintOptions *options) {
    Printer printer = printer_create(out, options);
    const Op *top = op;
    while (op_parent_op(top))
        top = op_parent_op(top);
    name_values(&printer, top);
    print_one_op(&printer, op);
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
