// Setting the attributes of ops.
#include "ir/module.h"

void op_set_attr(Module *module, Op *op, AttrName name, const Attr *value) {
    int i = 0;
    while (i < op->attr_count && op->attrs[i].name < name)
        i++;
    bool found = i < op->attr_count && op->attrs[i].name == name;
    if (found && value) {
        op->attrs[i].value = value;
        return;
    }
    if (found) {
        for (; i + 1 < op->attr_count; i++)
            op->attrs[i] = op->attrs[i + 1];
        op->attr_count--;
        return;
    }
    if (!value) return;
    NamedAttr *attrs = ARENA_ARRAY(module->arena, NamedAttr, op->attr_count + 1);
    for (int j = 0; j < op->attr_count; j++)
        attrs[j < i ? j : j + 1] = op->attrs[j];
    attrs[i] = (NamedAttr){name, value};
    op->attrs = attrs;
    op->attr_count++;
}

void op_set_extra(Module *module, Op *op, StrView name, const Attr *value) {
    op->extra = attr_dict_set(module->context, op->extra, name, value);
}
