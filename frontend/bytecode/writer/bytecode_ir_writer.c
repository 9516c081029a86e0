// bytecode_ir_writer: the IR section of portable artifacts: ops, regions and the numbers of values.
#include "frontend/bytecode/writer/bytecode_writer.h"

// Is the op one of VHLO's in some version? Others stand beside them, with casts around their
// values.
static bool is_vhlo(const BytecodeWriter *writer, const Op *op) {
    return vhlo_for(op->code, writer->target) != NULL;
}

static uint64_t op_name_number(BytecodeWriter *writer, StrView name) {
    uintptr_t known = (uintptr_t)str_map_get(&writer->op_numbers, name);
    if (known) return known - 1;
    vec_push(writer->arena, &writer->op_names, name);
    str_map_set(&writer->op_numbers, name, (void *)(uintptr_t)writer->op_names.count);
    return (uint64_t)writer->op_names.count - 1;
}

// The values that are defined directly in a region: arguments, results, and those of casts.
static uint64_t count_values(const BytecodeWriter *writer, const Region *region) {
    bool casts_args = region->owner->code != OP_MODULE && !is_vhlo(writer, region->owner);
    uint64_t count = (uint64_t)region->arg_count * (casts_args ? 2 : 1);
    for (const Op *op = region->first; op; op = op->next) {
        bool is_other = !is_vhlo(writer, op);
        count += (uint64_t)op->result_count * (is_other ? 2 : 1);
        count += is_other ? (uint64_t)op->operand_count : 0;
    }
    return count;
}

// The block that is being written.
typedef struct Block {
    BytecodeWriter *writer;
    StrBuf *out;
    uint64_t ops;
    uint64_t next;      // number of the next value
    uint64_t next_base; // of the regions inside
} Block;

static void set_value(const Block *block, const Value *value, uint64_t number) {
    ptr_map_set(&block->writer->values, value, (void *)(uintptr_t)(number + 1));
}

static uint64_t value_number(const Block *block, const Value *value) {
    return (uint64_t)(uintptr_t)ptr_map_get(&block->writer->values, value) - 1;
}

enum {
    HAS_ATTRS = 0x01,
    HAS_RESULTS = 0x02,
    HAS_OPERANDS = 0x04,
    HAS_REGIONS = 0x10,
    HAS_PROPERTIES = 0x40
};

// A cast of one value between the spellings of its type; returns the number of its result.
static uint64_t put_cast(
    Block *block, const Loc *loc, uint64_t value, const Type *type, bool to_vhlo) {
    BytecodeWriter *writer = block->writer;
    put_varint(block->out, op_name_number(writer, SV("builtin.unrealized_conversion_cast")));
    strbuf_putc(block->out, HAS_RESULTS | HAS_OPERANDS);
    put_varint(block->out, loc_number_of(writer, loc));
    put_varint(block->out, 1);
    put_varint(
        block->out, to_vhlo ? vhlo_type_number(writer, type) : builtin_type_number(writer, type));
    put_varint(block->out, 1);
    put_varint(block->out, value);
    block->ops++;
    return block->next++;
}

static void put_region(BytecodeWriter *writer, StrBuf *out, const Region *region, uint64_t base);

// Isolated regions are a section of their own from format 2 on.
static void put_regions(Block *block, const Op *op) {
    BytecodeWriter *writer = block->writer;
    bool is_isolated = op_has(op, TRAIT_ISOLATED);
    put_flagged(block->out, (uint64_t)op->region_count, is_isolated);
    StrBuf section = strbuf(writer->arena);
    bool in_section = is_isolated && writer->format >= 2;
    for (int i = 0; i < op->region_count; i++) {
        put_region(
            writer, in_section ? &section : block->out, op->regions[i],
            is_isolated ? 0 : block->next_base);
    }
    if (!in_section) return;
    strbuf_putc(block->out, 4);
    put_varint(block->out, section.size);
    strbuf_append(block->out, strbuf_view(&section));
}

// The attributes of a VHLO op: its own in a record, or with the others in one dictionary in older
// formats.
static void put_vhlo_attrs(Block *block, const Op *op, const VhloOp *vhlo, StrBuf *out, int *mask) {
    BytecodeWriter *writer = block->writer;
    const Attr *values[MAX_VHLO_ATTRS];
    VhloAttr attrs[MAX_VHLO_ATTRS];
    int count = vhlo_attrs(vhlo, attrs);
    if (!vhlo_export(writer, op, vhlo, values)) return;
    OpDict all = op_discardable_dict(writer->arena, op);
    OpDict dict = op_dict(writer->arena);
    for (int i = 0; i < all.count; i++) {
        if (!vhlo_owns(op->code, all.names[i])) op_dict_add(&dict, all.names[i], all.items[i]);
    }
    for (int i = 0; i < count && writer->format < 5; i++)
        op_dict_add(&dict, attrs[i].name, values[i]);
    if (dict.count > 0) {
        *mask |= HAS_ATTRS;
        put_varint(out, dict_number(writer, &dict, true));
    }
    if (count == 0 || writer->format < 5) return;
    StrBuf record = strbuf(writer->arena);
    for (int i = 0; i < count; i++)
        put_varint(&record, vhlo_attr_number(writer, values[i]));
    *mask |= HAS_PROPERTIES;
    put_varint(out, (uint64_t)writer->properties.count);
    vec_push(writer->arena, &writer->properties, strbuf_view(&record));
}

// All attributes of an op of another dialect in one dictionary.
static void put_other_attrs(Block *block, const Op *op, StrBuf *out, int *mask) {
    BytecodeWriter *writer = block->writer;
    OpDict dict = op_inherent_dict(writer->arena, op);
    OpDict others = op_discardable_dict(writer->arena, op);
    for (int i = 0; i < others.count; i++)
        op_dict_add(&dict, others.names[i], others.items[i]);
    if (dict.count == 0) return;
    *mask |= HAS_ATTRS;
    put_varint(out, dict_number(writer, &dict, false));
}

// One op with the casts of its operands in front and those of its results behind.
static void put_op(Block *block, const Op *op) {
    BytecodeWriter *writer = block->writer;
    writer->op = op;
    const VhloOp *vhlo = vhlo_for(op->code, writer->target);
    uint64_t *operands = ARENA_ARRAY(writer->arena, uint64_t, op->operand_count);
    for (int i = 0; i < op->operand_count; i++) {
        const Value *operand = op_operand(op, i);
        operands[i] = value_number(block, operand);
        if (!vhlo) operands[i] = put_cast(block, op->loc, operands[i], operand->type, false);
    }
    if (vhlo && vhlo->since > writer->target)
        writer_failed(
            writer, "the op is of version %d.%d.0", vhlo->since / 1000, vhlo->since % 1000);
    StrBuf parts = strbuf(writer->arena);
    int mask = (op->result_count ? HAS_RESULTS : 0) | (op->operand_count ? HAS_OPERANDS : 0) |
               (op->region_count ? HAS_REGIONS : 0);
    if (vhlo) {
        put_vhlo_attrs(block, op, vhlo, &parts, &mask);
    } else {
        put_other_attrs(block, op, &parts, &mask);
    }
    if (writer->failed) return;
    put_varint(
        block->out, op_name_number(writer, vhlo ? vhlo_name(writer->arena, vhlo) : op->name));
    strbuf_putc(block->out, (char)mask);
    put_varint(block->out, loc_number_of(writer, op->loc));
    strbuf_append(block->out, strbuf_view(&parts));
    if (op->result_count) put_varint(block->out, (uint64_t)op->result_count);
    for (int i = 0; i < op->result_count; i++) {
        const Type *type = op_result_type(op, i);
        put_varint(
            block->out, vhlo ? vhlo_type_number(writer, type) : builtin_type_number(writer, type));
    }
    if (op->operand_count) put_varint(block->out, (uint64_t)op->operand_count);
    for (int i = 0; i < op->operand_count; i++)
        put_varint(block->out, operands[i]);
    uint64_t results = block->next;
    block->next += (uint64_t)op->result_count;
    block->ops++;
    if (op->region_count) put_regions(block, op);
    for (int i = 0; i < op->result_count; i++) {
        const Value *result = op_result(op, i);
        uint64_t number = results + (uint64_t)i;
        if (!vhlo) number = put_cast(block, op->loc, number, result->type, true);
        set_value(block, result, number);
    }
}

static void put_block_args(Block *block, const Region *region, bool casts, StrBuf *out) {
    BytecodeWriter *writer = block->writer;
    put_varint(out, (uint64_t)region->arg_count);
    for (int i = 0; i < region->arg_count; i++) {
        const Value *arg = region->args[i];
        uint64_t type =
            casts ? builtin_type_number(writer, arg->type) : vhlo_type_number(writer, arg->type);
        if (writer->format >= 4) {
            put_flagged(out, type, true);
        } else {
            put_varint(out, type);
        }
        put_varint(out, loc_number_of(writer, arg->loc));
        set_value(block, arg, block->next++);
    }
    if (writer->format >= 3) strbuf_putc(out, 0); // no orders of use lists
    for (int i = 0; i < region->arg_count && casts; i++) {
        const Value *arg = region->args[i];
        set_value(block, arg, put_cast(block, arg->loc, value_number(block, arg), arg->type, true));
    }
}

static void put_region(BytecodeWriter *writer, StrBuf *out, const Region *region, uint64_t base) {
    bool is_empty = !region->first && (region->owner->code == OP_FUNC || region->arg_count == 0) &&
                    region->owner->code != OP_MODULE;
    put_varint(out, is_empty ? 0 : 1);
    if (is_empty) return; // of a declaration
    uint64_t values = count_values(writer, region);
    put_varint(out, values);
    StrBuf ops = strbuf(writer->arena);
    StrBuf args = strbuf(writer->arena);
    Block block = {.writer = writer, .out = &ops, .next = base, .next_base = base + values};
    bool casts = region->owner->code != OP_MODULE && !is_vhlo(writer, region->owner);
    if (region->arg_count > 0) put_block_args(&block, region, casts, &args);
    for (const Op *op = region->first; op && !writer->failed; op = op->next)
        put_op(&block, op);
    put_flagged(out, block.ops, region->arg_count > 0);
    strbuf_append(out, strbuf_view(&args));
    strbuf_append(out, strbuf_view(&ops));
}

// The module's name and visibility, which may be absent.
static void put_module_properties(BytecodeWriter *writer, StrBuf *out) {
    const AttrName names[] = {NAME_SYM_NAME, NAME_SYM_VISIBILITY};
    StrBuf record = strbuf(writer->arena);
    for (int i = 0; i < 2; i++) {
        const Attr *attr = op_attr(writer->module->op, names[i]);
        put_flagged(&record, attr ? builtin_attr_number(writer, attr) : 0, attr != NULL);
    }
    put_varint(out, (uint64_t)writer->properties.count);
    vec_push(writer->arena, &writer->properties, strbuf_view(&record));
}

StrView write_ir_section(BytecodeWriter *writer) {
    const Op *op = writer->module->op;
    StrBuf out = strbuf(writer->arena);
    put_flagged(&out, 1, false);
    put_varint(&out, op_name_number(writer, op->name));
    OpDict dict = op_discardable_dict(writer->arena, op);
    bool has_properties = writer->format >= 5;
    int mask = HAS_REGIONS | (has_properties ? HAS_PROPERTIES : 0);
    for (int i = 0; i < op->attr_count && !has_properties; i++)
        op_dict_add(&dict, attr_name_text(op->attrs[i].name), op->attrs[i].value);
    strbuf_putc(&out, (char)(mask | (dict.count > 0 ? HAS_ATTRS : 0)));
    put_varint(&out, loc_number_of(writer, op->loc));
    if (dict.count > 0) put_varint(&out, dict_number(writer, &dict, false));
    if (has_properties) put_module_properties(writer, &out);
    StrBuf region = strbuf(writer->arena);
    put_region(writer, &region, op->regions[0], 0);
    put_flagged(&out, 1, true);
    if (writer->format >= 2) {
        strbuf_putc(&out, 4);
        put_varint(&out, region.size);
    }
    strbuf_append(&out, strbuf_view(&region));
    return strbuf_view(&out);
}
