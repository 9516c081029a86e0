// hlo_attrs: an instruction's attributes, by name, as StableHLO has them.
#include "frontend/hlo/hlo_import.h"

HloAttr *hlo_attr(HloInstr *instr, const char *name) {
    for (int i = 0; i < instr->attr_count; i++) {
        if (!strview_is(instr->attrs[i].name, name)) continue;
        instr->attrs[i].is_used = true;
        return &instr->attrs[i];
    }
    return NULL;
}

bool hlo_has_attr(const HloInstr *instr, const char *name) {
    for (int i = 0; i < instr->attr_count; i++) {
        if (strview_is(instr->attrs[i].name, name)) return true;
    }
    return false;
}

bool hlo_need_attr(HloImporter *importer, HloInstr *instr, const char *name) {
    return hlo_has_attr(instr, name) || hlo_fail(importer, instr, "requires attribute '%s'", name);
}

bool hlo_int_attr(HloInstr *instr, const char *name, int64_t *number) {
    const HloAttr *attr = hlo_attr(instr, name);
    if (!attr) return true;
    HloLexer value = attr->value;
    return hlo_read_int(&value, number);
}

bool hlo_word_attr(HloInstr *instr, const char *name, StrView *word) {
    const HloAttr *attr = hlo_attr(instr, name);
    if (!attr) return true;
    HloLexer value = attr->value;
    return hlo_read_word(&value, word, "a keyword");
}

bool hlo_bool_attr(HloInstr *instr, const char *name, bool *value) {
    const HloAttr *attr = hlo_attr(instr, name);
    if (!attr) return true;
    HloLexer lexer = attr->value;
    *value = hlo_accept_word(&lexer, "true");
    return *value || hlo_accept_word(&lexer, "false") || hlo_expected(&lexer, "true or false");
}

bool hlo_string_attr(HloInstr *instr, const char *name, StrView *text) {
    const HloAttr *attr = hlo_attr(instr, name);
    if (!attr) return true;
    HloLexer value = attr->value;
    return hlo_read_string(&value, text);
}

bool hlo_read_ints(HloImporter *importer, HloLexer *lexer, IntSpan *ints) {
    VEC(int64_t) list = {0};
    if (!hlo_expect(lexer, "{")) return false;
    bool more = !hlo_accept(lexer, "}");
    while (more) {
        int64_t number;
        if (!hlo_read_int(lexer, &number)) return false;
        vec_push(importer->arena, &list, number);
        more = hlo_accept(lexer, ",");
        if (!more && !hlo_expect(lexer, "}")) return false;
    }
    *ints = (IntSpan){list.data, (int)list.count};
    return true;
}

bool hlo_ints_attr(HloImporter *importer, HloInstr *instr, const char *name, IntSpan *ints) {
    const HloAttr *attr = hlo_attr(instr, name);
    *ints = (IntSpan){NULL, 0};
    if (!attr) return true;
    HloLexer value = attr->value;
    return hlo_read_ints(importer, &value, ints);
}

bool hlo_copy_int(HloImporter *importer, HloInstr *instr, const char *name, Op *op, AttrName to) {
    int64_t number = 0;
    if (!op || !hlo_int_attr(instr, name, &number)) return false;
    if (hlo_has_attr(instr, name))
        hlo_set(importer, op, to, attr_int(importer->context, number, ELEMENT_I64));
    return true;
}

bool hlo_copy_bool(HloImporter *importer, HloInstr *instr, const char *name, Op *op, AttrName to) {
    bool value = false;
    if (!op || !hlo_bool_attr(instr, name, &value)) return false;
    if (hlo_has_attr(instr, name)) hlo_set(importer, op, to, attr_bool(importer->context, value));
    return true;
}

bool hlo_copy_ints(HloImporter *importer, HloInstr *instr, const char *name, Op *op, AttrName to) {
    IntSpan ints;
    if (!op || !hlo_ints_attr(importer, instr, name, &ints)) return false;
    hlo_set(importer, op, to, attr_ints(importer->context, ints.count, ints.data));
    return true;
}

bool hlo_copy_single(
    HloImporter *importer, HloInstr *instr, const char *name, Op *op, AttrName to) {
    IntSpan ints;
    if (!op || !hlo_need_attr(importer, instr, name) ||
        !hlo_ints_attr(importer, instr, name, &ints))
        return false;
    if (ints.count != 1)
        return hlo_fail(importer, instr, "attribute '%s' must name one dimension", name);
    hlo_set(importer, op, to, attr_int(importer->context, ints.data[0], ELEMENT_I64));
    return true;
}

bool hlo_copy_keyword(
    HloImporter *importer, HloInstr *instr, const char *name, const char *prefix, Op *op,
    AttrName to, EnumKind kind) {
    StrView word = SV("");
    if (!op || !hlo_need_attr(importer, instr, name) || !hlo_word_attr(instr, name, &word))
        return false;
    StrView rest = word;
    if (strview_starts_with(word, strview(prefix)))
        rest = (StrView){word.data + strlen(prefix), word.size - strlen(prefix)};
    char *capitals = arena_cstring(importer->arena, rest);
    for (char *p = capitals; *p; p++)
        *p = *p >= 'a' && *p <= 'z' ? (char)(*p - 'a' + 'A') : *p;
    int value;
    if (!enum_from_keyword(kind, strview(capitals), &value))
        return hlo_fail(importer, instr, "attribute '%s' cannot be '%.*s'", name, SV_ARG(word));
    hlo_set(importer, op, to, attr_enum(importer->context, kind, value));
    return true;
}
