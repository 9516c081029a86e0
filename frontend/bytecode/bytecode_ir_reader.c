// bytecode_ir_reader: the IR section of MLIR bytecode: regions, ops, and the numbers of their
// values.
#include "frontend/bytecode/bytecode_reader.h"

enum { // what an op has, in its mask
    HAS_ATTRS = 0x01,
    HAS_RESULTS = 0x02,
    HAS_OPERANDS = 0x04,
    HAS_SUCCESSORS = 0x08,
    HAS_REGIONS = 0x10,
    HAS_USE_ORDERS = 0x20,
    HAS_PROPERTIES = 0x40,
    SECTION_IR = 4
};

static bool ends_early(Bytecode *file, const ByteStream *stream) {
    return bytecode_error(
        file, stream->at, "the IR section ends too early or holds a number that is too large");
}

// Orders of use lists: nothing depends on them.
static bool skip_use_orders(Bytecode *file, ByteStream *stream, int values) {
    int entries = values > 1 ? stream_count(stream) : 1;
    for (int i = 0; i < entries && !stream->failed; i++) {
        if (values > 1) (void)stream_varint(stream);
        bool pairs;
        uint64_t count = stream_flagged(stream, &pairs);
        for (uint64_t k = 0; k < count && !stream->failed; k++)
            (void)stream_varint(stream);
    }
    return !stream->failed || ends_early(file, stream);
}

// The region that is being read defines another value.
static bool define_value(Bytecode *file, const void *at, Value *value) {
    BytecodeValues *scope = &vec_last(&file->values);
    if ((uint64_t)scope->values.count >= scope->declared)
        return bytecode_error(file, at, "the region defines more values than it declares");
    vec_push(file->reader->scratch, &scope->values, value);
    return true;
}

static Value *find_value(Bytecode *file, const void *at, uint64_t number) {
    for (int64_t i = file->values.count - 1; i >= 0; i--) {
        const BytecodeValues *scope = &file->values.data[i];
        if (number >= scope->base) {
            uint64_t index = number - scope->base;
            if (index < (uint64_t)scope->values.count) return scope->values.data[index];
            break;
        }
        if (scope->is_isolated) break;
    }
    (void)bytecode_error(
        file, at, "value %llu is not defined before its use", (unsigned long long)number);
    return NULL;
}

static bool read_bytecode_operands(Bytecode *file, ByteStream *stream) {
    int count = stream_count(stream);
    for (int i = 0; i < count; i++) {
        const unsigned char *at = stream->at;
        uint64_t number = stream_varint(stream);
        if (stream->failed) return ends_early(file, stream);
        Operand operand = {find_value(file, at, number), bytecode_token(at)};
        if (!operand.value) return false;
        vec_push(file->reader->scratch, &file->reader->operands, operand);
    }
    return !stream->failed || ends_early(file, stream);
}

// The arguments of a region's only block.
static bool read_block_args(Bytecode *file, ByteStream *stream, Region *region) {
    int count = stream_count(stream);
    for (int i = 0; i < count; i++) {
        const unsigned char *at = stream->at;
        Token token = bytecode_token(at);
        Loc *loc = reader_loc(file->reader, &token);
        bool has_loc = true;
        const Type *type = NULL;
        if (file->version >= 4) {
            uint64_t index = stream_flagged(stream, &has_loc);
            if (stream->failed || index >= (uint64_t)file->type_count)
                return ends_early(file, stream);
            type = bytecode_type(file, index);
        } else {
            type = stream_type(file, stream);
        }
        if (!type || (has_loc && !stream_loc(file, stream, loc))) return false;
        if (!define_value(file, at, region_add_arg(file->reader->module, region, type, loc)))
            return false;
    }
    if (stream->failed) return ends_early(file, stream);
    if (file->version < 3 || stream_byte(stream) == 0) return true;
    return skip_use_orders(file, stream, count);
}

static bool read_bytecode_op(Bytecode *file, ByteStream *stream, Region *region, OpCode parent);

static bool read_block(Bytecode *file, ByteStream *stream, Region *region, OpCode parent) {
    bool has_args;
    uint64_t ops = stream_flagged(stream, &has_args);
    if (has_args && !read_block_args(file, stream, region)) return false;
    for (uint64_t i = 0; i < ops; i++) {
        if (stream->failed) return ends_early(file, stream);
        if (!read_bytecode_op(file, stream, region, parent)) return false;
    }
    return !stream->failed || ends_early(file, stream);
}

// One region; its values are numbered behind those that are in sight.
static bool read_region_at(
    Bytecode *file, ByteStream *stream, Region *region, OpCode parent, bool is_isolated) {
    const unsigned char *at = stream->at;
    uint64_t blocks = stream_varint(stream);
    if (stream->failed) return ends_early(file, stream);
    if (blocks == 0) return true;
    if (blocks > 1) {
        Token token = bytecode_token(at);
        return reader_unsupported(
            file->reader, &token, "regions of more than one block are not supported");
    }
    BytecodeValues scope = {.is_isolated = is_isolated, .declared = stream_varint(stream)};
    if (stream->failed || scope.declared > file->bytes.size) return ends_early(file, stream);
    if (!is_isolated && file->values.count > 0)
        scope.base = vec_last(&file->values).base + vec_last(&file->values).declared;
    vec_push(file->reader->scratch, &file->values, scope);
    if (!read_block(file, stream, region, parent)) return false;
    const BytecodeValues *end = &vec_last(&file->values);
    if ((uint64_t)end->values.count != end->declared)
        return bytecode_error(file, at, "the region defines fewer values than it declares");
    file->values.count--;
    return true;
}

// The regions of an op: pushed on reader->regions. Those of an isolated op are a
// section of their own in newer files.
static bool read_regions(Bytecode *file, ByteStream *stream, OpCode parent) {
    Reader *reader = file->reader;
    bool is_isolated;
    const unsigned char *at = stream->at;
    uint64_t count = stream_flagged(stream, &is_isolated);
    ByteStream own = *stream;
    if (is_isolated && file->version >= 2) {
        int id = 0;
        StrView section;
        if (!stream_section(file, stream, &id, &section)) return false;
        if (id != SECTION_IR) return bytecode_error(file, at, "expected an IR section of the op");
        own = byte_stream(section);
    }
    Token token = reader->token;
    reader->token = bytecode_token(at);
    if (!reader_enter(reader)) return false;
    for (uint64_t i = 0; i < count; i++) {
        Region *region = region_detached(reader);
        if (!read_region_at(file, &own, region, parent, is_isolated)) return false;
        vec_push(reader->scratch, &reader->regions, region);
    }
    reader_leave(reader);
    reader->token = token;
    if (is_isolated && file->version >= 2) return stream_at_end(&own) || ends_early(file, &own);
    *stream = own;
    return true;
}

// What an op's name stands for: found when it is first used.
static BytecodeOpName *resolve_name(Bytecode *file, ByteStream *stream) {
    const unsigned char *at = stream->at;
    uint64_t index = stream_varint(stream);
    if (stream->failed || index >= (uint64_t)file->op_name_count) {
        (void)ends_early(file, stream);
        return NULL;
    }
    BytecodeOpName *name = &file->op_names[index];
    if (name->is_resolved) return name;
    Token token = bytecode_token(at);
    if (strview_starts_with(name->text, SV("vhlo."))) {
        name->vhlo = vhlo_find((StrView){name->text.data + 5, name->text.size - 5});
        if (!name->vhlo) {
            (void)bytecode_error(
                file, at, "unregistered operation '%.*s' (the program was written by %.*s)",
                SV_ARG(name->text), SV_ARG(file->producer));
            return NULL;
        }
        name->code = vhlo_op_code(name->vhlo, false);
    } else if (strview_is(name->text, "builtin.unrealized_conversion_cast")) {
        name->is_cast = true;
        name->code = OP_UNREGISTERED;
    } else if (!find_op(file->reader, &token, name->text, &name->code)) {
        return NULL;
    }
    name->is_resolved = true;
    return name;
}

// Pushes a dictionary's entries on reader->attrs.
static void push_dict(Bytecode *file, const void *at, const Attr *dict) {
    for (int i = 0; i < dict->count; i++) {
        ReadAttr attr = {dict->names[i], dict->items[i], bytecode_token(at)};
        vec_push(file->reader->scratch, &file->reader->attrs, attr);
    }
}

static bool read_dict(Bytecode *file, ByteStream *stream, const Attr **dict) {
    const unsigned char *at = stream->at;
    *dict = stream_attr(file, stream);
    if (!*dict) return false;
    return (*dict)->kind == ATTR_DICT ||
           bytecode_error(file, at, "expected the op's attributes to be a dictionary");
}

// The record of an op's properties.
static bool read_record(Bytecode *file, ByteStream *stream, ByteStream *record) {
    uint64_t index = stream_varint(stream);
    if (stream->failed || index >= (uint64_t)file->properties_count)
        return ends_early(file, stream);
    *record = byte_stream(file->properties[index]);
    return true;
}

// The attributes of a VHLO op: in its properties, or by name in its dictionary.
static bool read_vhlo_attrs(
    Bytecode *file, ByteStream *stream, const BytecodeOpName *name, OpCode code, unsigned mask) {
    const unsigned char *at = stream->at;
    Reader *reader = file->reader;
    VhloAttr attrs[MAX_VHLO_ATTRS];
    const Attr *values[MAX_VHLO_ATTRS] = {NULL};
    int count = vhlo_attrs(name->vhlo, attrs);
    const Attr *dict = NULL;
    if ((mask & HAS_ATTRS) && !read_dict(file, stream, &dict)) return false;
    for (int i = 0; dict && i < dict->count; i++) {
        bool is_own = false;
        for (int k = 0; k < count && !is_own; k++) {
            is_own = strview_equal(dict->names[i], attrs[k].name);
            if (is_own) values[k] = dict->items[i];
        }
        if (is_own) continue;
        ReadAttr attr = {dict->names[i], dict->items[i], bytecode_token(at)};
        vec_push(reader->scratch, &reader->attrs, attr);
    }
    if (mask & HAS_PROPERTIES) {
        ByteStream record = {0};
        if (!read_record(file, stream, &record)) return false;
        for (int i = 0; i < count; i++) {
            values[i] = stream_attr(file, &record);
            if (!values[i]) return false;
        }
        if (!stream_at_end(&record))
            return bytecode_error(
                file, at, "'%.*s' op has more properties than attributes", SV_ARG(name->text));
    }
    for (int i = 0; i < count; i++) {
        if (!values[i])
            return bytecode_error(
                file, at, "'%.*s' op requires attribute '%.*s'", SV_ARG(name->text),
                SV_ARG(attrs[i].name));
    }
    Token token = bytecode_token(at);
    return vhlo_import(reader, &token, code, name->vhlo, values);
}

// Properties as an op of another dialect has them: a dictionary when the writer did not know the
// op, else its attributes in the order of their names.
static bool read_other_attrs(
    Bytecode *file, ByteStream *stream, const BytecodeOpName *name, unsigned mask) {
    const unsigned char *at = stream->at;
    const Attr *dict = NULL;
    if (mask & HAS_ATTRS) {
        if (!read_dict(file, stream, &dict)) return false;
        push_dict(file, at, dict);
    }
    if (!(mask & HAS_PROPERTIES)) return true;
    if (!name->registered) {
        if (!read_dict(file, stream, &dict)) return false;
        push_dict(file, at, dict);
        return true;
    }
    ByteStream record = {0};
    if (!read_record(file, stream, &record)) return false;
    return read_native_properties(file, &record, at, name->code);
}

// Casts between the spellings of one type: the results are the operands.
static bool read_cast(Bytecode *file, const void *at, const Draft *draft) {
    Reader *reader = file->reader;
    int64_t count = reader->operands.count - draft->operands;
    bool same = reader->types.count - draft->types == count;
    for (int64_t i = 0; i < count && same; i++) {
        Value *value = reader->operands.data[draft->operands + i].value;
        same = value->type == reader->types.data[draft->types + i];
        if (same && !define_value(file, at, value)) return false;
    }
    draft_drop(reader, draft);
    return same || bytecode_error(
                       file, at, "'builtin.unrealized_conversion_cast' op between different types");
}

// Everything behind the op's location; pushed on the reader's stacks.
static bool read_op_parts(
    Bytecode *file, ByteStream *stream, const BytecodeOpName *name, OpCode code, unsigned mask) {
    bool ok = name->vhlo ? read_vhlo_attrs(file, stream, name, code, mask)
                         : read_other_attrs(file, stream, name, mask);
    if (!ok) return false;
    int64_t types = file->reader->types.count;
    if ((mask & HAS_RESULTS) && !stream_types(file, stream)) return false;
    int results = (int)(file->reader->types.count - types);
    if ((mask & HAS_OPERANDS) && !read_bytecode_operands(file, stream)) return false;
    if (mask & HAS_SUCCESSORS) {
        Token token = bytecode_token(stream->at);
        return reader_unsupported(file->reader, &token, "successor blocks are not supported");
    }
    if ((mask & HAS_USE_ORDERS) && !skip_use_orders(file, stream, results)) return false;
    return !(mask & HAS_REGIONS) || read_regions(file, stream, code);
}

static bool read_bytecode_op(Bytecode *file, ByteStream *stream, Region *region, OpCode parent) {
    const unsigned char *at = stream->at;
    Reader *reader = file->reader;
    const BytecodeOpName *name = resolve_name(file, stream);
    if (!name) return false;
    unsigned mask = stream_byte(stream);
    Token token = bytecode_token(at);
    Loc *loc = reader_loc(reader, &token);
    if (!stream_loc(file, stream, loc)) return false;
    OpCode code = name->code;
    if (name->vhlo) code = vhlo_op_code(name->vhlo, parent == OP_FUNC);
    if (code == OP_MODULE)
        return reader_unsupported(reader, &token, "nested modules are not supported");
    StrView text = code == OP_UNREGISTERED ? name->text : op_code_text(code);
    Draft draft = draft_begin(reader, code, text, &token);
    if (!read_op_parts(file, stream, name, code, mask)) return false;
    if (name->is_cast) return read_cast(file, at, &draft);
    const Op *op = draft_build(reader, &draft, region, loc);
    if (!op) return false;
    for (int i = 0; i < op->result_count; i++) {
        if (!define_value(file, at, op_result(op, i))) return false;
    }
    return true;
}

bool read_bytecode_module(Bytecode *file, StrView section) {
    ByteStream stream = byte_stream(section);
    Reader *reader = file->reader;
    bool has_args;
    const unsigned char *at = stream.at;
    uint64_t ops = stream_flagged(&stream, &has_args);
    const BytecodeOpName *name = NULL;
    if (!stream.failed && ops == 1 && !has_args) name = resolve_name(file, &stream);
    if (!name || name->code != OP_MODULE)
        return bytecode_error(file, at, "expected one op, builtin.module, at the top of the file");
    unsigned mask = stream_byte(&stream);
    Loc loc = {0};
    if (!stream_loc(file, &stream, &loc)) return false;
    if (!read_op_parts(file, &stream, name, OP_MODULE, mask)) return false;
    if (reader->regions.count != 1)
        return bytecode_error(file, at, "expected builtin.module to have one region");
    region_take(reader->module->body, reader->regions.data[0]);
    reader->regions.count = 0;
    module_set_attrs(reader);
    return stream_at_end(&stream) || ends_early(file, &stream);
}
