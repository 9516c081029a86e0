// foreign_format: see foreign_format.h. Formats are told by their first bytes; protobufs, which
// have none, by the numbers and types of their fields.
#include "frontend/foreign_format.h"

#include "frontend/protobuf/protobuf.h"

static const char export_model[] =
    "export the model as StableHLO (MLIR text or a portable artifact)";
static const char give_program[] = "a program is MLIR or HLO text, or MLIR bytecode";
static const char give_input[] = "arrays are inputs (--in)";
static const char unpack[] = "unpack it first";

// ---- protobufs ----

static bool is_name(StrView bytes) {
    for (size_t i = 0; i < bytes.size; i++) {
        if ((unsigned char)bytes.data[i] < 32 || (unsigned char)bytes.data[i] == 127) return false;
    }
    return bytes.size > 0;
}

// The first fields have these numbers and wire types.
static bool begins_with(StrView bytes, int count, const int (*fields)[2], ProtoField *read) {
    ProtoMessage message = proto_message(bytes);
    for (int i = 0; i < count; i++) {
        if (!proto_next(&message, &read[i]) || read[i].number != fields[i][0] ||
            (int)read[i].wire != fields[i][1])
            return false;
    }
    return true;
}

static const char *protobuf_name(StrView contents) {
    static const int graph[][2] = {{1, 2}}, node[][2] = {{1, 2}, {2, 2}};
    static const int saved[][2] = {{1, 0}, {2, 2}};
    ProtoField read[2], inner[2];
    if (begins_with(contents, 2, saved, read)) {
        ProtoMessage message = proto_message(contents);
        ProtoField field;
        while (
            proto_next(&message, &field)) { // a model's graph is field 7, producer_name its field 2
            if (field.number == 7 && field.wire == PROTO_BYTES && is_name(read[1].bytes))
                return "an ONNX model";
        }
        return begins_with(read[1].bytes, 1, graph, inner) ? "a TensorFlow SavedModel" : NULL;
    }
    if (begins_with(contents, 1, graph, read) && begins_with(read[0].bytes, 2, node, inner) &&
        is_name(inner[0].bytes) && is_name(inner[1].bytes))
        return "a TensorFlow GraphDef";
    return NULL;
}

// ---- first bytes ----

static bool has_at(StrView contents, size_t at, StrView bytes) {
    return contents.size >= at + bytes.size &&
           memcmp(contents.data + at, bytes.data, bytes.size) == 0;
}

bool is_binary_data(StrView contents) {
    size_t size = contents.size < 512 ? contents.size : 512;
    return size > 0 && memchr(contents.data, 0, size) != NULL;
}

ForeignFormat foreign_format(StrView contents) {
    static const struct {
        size_t at;
        StrView bytes;
        ForeignFormat format;
    } rows[] = {
        {0, {"\x93NUMPY", 6}, {"a NumPy array", give_input, false}},
        {0,
         {"PK\x03\x04", 4},
         {"a zip archive (.npz, or a model of PyTorch or Keras)", export_model, true}},
        {0,
         {"\x7f"
          "ELF",
          4},
         {"a compiled library or program", give_program, false}},
        {0, {"\x1f\x8b", 2}, {"a gzip file", unpack, false}},
        {0, {"\x28\xb5\x2f\xfd", 4}, {"a zstd file", unpack, false}},
        {0,
         {"\xfd"
          "7zXZ",
          5},
         {"an xz file", unpack, false}},
        {0, {"\x89HDF", 4}, {"an HDF5 file", export_model, true}},
        {0, {"BC\xc0\xde", 4}, {"LLVM bitcode", give_program, false}},
        {4, {"TFL3", 4}, {"a TensorFlow Lite model", export_model, true}},
        {4, {"ET12", 4}, {"an ExecuTorch program", export_model, true}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (has_at(contents, rows[i].at, rows[i].bytes)) return rows[i].format;
    }
    if (contents.size > 2 && has_at(contents, 0, SV("\x80")) && contents.data[1] >= 2 &&
        contents.data[1] <= 5)
        return (ForeignFormat){"a Python pickle", export_model, true};
    const char *protobuf = protobuf_name(contents);
    return (ForeignFormat){protobuf, protobuf ? export_model : NULL, true};
}
