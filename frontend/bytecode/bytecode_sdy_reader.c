// bytecode_sdy_reader: Shardy's attributes in MLIR bytecode: written out as text, which the
// text form's reader then checks.
#include "frontend/bytecode/bytecode_reader.h"

enum {
    SDY_MANUAL_AXES = 0,
    SDY_MESH_AXIS = 1,
    SDY_MESH = 2,
    SDY_SUB_AXIS = 3,
    SDY_AXIS = 4,
    SDY_DIM_SHARDING = 5,
    SDY_SHARDING = 6,
    SDY_SHARDINGS = 7,
    SDY_DIM_MAPPING = 8,
    SDY_TENSOR_MAPPING = 9,
    SDY_RULE = 10,
    SDY_AXIS_LIST = 11,
    SDY_AXIS_LISTS = 12,
    SDY_ALL_TO_ALL_PARAM = 13,
    SDY_ALL_TO_ALL_PARAMS = 14,
    SDY_SHARDING_UNREDUCED = 15,
    SDY_SHARDINGS_UNREDUCED = 16,
    SDY_SHARDING_REDUCTION = 17,
    SDY_CODES = 18,
    MAX_TEXT = 1 << 20 // bytes of one attribute
};

typedef struct SdyText {
    Bytecode *file;
    StrBuf *out;
} SdyText;

static bool write_sdy(const SdyText *text, ByteStream *stream, uint64_t code);

// The part that the next index stands for; `allowed`: the codes that may stand here, as bits.
static bool write_part(const SdyText *text, ByteStream *stream, unsigned allowed) {
    BytecodeEntry *entry = stream_entry(text->file, stream, false);
    if (!entry) return false;
    ByteStream part = byte_stream(entry->bytes);
    uint64_t code = stream_varint(&part);
    bool ok = entry->is_custom && strview_is(entry->dialect, "sdy") && code < SDY_CODES &&
              (allowed >> code & 1) && text->out->size <= MAX_TEXT;
    if (!ok)
        return bytecode_error(
            text->file, entry->bytes.data, "this attribute cannot be a part of one of sdy's");
    return write_sdy(text, &part, code) && !part.failed;
}

// A list of parts between `open` and `close`.
static bool write_list(
    const SdyText *text, ByteStream *stream, const char *open, unsigned allowed,
    const char *close) {
    strbuf_puts(text->out, open);
    int count = stream_count(stream);
    for (int i = 0; i < count; i++) {
        if (i > 0) strbuf_puts(text->out, ", ");
        if (!write_part(text, stream, allowed)) return false;
    }
    strbuf_puts(text->out, close);
    return true;
}

static bool write_string(const SdyText *text, StrView string) {
    attr_print(text->out, attr_string(text->file->reader->context, string));
    return text->out->size <= MAX_TEXT;
}

// {"a", "b"}: the axes are strings of the builtin dialect
static bool write_names(const SdyText *text, ByteStream *stream) {
    int count = stream_count(stream);
    strbuf_puts(text->out, "<{");
    for (int i = 0; i < count; i++) {
        const Attr *name = stream_string_attr(text->file, stream);
        if (i > 0) strbuf_puts(text->out, ", ");
        if (!name || !write_string(text, name->text)) return false;
    }
    strbuf_puts(text->out, "}>");
    return true;
}

// <["x"=2, "y"=4], device_ids=[1, 0, ...]>
static bool write_mesh(const SdyText *text, ByteStream *stream) {
    if (!write_list(text, stream, "<[", 1u << SDY_MESH_AXIS, "]")) return false;
    int count = stream_count(stream);
    if (count > 0) strbuf_puts(text->out, ", device_ids=[");
    for (int i = 0; i < count; i++)
        strbuf_printf(text->out, i ? ", %lld" : "%lld", (long long)stream_svarint(stream));
    strbuf_puts(text->out, count > 0 ? "]>" : ">");
    return true;
}

// "x", "x":(1)2
static bool write_axis(const SdyText *text, ByteStream *stream) {
    if (!write_string(text, stream_string(text->file, stream))) return false;
    uint64_t index = stream_varint(stream);
    if (index == 0) return true;
    if (!(index & 1) || index >> 1 >= (uint64_t)text->file->attr_count) return false;
    const BytecodeEntry *entry = &text->file->attrs[index >> 1];
    ByteStream part = byte_stream(entry->bytes);
    if (!entry->is_custom || !strview_is(entry->dialect, "sdy") ||
        stream_varint(&part) != SDY_SUB_AXIS)
        return false;
    strbuf_putc(text->out, ':');
    return write_sdy(text, &part, SDY_SUB_AXIS) && !part.failed;
}

// {"x", ?}p1
static bool write_dim(const SdyText *text, ByteStream *stream) {
    ByteStream ahead = *stream;
    int axes = stream_count(&ahead);
    if (!write_list(text, stream, "{", 1u << SDY_AXIS, "")) return false;
    bool is_closed = stream_byte(stream) != 0;
    if (!is_closed) strbuf_puts(text->out, axes > 0 ? ", ?" : "?");
    strbuf_putc(text->out, '}');
    bool has_priority;
    uint64_t priority = stream_flagged(stream, &has_priority);
    if (has_priority) strbuf_printf(text->out, "p%llu", (unsigned long long)priority);
    return true;
}

// @mesh, or mesh<["x"=2]>
static bool write_mesh_or_symbol(const SdyText *text, ByteStream *stream) {
    ByteStream ahead = *stream;
    const BytecodeEntry *entry = stream_entry(text->file, &ahead, false);
    if (!entry) return false;
    if (entry->is_custom && strview_is(entry->dialect, "sdy")) {
        strbuf_puts(text->out, "mesh");
        return write_part(text, stream, 1u << SDY_MESH);
    }
    const Attr *symbol = stream_attr(text->file, stream);
    if (!symbol || symbol->kind != ATTR_SYMBOL) return false;
    attr_print(text->out, symbol);
    return text->out->size <= MAX_TEXT;
}

// , replicated={"x"}: nothing when the list is empty
static bool write_named_axes(const SdyText *text, ByteStream *stream, const char *name) {
    ByteStream ahead = *stream;
    if (stream_count(&ahead) == 0) {
        *stream = ahead;
        return !ahead.failed;
    }
    strbuf_puts(text->out, name);
    return write_list(text, stream, "{", 1u << SDY_AXIS, "}");
}

static bool write_sharding(const SdyText *text, ByteStream *stream, uint64_t code) {
    static const char *const kinds[] = {", unreduced=sum", ", unreduced=max", ", unreduced=min"};
    strbuf_putc(text->out, '<');
    bool ok = write_mesh_or_symbol(text, stream) &&
              write_list(text, stream, ", [", 1u << SDY_DIM_SHARDING, "]") &&
              write_named_axes(text, stream, ", replicated=");
    if (!ok) return false;
    int64_t kind = 0;
    if (code == SDY_SHARDING_REDUCTION) { // the kind stands behind the axes
        ByteStream ahead = *stream;
        int axes = stream_count(&ahead);
        for (int i = 0; i < axes; i++)
            (void)stream_varint(&ahead);
        kind = stream_svarint(&ahead);
        if (kind < 0 || kind > 2) return false;
    }
    const char *head = kind == 0 ? ", unreduced=" : kinds[kind];
    if (code != SDY_SHARDING && !write_named_axes(text, stream, head)) return false;
    if (code == SDY_SHARDING_REDUCTION) (void)stream_svarint(stream);
    strbuf_putc(text->out, '>');
    return true;
}

// {"x"}: 0->1
static bool write_param(const SdyText *text, ByteStream *stream) {
    if (!write_list(text, stream, "{", 1u << SDY_AXIS, "}")) return false;
    int64_t source = stream_svarint(stream);
    int64_t target = stream_svarint(stream);
    strbuf_printf(text->out, ": %lld->%lld", (long long)source, (long long)target);
    return true;
}

// Factors are called i ... z, z_1 ...
static void write_factor(StrBuf *out, int64_t factor) {
    if (factor <= 'z' - 'i') {
        strbuf_putc(out, (char)('i' + factor));
    } else {
        strbuf_printf(out, "z_%lld", (long long)(factor - ('z' - 'i')));
    }
}

static bool write_factors(const SdyText *text, ByteStream *stream, const char *separator) {
    int count = stream_count(stream);
    for (int i = 0; i < count; i++) {
        int64_t factor = stream_svarint(stream);
        if (factor < 0 || text->out->size > MAX_TEXT) return false;
        if (i > 0) strbuf_puts(text->out, separator);
        write_factor(text->out, factor);
    }
    return true;
}

// <([i, k])->([i]) {i=8, k=4} reduction={k}>
static bool write_rule(const SdyText *text, ByteStream *stream) {
    static const char *const kinds[] = {
        " reduction={", " need_replication={", " permutation={", " blocked_propagation={"};
    ByteStream sizes = *stream;
    int factors = stream_count(stream);
    for (int i = 0; i < factors; i++)
        (void)stream_varint(stream);
    (void)stream_count(&sizes);
    bool ok = write_list(text, stream, "<(", 1u << SDY_TENSOR_MAPPING, ")->(") &&
              write_list(text, stream, "", 1u << SDY_TENSOR_MAPPING, ") {");
    if (!ok) return false;
    for (int i = 0; i < factors; i++) {
        if (i > 0) strbuf_puts(text->out, ", ");
        write_factor(text->out, i);
        strbuf_printf(text->out, "=%lld", (long long)stream_svarint(&sizes));
    }
    strbuf_putc(text->out, '}');
    for (int k = 0; k < 4; k++) {
        ByteStream ahead = *stream;
        if (stream_count(&ahead) == 0) {
            *stream = ahead;
            continue;
        }
        strbuf_puts(text->out, kinds[k]);
        if (!write_factors(text, stream, ", ")) return false;
        strbuf_putc(text->out, '}');
    }
    if (stream_byte(stream) != 0) strbuf_puts(text->out, ", custom");
    strbuf_putc(text->out, '>');
    return true;
}

// What stands behind the attribute's name in text.
static bool write_sdy(const SdyText *text, ByteStream *stream, uint64_t code) {
    enum {
        SHARDING_BITS =
            1u << SDY_SHARDING | 1u << SDY_SHARDING_UNREDUCED | 1u << SDY_SHARDING_REDUCTION
    };
    switch (code) {
    case SDY_MANUAL_AXES: return write_names(text, stream);
    case SDY_MESH_AXIS:
        if (!write_string(text, stream_string(text->file, stream))) return false;
        strbuf_printf(text->out, "=%lld", (long long)stream_svarint(stream));
        return true;
    case SDY_MESH: return write_mesh(text, stream);
    case SDY_SUB_AXIS: {
        int64_t pre_size = stream_svarint(stream);
        strbuf_printf(
            text->out, "(%lld)%lld", (long long)pre_size, (long long)stream_svarint(stream));
        return true;
    }
    case SDY_AXIS: return write_axis(text, stream);
    case SDY_DIM_SHARDING: return write_dim(text, stream);
    case SDY_SHARDING:
    case SDY_SHARDING_UNREDUCED:
    case SDY_SHARDING_REDUCTION: return write_sharding(text, stream, code);
    case SDY_SHARDINGS:
    case SDY_SHARDINGS_UNREDUCED: return write_list(text, stream, "<[", SHARDING_BITS, "]>");
    case SDY_DIM_MAPPING: return write_factors(text, stream, "");
    case SDY_TENSOR_MAPPING: return write_list(text, stream, "[", 1u << SDY_DIM_MAPPING, "]");
    case SDY_RULE: return write_rule(text, stream);
    case SDY_AXIS_LIST: return write_list(text, stream, "{", 1u << SDY_AXIS, "}");
    case SDY_AXIS_LISTS: return write_list(text, stream, "<[", 1u << SDY_AXIS_LIST, "]>");
    case SDY_ALL_TO_ALL_PARAM: return write_param(text, stream);
    case SDY_ALL_TO_ALL_PARAMS:
        return write_list(text, stream, "<[", 1u << SDY_ALL_TO_ALL_PARAM, "]>");
    default: return false;
    }
}

const Attr *sdy_attr(Bytecode *file, ByteStream *stream, uint64_t code) {
    static const char *const names[SDY_CODES] = {
        [SDY_MANUAL_AXES] = "manual_axes",
        [SDY_MESH] = "mesh",
        [SDY_SHARDING] = "sharding",
        [SDY_SHARDINGS] = "sharding_per_value",
        [SDY_RULE] = "op_sharding_rule",
        [SDY_AXIS_LIST] = "axis_ref_list",
        [SDY_AXIS_LISTS] = "list_of_axis_ref_lists",
        [SDY_ALL_TO_ALL_PARAMS] = "all_to_all_param_list",
        [SDY_SHARDING_UNREDUCED] = "sharding",
        [SDY_SHARDINGS_UNREDUCED] = "sharding_per_value",
        [SDY_SHARDING_REDUCTION] = "sharding"};
    if (code >= SDY_CODES) return NULL;
    StrBuf out = strbuf(file->reader->scratch);
    // A part of other attributes: nobody asks for it by itself.
    strbuf_printf(&out, "#sdy.%s", names[code] ? names[code] : "part");
    const SdyText text = {file, &out};
    if (code == SDY_AXIS_LIST) strbuf_putc(&out, '<');
    if (!write_sdy(&text, stream, code) || stream->failed) {
        if (file->reader->diags->error_count == 0)
            (void)bytecode_error(file, stream->at, "this attribute of sdy cannot be read");
        return NULL;
    }
    if (code == SDY_AXIS_LIST) strbuf_putc(&out, '>');
    return attr_from_text(file, strbuf_view(&out));
}
