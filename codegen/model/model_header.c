// model_header: the C header of a model, and the names in it.
#include "base/map.h"
#include "codegen/model/entry.h"

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_keyword(StrView text) {
    static const char *const words[] = {
        "auto",     "bool",     "break",     "case",     "catch",    "char",      "class",
        "const",    "continue", "default",   "delete",   "do",       "double",    "else",
        "enum",     "extern",   "false",     "float",    "for",      "friend",    "goto",
        "if",       "inline",   "instance",  "int",      "long",     "namespace", "new",
        "operator", "private",  "protected", "public",   "register", "restrict",  "return",
        "short",    "signed",   "sizeof",    "static",   "struct",   "switch",    "template",
        "this",     "threads",  "throw",     "true",     "try",      "typedef",   "typename",
        "union",    "unsigned", "using",     "virtual",  "void",     "volatile",  "while",
        "int8_t",   "int16_t",  "int32_t",   "int64_t",  "uint8_t",  "uint16_t",  "uint32_t",
        "uint64_t", "and",      "or",        "not",      "xor",      "compl",     "bitand",
        "bitor",    "asm",      "catch",     "concept",  "export",   "friend",    "mutable",
        "noexcept", "nullptr",  "requires",  "explicit", "typeid",   "wchar_t",   "decltype",
        "alignas",  "alignof",  "constexpr", "linux",    "unix",     "NULL",      "main"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strview_is(text, words[i])) return true;
    }
    return false;
}

const char *entry_c_type(ElementType element) {
    switch (element_class(element)) {
    case CLASS_BOOL: return "uint8_t";
    case CLASS_SINT:
        return element_bytes(element) == 1   ? "int8_t"
               : element_bytes(element) == 2 ? "int16_t"
               : element_bytes(element) == 4 ? "int32_t"
                                             : "int64_t";
    case CLASS_UINT:
        return element_bytes(element) == 1   ? "uint8_t"
               : element_bytes(element) == 2 ? "uint16_t"
               : element_bytes(element) == 4 ? "uint32_t"
                                             : "uint64_t";
    case CLASS_FLOAT:
        if (element == ELEMENT_F32) return "float";
        if (element == ELEMENT_F64) return "double";
        return element_bytes(element) == 2 ? "uint16_t" : "uint8_t";        // the raw bits
    case CLASS_COMPLEX: return element == ELEMENT_C64 ? "float" : "double"; // pairs
    }
    return "uint8_t";
}

// A name as C has them: "params['w']" is params_w. Empty when nothing is left that could be one.
static StrView identifier(Arena *arena, const char *name) {
    enum { LIMIT = 100 };
    StrBuf text = strbuf(arena);
    bool gap = false;
    for (const char *c = name; *c; c++) {
        bool digit = *c >= '0' && *c <= '9';
        if (!is_letter(*c) && !digit) {
            gap = true;
            continue;
        }
        if (gap && text.size) strbuf_putc(&text, '_');
        if (digit && text.size == 0) strbuf_putc(&text, 'n');
        strbuf_putc(&text, *c);
        gap = false;
    }
    StrView all = strbuf_view(&text);
    bool is_reserved = all.size > 0 && (all.data[0] == '_' || is_keyword(all));
    return all.size > LIMIT || is_reserved ? (StrView){0} : all;
}

// The identifiers of all arrays, arguments first. One that an array before has, too, is
// replaced by the array's number.
static const char **identifiers(Entry *entry) {
    const DeviceProgram *program = entry->plan->program;
    Arena *arena = entry->arena;
    int count = program->arg_count + program->result_count;
    const char **names = ARENA_ARRAY(arena, const char *, count + 1);
    StrMap taken = str_map(arena);
    for (int i = 0; i < count; i++) {
        bool is_arg = i < program->arg_count;
        int number = is_arg ? i : i - program->arg_count;
        StrView name = identifier(
            arena, is_arg ? entry_argument_name(entry, number) : entry_result_name(entry, number));
        bool is_free = name.size > 0 && !strview_is(name, "instance") && !str_map_get(&taken, name);
        names[i] = is_free ? arena_cstring(arena, name)
                           : arena_printf(arena, is_arg ? "arg%d_" : "result%d_", number);
        str_map_set(&taken, strview(names[i]), entry);
    }
    return names;
}

// What the program calls an array, where C cannot say it so; a comment must not end in it.
static void put_own_name(StrBuf *out, const char *name, const char *own_name) {
    if (strcmp(name, own_name) == 0) return;
    strbuf_puts(out, ", ");
    for (const char *c = own_name; *c; c++) {
        if (c[0] == '/' || c[0] == '*')
            strbuf_putc(out, '.');
        else
            strbuf_putc(out, *c);
    }
}

static void put_array(
    StrBuf *out, const char *name, const char *own_name, const GlobalLayout *layout, bool is_result,
    bool first) {
    const Type *type = layout->global;
    bool is_tensor = type->kind == TYPE_TENSOR;
    strbuf_puts(out, first ? "\n    " : ",\n    ");
    strbuf_printf(
        out, "%s%s *%s /* ", is_result ? "" : "const ",
        is_tensor ? entry_c_type(type->element) : "void", name);
    strbuf_append(out, is_tensor ? element_text(type->element) : SV("a token: NULL will do"));
    for (int d = 0; is_tensor && d < type->rank; d++) {
        strbuf_printf(out, "%s[%lld]", d ? "" : " ", (long long)type->dims[d]);
    }
    if (layout->alias >= 0) {
        strbuf_printf(
            out, is_result ? ", may be the memory of input %d" : ", may be the memory of output %d",
            layout->alias);
    }
    put_own_name(out, name, own_name);
    strbuf_puts(out, " */");
}

static void put_arrays(Entry *entry, StrBuf *out, bool first) {
    const DeviceProgram *program = entry->plan->program;
    const char **names = identifiers(entry);
    for (int i = 0; i < program->arg_count; i++) {
        put_array(
            out, names[i], entry_argument_name(entry, i), &program->args[i], false,
            first && i == 0);
    }
    for (int i = 0; i < program->result_count; i++) {
        bool first_array = first && i == 0 && program->arg_count == 0;
        put_array(
            out, names[program->arg_count + i], entry_result_name(entry, i), &program->results[i],
            true, first_array);
    }
    if (first && program->arg_count + program->result_count == 0) strbuf_puts(out, "void");
}

static void put_rebind(Entry *entry, StrBuf *out) {
    const DeviceProgram *program = entry->plan->program;
    const bool *constant = constant_arguments_of(entry->arena, program->main);
    if (!constant) return;
    const char **names = identifiers(entry), *before = "";
    strbuf_puts(
        out, "/* These inputs hold the same numbers in every execution of an instance, until this "
             "is called:\n *");
    for (int i = 0; i < program->arg_count; i++) {
        if (!constant[i]) continue;
        strbuf_printf(out, "%s %s", before, names[i]);
        before = ",";
    }
    strbuf_printf(out, " */\nint %s_rebind(void *instance);\n\n", entry->name);
}

static void put_custom_calls(Entry *entry, StrBuf *out) {
    if (entry->custom_call_count == 0) return;
    strbuf_puts(
        out, "/* The model calls functions that the program which loads it must supply: see "
             "custom_calls of the model. "
             "Create the instance with the model's create and\n"
             " * its option custom (shardc/model.h), and execute that: instances without it fail "
             "when they come to a call.\n");
    for (int i = 0; i < entry->custom_call_count; i++) {
        strbuf_printf(
            out, " *   %d  %.*s\n", i,
            SV_ARG(op_text(entry->custom_calls[i], NAME_CALL_TARGET_NAME)));
    }
    strbuf_puts(out, " */\n\n");
}

StrView entry_header(Entry *entry) {
    StrBuf out = strbuf(entry->arena);
    const char *name = entry->name;
    strbuf_printf(
        &out,
        "/* The model %s, compiled by shardc. Arrays are whole (global), row-major; types that C "
        "lacks are raw bits;\n"
        " * complex numbers are pairs. Functions that return int return 0, or a status of "
        "shardc/model.h. */\n"
        "#ifndef SHARDC_MODEL_%s_H\n#define SHARDC_MODEL_%s_H\n\n#include <stdint.h>\n\n"
        "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n",
        name, name, name);
    put_custom_calls(entry, &out);
    strbuf_printf(&out, "/* Runs the model once, with all set-up. */\nint %s_run(", name);
    put_arrays(entry, &out, true);
    strbuf_puts(&out, ");\n\n");
    strbuf_printf(
        &out,
        "/* For many runs: create an instance (threads: 0 = one per core), execute it as often as "
        "you like, destroy it. */\n"
        "int %s_create(void **instance, int threads);\nint %s_execute(\n    void *instance",
        name, name);
    put_arrays(entry, &out, false);
    strbuf_printf(
        &out,
        ");\nconst char *%s_message(const void *instance); /* of the last error */\nvoid "
        "%s_destroy(void *instance);\n\n",
        name, name);
    put_rebind(entry, &out);
    strbuf_printf(
        &out,
        "/* Bytes that create takes. */\nint64_t %s_workspace_bytes(int threads);\n\n"
        "/* Everything about the model: see shardc/model.h. */\nstruct shardc_model;\n"
        "const struct shardc_model *shardc_model_entry(void);\n\n"
        "#ifdef __cplusplus\n}\n#endif\n#endif\n",
        name);
    return strbuf_view(&out);
}
