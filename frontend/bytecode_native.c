// bytecode_native: the properties of ops of other dialects than VHLO. MLIR writes them as a record of the op's attributes in the
// order of their names, those that may be absent with a flag.
#include "frontend/bytecode_reader.h"

typedef struct NativeOp {
    OpCode code;
    const char *attrs; // "name name?": ? marks those that may be absent
} NativeOp;

static const NativeOp native_ops[] = {
    {OP_MODULE, "sym_name? sym_visibility?"},
    {OP_FUNC, "arg_attrs? function_type no_inline? res_attrs? sym_name sym_visibility?"},
    {OP_CALL, "arg_attrs? callee no_inline? res_attrs?"},
    {OP_SDY_MESH, "mesh sym_name"},
    {OP_SDY_MANUAL, "in_shardings manual_axes out_shardings"},
    {OP_SDY_NAMED, "in_shardings? name out_shardings?"},
    {OP_SDY_CONSTRAINT, "sharding"},
    {OP_SDY_RESHARD, "sharding"},
    {OP_SDY_EDGE, "sharding?"},
    {OP_SDY_BARRIER, "allowed_direction"},
    {OP_SDY_GROUP, "group_id"},
    {OP_SDY_CONSTANT, "value"},
    {OP_SDY_ALL_GATHER, "gathering_axes out_sharding"},
    {OP_SDY_ALL_SLICE, "out_sharding slicing_axes"},
    {OP_SDY_ALL_TO_ALL, "out_sharding params"},
    {OP_SDY_PERMUTE, "out_sharding"},
};

bool read_native_properties(Bytecode *file, ByteStream *record, const void *at, OpCode code) {
    Reader *reader = file->reader;
    const char *attrs = NULL;
    for (size_t i = 0; i < sizeof native_ops / sizeof native_ops[0] && !attrs; i++) {
        if (native_ops[i].code == code) attrs = native_ops[i].attrs;
    }
    if (!attrs) {
        Token token = bytecode_token(at);
        return reader_unsupported(
            reader, &token, "the properties of '%.*s' are not supported in bytecode",
            SV_ARG(op_code_text(code)));
    }
    while (*attrs) {
        size_t size = strcspn(attrs, " ");
        bool is_optional = attrs[size - 1] == '?';
        StrView name = {attrs, size - is_optional};
        ReadAttr attr = {context_name(reader->context, name), NULL, bytecode_token(at)};
        bool ok = true;
        if (is_optional) {
            ok = stream_optional_attr(file, record, &attr.value);
        } else {
            attr.value = stream_attr(file, record);
            ok = attr.value != NULL;
        }
        if (!ok) return false;
        if (attr.value) vec_push(reader->arena, &reader->attrs, attr);
        attrs += size + (attrs[size] == ' ');
    }
    return stream_at_end(record) || bytecode_error(
                                        file, at, "'%.*s' op has more properties than attributes",
                                        SV_ARG(op_code_text(code)));
}
