// hlo_attrs: an instruction's attributes, by name, as StableHLO has them.
#include "frontend/hlo/hlo_import.h"

static HloAttr *find(const HloInstr *instr, HloAttrName name) {
    for (int i = 0; i < instr->attr_count; i++) {
        if (instr->attrs[i].name == name) return &instr->attrs[i];
    }
    return NULL;
}

const HloAttr *hlo_attr(const HloInstr *instr, HloAttrName name) {
    HloAttr *attr = find(instr, name);
    if (attr) attr->is_used = true;
    return attr;
}

bool hlo_has_attr(const HloInstr *instr, HloAttrName name) { return find(instr, name) != NULL; }

const HloAttr *hlo_need_attr(HloImporter *importer, const HloInstr *instr, HloAttrName name) {
    const HloAttr *attr = hlo_attr(instr, name);
    if (!attr)
        (void)hlo_fail(importer, instr, "requires attribute '%.*s'", SV_ARG(hlo_attr_text(name)));
    return attr;
}

int64_t hlo_int_attr(const HloInstr *instr, HloAttrName name, int64_t otherwise) {
    const HloAttr *attr = hlo_attr(instr, name);
    return attr ? attr->number : otherwise;
}

bool hlo_bool_attr(const HloInstr *instr, HloAttrName name, bool otherwise) {
    const HloAttr *attr = hlo_attr(instr, name);
    return attr ? attr->flag : otherwise;
}

StrView hlo_text_attr(const HloInstr *instr, HloAttrName name) {
    const HloAttr *attr = hlo_attr(instr, name);
    return attr ? attr->text : SV("");
}

IntSpan hlo_ints_attr(const HloInstr *instr, HloAttrName name) {
    const HloAttr *attr = hlo_attr(instr, name);
    return attr ? attr->ints : (IntSpan){NULL, 0};
}

bool hlo_copy_int(
    HloImporter *importer, const HloInstr *instr, HloAttrName name, Op *op, AttrName to) {
    const HloAttr *attr = hlo_need_attr(importer, instr, name);
    if (attr) hlo_set(importer, op, to, attr_int(importer->context, attr->number, ELEMENT_I64));
    return attr != NULL;
}

void hlo_copy_bool(
    HloImporter *importer, const HloInstr *instr, HloAttrName name, Op *op, AttrName to) {
    const HloAttr *attr = hlo_attr(instr, name);
    if (attr) hlo_set(importer, op, to, attr_bool(importer->context, attr->flag));
}

void hlo_copy_ints(
    HloImporter *importer, const HloInstr *instr, HloAttrName name, Op *op, AttrName to) {
    IntSpan ints = hlo_ints_attr(instr, name);
    hlo_set(importer, op, to, attr_ints(importer->context, ints.count, ints.data));
}

bool hlo_copy_single(
    HloImporter *importer, const HloInstr *instr, HloAttrName name, Op *op, AttrName to) {
    const HloAttr *attr = hlo_need_attr(importer, instr, name);
    if (!attr) return false;
    if (attr->ints.count != 1)
        return hlo_fail(
            importer, instr, "attribute '%.*s' must name one dimension",
            SV_ARG(hlo_attr_text(name)));
    hlo_set(importer, op, to, attr_int(importer->context, attr->ints.data[0], ELEMENT_I64));
    return true;
}

StrView hlo_capitals(HloImporter *importer, StrView word) {
    char *capitals = arena_cstring(importer->arena, word);
    for (char *p = capitals; *p; p++)
        *p = *p >= 'a' && *p <= 'z' ? (char)(*p - 'a' + 'A') : *p;
    return (StrView){capitals, word.size};
}

bool hlo_copy_keyword(
    HloImporter *importer, const HloInstr *instr, HloAttrName name, const char *prefix, Op *op,
    AttrName to, EnumKind kind) {
    const HloAttr *attr = hlo_need_attr(importer, instr, name);
    if (!attr) return false;
    StrView rest = attr->text;
    if (strview_starts_with(rest, strview(prefix)))
        rest = (StrView){rest.data + strlen(prefix), rest.size - strlen(prefix)};
    int value;
    if (!enum_from_keyword(kind, hlo_capitals(importer, rest), &value))
        return hlo_fail(
            importer, instr, "attribute '%.*s' cannot be '%.*s'", SV_ARG(hlo_attr_text(name)),
            SV_ARG(attr->text));
    hlo_set(importer, op, to, attr_enum(importer->context, kind, value));
    return true;
}
