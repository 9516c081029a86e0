// bytecode_mesh_writer: replica groups by mesh axes, which the IR keeps as text, in VHLO's
// encoding.
#include "frontend/bytecode/writer/bytecode_writer.h"
#include "frontend/mlir/mlir_module_reader.h"

enum { SUB_AXIS = 21, AXIS = 22, MESH_AXES = 23, MESH_AXIS = 24, MESH = 25, ARRAY = 1 };

typedef struct MeshText {
    BytecodeWriter *writer;
    Reader *reader;
} MeshText;

static uint64_t add_vhlo(const MeshText *text, const StrBuf *bytes) {
    return writer_add_attr(text->writer, SV("vhlo"), true, bytes);
}

static uint64_t string_number(const MeshText *text, StrView string) {
    BytecodeWriter *writer = text->writer;
    return writer->attr_number(writer, attr_string(writer->module->context, string));
}

// name = "x"
static bool put_name(const MeshText *text, StrBuf *out) {
    StrView name = {0};
    bool ok = expect_word(text->reader, "name") && expect_punctuation(text->reader, '=') &&
              read_string(text->reader, &name);
    if (ok) put_varint(out, string_number(text, name));
    return ok;
}

// , sub_axis_info = (1)2
static bool read_sub_axis(const MeshText *text, uint64_t *number) {
    Reader *reader = text->reader;
    int64_t pre_size = 0;
    int64_t size = 0;
    bool ok = expect_word(reader, "sub_axis_info") && expect_punctuation(reader, '=') &&
              expect_punctuation(reader, '(') && read_int64(reader, &pre_size) &&
              expect_punctuation(reader, ')') && read_int64(reader, &size);
    StrBuf bytes = strbuf(text->writer->arena);
    put_varint(&bytes, SUB_AXIS);
    put_svarint(&bytes, pre_size);
    put_svarint(&bytes, size);
    if (ok) *number = add_vhlo(text, &bytes);
    return ok;
}

// <name = "x", sub_axis_info = (1)2> of an axis, <name = "x", size = 2> of a mesh
static bool read_axis_text(const MeshText *text, bool of_mesh, uint64_t *number) {
    Reader *reader = text->reader;
    StrBuf bytes = strbuf(text->writer->arena);
    if (reader->token.kind == TOKEN_HASH) reader_advance(reader); // its name may be left out
    put_varint(&bytes, of_mesh ? MESH_AXIS : AXIS);
    if (!expect_punctuation(reader, '<') || !put_name(text, &bytes)) return false;
    bool has_more = accept_punctuation(reader, ',');
    if (of_mesh) {
        int64_t size = 0;
        if (!expect_word(reader, "size") || !expect_punctuation(reader, '=') ||
            !read_int64(reader, &size))
            return false;
        put_svarint(&bytes, size);
    } else {
        uint64_t part = 0;
        if (has_more && !read_sub_axis(text, &part)) return false;
        put_varint(&bytes, has_more);
        if (has_more) put_varint(&bytes, part);
    }
    if (!expect_punctuation(reader, '>')) return false;
    *number = add_vhlo(text, &bytes);
    return true;
}

// axes = [<..>, <..>]
static bool read_axes_text(const MeshText *text, bool of_mesh, uint64_t *number) {
    Reader *reader = text->reader;
    VEC(uint64_t) axes = {0};
    bool ok = expect_word(reader, "axes") && expect_punctuation(reader, '=') &&
              expect_punctuation(reader, '[');
    while (ok && !accept_punctuation(reader, ']')) {
        uint64_t axis = 0;
        if (axes.count > 0 && !expect_punctuation(reader, ',')) return false;
        ok = read_axis_text(text, of_mesh, &axis);
        vec_push(text->writer->arena, &axes, axis);
    }
    StrBuf bytes = strbuf(text->writer->arena);
    put_varint(&bytes, ARRAY);
    put_varint(&bytes, (uint64_t)axes.count);
    for (int64_t i = 0; i < axes.count; i++)
        put_varint(&bytes, axes.data[i]);
    if (ok) *number = add_vhlo(text, &bytes);
    return ok;
}

// @mesh, or #stablehlo.mesh<axes=[...], device_ids=dense<...> : tensor<...>>
static bool read_mesh_text(const MeshText *text, uint64_t *number) {
    Reader *reader = text->reader;
    StrView name;
    if (reader->token.kind == TOKEN_AT) {
        if (!read_symbol(reader, &name)) return false;
        *number = string_number(text, name);
        return true;
    }
    uint64_t axes = 0;
    reader_advance(reader);
    if (!expect_punctuation(reader, '<') || !read_axes_text(text, true, &axes)) return false;
    StrBuf bytes = strbuf(text->writer->arena);
    put_varint(&bytes, MESH);
    put_varint(&bytes, axes);
    bool has_ids = accept_punctuation(reader, ',');
    const Attr *ids = NULL;
    if (has_ids) {
        bool ok = expect_word(reader, "device_ids") && expect_punctuation(reader, '=');
        ids = ok ? read_attr(reader) : NULL;
        if (!ids) return false;
    }
    put_flagged(&bytes, ids ? text->writer->attr_number(text->writer, ids) : 0, has_ids);
    *number = add_vhlo(text, &bytes);
    return expect_punctuation(reader, '>');
}

bool vhlo_mesh_axes(BytecodeWriter *writer, const Attr *attr, uint64_t *number) {
    StrView prefix = SV("#stablehlo.replica_group_mesh_axes");
    if (attr->kind != ATTR_OPAQUE || !strview_starts_with(attr->text, prefix)) return false;
    if (writer->target < 1016) {
        writer_failed(writer, "replica groups by mesh axes are of version 1.16.0");
        return true;
    }
    ReadOptions options = {.file = SV("<attribute>")};
    StrView body = {attr->text.data + prefix.size, attr->text.size - prefix.size};
    Module *scratch = module_create(writer->module->context, writer->arena);
    const MeshText text = {
        writer,
        reader_open(
            scratch, writer->arena, writer->arena, body, &options, diags_create(writer->arena))};
    uint64_t mesh = 0;
    uint64_t axes = 0;
    bool ok = expect_punctuation(text.reader, '<') && expect_word(text.reader, "mesh") &&
              expect_punctuation(text.reader, '=') && read_mesh_text(&text, &mesh) &&
              expect_punctuation(text.reader, ',') && read_axes_text(&text, false, &axes);
    if (!ok) {
        writer_failed(writer, "its replica groups by mesh axes are not in the usual form");
        return true;
    }
    StrBuf bytes = strbuf(writer->arena);
    put_varint(&bytes, MESH_AXES);
    put_varint(&bytes, mesh);
    put_varint(&bytes, axes);
    *number = add_vhlo(&text, &bytes);
    return true;
}
