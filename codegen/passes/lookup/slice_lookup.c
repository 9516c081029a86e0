// slice_lookup: slices of a sharded dimension that begin at a computed place.
//
// Each device takes from its part, between margins of zeros as wide as the slice, what lies there:
//
//   before  %1 = pad(%part, 0, low = size, high = size)
//           %2 = dynamic_slice(%1, %place - %first + size)       0 <= %place <= all - size
//           %3 = all_reduce(%2)
//   after   %3 = dynamic_slice(all_gather(%part), %place)
#include "codegen/passes/lookup/lookup.h"

static Value *without_converts(Value *value) {
    while (def_of(value, OP_CONVERT))
        value = op_operand(value->def, 0);
    return value;
}

// The operand of an op of two whose other operand is the same number everywhere.
static Value *beside_number(const Value *value, OpCode code, int64_t *number) {
    const Op *op = def_of(value, code);
    for (int i = 0; op && i < 2; i++) {
        const Attr *splat = value_splat(op_operand(op, i));
        if (!splat) continue;
        *number = attr_element_int(splat, 0);
        return op_operand(op, 1 - i);
    }
    return NULL;
}

// Is it a number of 0 to last, or a minimum and a maximum with such numbers?
static bool lies_within(const Value *value, int64_t last) {
    bool has_low = false, has_high = false;
    const Attr *known = value_splat(value);
    if (known) return attr_element_int(known, 0) >= 0 && attr_element_int(known, 0) <= last;
    while (element_class(value->type->element) == CLASS_SINT) {
        int64_t number;
        OpCode code = def_of(value, OP_MAXIMUM) ? OP_MAXIMUM : OP_MINIMUM;
        value = beside_number(value, code, &number);
        if (!value || number < 0 || number > last) break;
        *(code == OP_MAXIMUM ? &has_low : &has_high) = true;
        if (has_low && has_high) return true;
    }
    return false;
}

// The one dimension with margins as wide as the slice; -1 = it is not so.
static int dim_with_margins(const Op *pad, const Type *slice) {
    const Attr *zero = value_splat(op_operand(pad, 1));
    IntSpan low = op_ints(pad, NAME_EDGE_PADDING_LOW), high = op_ints(pad, NAME_EDGE_PADDING_HIGH);
    IntSpan interior = op_ints(pad, NAME_INTERIOR_PADDING);
    int found = -1;
    if (!zero || attr_element_double(zero, 0) != 0) return -1;
    for (int d = 0; d < slice->rank; d++) {
        if (low.data[d] == 0 && high.data[d] == 0 && interior.data[d] == 0) continue;
        if (found >= 0 || interior.data[d] != 0) return -1;
        if (low.data[d] != slice->dims[d] || high.data[d] != slice->dims[d]) return -1;
        found = d;
    }
    return found;
}

bool find_slice(Lookup *look) {
    look->op = def_of(op_operand(look->sum, 0), OP_DYNAMIC_SLICE);
    const Op *pad = look->op ? def_of(op_operand(look->op, 0), OP_PAD) : NULL;
    if (!pad || element_class(op_result_type(pad, 0)->element) == CLASS_BOOL) return false;
    const Type *slice = op_result_type(look->op, 0);
    look->dim = dim_with_margins(pad, slice);
    if (look->dim < 0) return false;
    int64_t size = slice->dims[look->dim], part = op_operand_type(pad, 0)->dims[look->dim], margin;
    Value *start = without_converts(op_operand(look->op, 1 + look->dim));
    Value *own = beside_number(start, OP_ADD, &margin);
    const Op *place = own && margin == size ? def_of(own, OP_SUBTRACT) : NULL;
    if (!place || !begins_parts(look, op_operand(place, 1), part)) return false;
    look->array = op_operand(pad, 0);
    look->place = without_converts(op_operand(place, 0));
    return lies_within(look->place, look->together.size * part - size);
}
