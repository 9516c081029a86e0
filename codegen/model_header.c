// model_header: the C header of a model, and the names in it.
#include "codegen/emit_entry.h"

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// Letters, digits and underscores; no digit first; short.
static bool is_identifier(StrView text) {
    if (text.size == 0 || text.size > 40 || !is_letter(text.data[0])) return false;
    for (size_t i = 0; i < text.size; i++) {
        if (!is_letter(text.data[i]) && !(text.data[i] >= '0' && text.data[i] <= '9')) return false;
    }
    return true;
}

static bool is_keyword(StrView text) {
    static const char *const words[] = {
        "auto",     "bool",     "break",     "case",    "catch",    "char",      "class",
        "const",    "continue", "default",   "delete",  "do",       "double",    "else",
        "enum",     "extern",   "false",     "float",   "for",      "friend",    "goto",
        "if",       "inline",   "instance",  "int",     "long",     "namespace", "new",
        "operator", "private",  "protected", "public",  "register", "restrict",  "return",
        "short",    "signed",   "sizeof",    "static",  "struct",   "switch",    "template",
        "this",     "threads",  "throw",     "true",    "try",      "typedef",   "typename",
        "union",    "unsigned", "using",     "virtual", "void",     "volatile",  "while"};
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

const char *entry_argument_name(Entry *entry, int i) {
    const Region *body = func_body(entry->plan->program->main);
    const Loc *loc = body->args[i]->loc;
    StrView name = loc ? loc->name : (StrView){NULL, 0};
    bool usable = is_identifier(name) && !is_keyword(name);
    for (int j = 0; usable && j < entry->plan->program->arg_count; j++) {
        const Loc *other = body->args[j]->loc;
        if (j != i && other && strview_equal(other->name, name)) usable = false;
    }
    if (usable && (strview_starts_with(name, SV("result")) || strview_starts_with(name, SV("arg"))))
        usable = false;
    return usable ? arena_cstring(entry->arena, name) : arena_printf(entry->arena, "arg%d", i);
}

const char *entry_result_name(Entry *entry, int i) {
    return arena_printf(entry->arena, "result%d", i);
}

static void put_array(
    StrBuf *out, const char *name, const GlobalLayout *layout, bool is_result, bool first) {
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
    strbuf_puts(out, " */");
}

static void put_arrays(Entry *entry, StrBuf *out, bool first) {
    const DeviceProgram *program = entry->plan->program;
    for (int i = 0; i < program->arg_count; i++) {
        put_array(out, entry_argument_name(entry, i), &program->args[i], false, first && i == 0);
    }
    for (int i = 0; i < program->result_count; i++) {
        bool first_array = first && i == 0 && program->arg_count == 0;
        put_array(out, entry_result_name(entry, i), &program->results[i], true, first_array);
    }
    if (first && program->arg_count + program->result_count == 0) strbuf_puts(out, "void");
}

static void put_custom_calls(Entry *entry, StrBuf *out) {
    if (entry->custom_call_count == 0) return;
    strbuf_puts(
        out, "/* The model calls functions of whoever runs it: see custom_calls of the model. "
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
        "%s_destroy(void *instance);\n\n"
        "/* Bytes that create takes. */\nint64_t %s_workspace_bytes(int threads);\n\n"
        "/* Everything about the model: see shardc/model.h. */\nstruct shardc_model;\n"
        "const struct shardc_model *shardc_model_entry(void);\n\n"
        "#ifdef __cplusplus\n}\n#endif\n#endif\n",
        name, name, name);
    return strbuf_view(&out);
}
