// mutate_shardings: other shardings, for values that have one and for others, and other meshes.
#include "tests/fuzz/mutate_text.h"

#include <stdio.h>

static int number_at(const Text *text, size_t at) {
    int number = 0;
    for (; is_digit(char_at(text, at)) && number < 100000; at++)
        number = number * 10 + (char_at(text, at) - '0');
    return number;
}

// The mesh that is declared at sdy.mesh.
static void read_mesh(const Text *text, size_t at, FuzzMesh *mesh) {
    *mesh = (FuzzMesh){0};
    while (at < text->bytes->size && char_at(text, at) != '@' && char_at(text, at) != '\n')
        at++;
    if (char_at(text, at) != '@') return;
    Span name = name_at(text, at);
    text_of_span(text, name, mesh->name, sizeof mesh->name);
    for (at += name.size; char_at(text, at) != '\n' && mesh->axis_count < MAX_MESH_AXES; at++) {
        if (char_at(text, at) != '"') continue;
        size_t end = at + 1;
        while (char_at(text, end) != '"' && char_at(text, end) != '\n')
            end++;
        if (!has(text, end, "\"=")) return;
        FuzzAxis *axis = &mesh->axes[mesh->axis_count++];
        text_of_span(text, (Span){at + 1, end - at - 1}, axis->name, sizeof axis->name);
        axis->size = number_at(text, end + 2);
        at = end + 1;
    }
}

void random_mesh(const Text *text, FuzzMesh *mesh) {
    size_t at = text_find(text, "sdy.mesh @");
    if (at == text->bytes->size) {
        static const char declared[] = "sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>\n";
        size_t module = 0, start = 0;
        while (has(text, start, "//"))
            start = text_next_line(text, text_line_at(text, start));
        for (module = start; module < text->bytes->size && !has(text, module, "func"); module++) {
            if (has(text, module, "module"))
                start = text_next_line(text, text_line_at(text, module));
        }
        bytes_splice(text->bytes, start, 0, declared, sizeof declared - 1);
        at = start;
    }
    read_mesh(text, at, mesh);
}

void append_text(ShardingText *out, const char *word) {
    size_t size = strlen(word);
    if (out->size + size >= sizeof out->text) return;
    memcpy(out->text + out->size, word, size + 1);
    out->size += size;
}

static void append_axis(const Text *text, ShardingText *out, const FuzzAxis *axis, bool split) {
    char buffer[64];
    snprintf(buffer, sizeof buffer, "\"%s\"", axis->name);
    append_text(out, buffer);
    if (!split) return;
    int part = axis->size % 4 == 0 && one_in(text, 2) ? axis->size / 2 : 2;
    int before = one_in(text, 2) && part > 0 ? axis->size / part : 1;
    snprintf(buffer, sizeof buffer, ":(%d)%d", before, part);
    append_text(out, buffer);
}

// The axes that a random draw gave to one place: 0.. the dimensions, then replicated, then
// unreduced.
static int append_axes(
    const Text *text, ShardingText *out, const FuzzMesh *mesh, const int *places, int place) {
    int count = 0;
    for (int a = 0; a < mesh->axis_count; a++) {
        if (places[a] != place) continue;
        if (count++ > 0) append_text(out, ", ");
        const FuzzAxis *axis = &mesh->axes[a];
        append_axis(text, out, axis, axis->size > 2 && axis->size % 2 == 0 && one_in(text, 4));
    }
    return count;
}

static void append_dim(
    const Text *text, ShardingText *out, const FuzzMesh *mesh, const int *places, int d) {
    append_text(out, d > 0 ? ", {" : "{");
    int count = append_axes(text, out, mesh, places, d);
    bool is_open = one_in(text, 3);
    if (is_open) append_text(out, count ? ", ?" : "?");
    append_text(out, "}");
    if ((is_open || count > 0) && one_in(text, 10)) append_text(out, one_in(text, 2) ? "p1" : "p0");
}

void make_sharding(const Text *text, int rank, ShardingText *out) {
    FuzzMesh mesh;
    int places[MAX_MESH_AXES];
    random_mesh(text, &mesh);
    for (int i = mesh.axis_count - 1; i > 0; i--) { // axes in any order
        size_t j = below(text, (size_t)i + 1);
        FuzzAxis axis = mesh.axes[i];
        mesh.axes[i] = mesh.axes[j];
        mesh.axes[j] = axis;
    }
    for (int a = 0; a < mesh.axis_count; a++) {
        places[a] = one_in(text, 3) ? -1 : (int)below(text, (size_t)rank);
        if (rank == 0 || one_in(text, 12)) places[a] = rank + (int)below(text, 3);
    }
    out->size = 0;
    append_text(out, "<");
    append_text(out, mesh.name[0] ? mesh.name : "@mesh");
    append_text(out, ", [");
    for (int d = 0; d < rank; d++)
        append_dim(text, out, &mesh, places, d);
    append_text(out, "]");
    static const char *const more[] = {", replicated={", ", unreduced={"};
    for (int m = 0; m < 2; m++) {
        size_t before = out->size;
        append_text(out, more[m]);
        if (append_axes(text, out, &mesh, places, rank + m) > 0) {
            append_text(out, "}");
        } else {
            out->text[out->size = before] = 0;
        }
    }
    append_text(out, ">");
}

// The rank of `<@mesh, [{}, {}]>`.
static int sharding_rank(const Text *text, Span span) {
    int rank = 0;
    for (size_t at = span.start; at < span.start + span.size && char_at(text, at) != ']'; at++) {
        if (char_at(text, at) == '{') rank++;
    }
    return rank < MAX_SHARDED_DIMS ? rank : MAX_SHARDED_DIMS;
}

static Span random_sharding(const Text *text) {
    size_t at = text_find(text, "<@");
    if (at == text->bytes->size) return (Span){0};
    return (Span){at, text_skip_brackets(text, at) - at};
}

int type_rank(const Text *text, Span type) {
    int rank = 0;
    for (size_t at = type.start; at < type.start + type.size; at++) {
        char before = char_at(text, at - 1);
        if (char_at(text, at) == 'x' && (is_digit(before) || before == '?')) rank++;
    }
    return rank < MAX_SHARDED_DIMS ? rank : MAX_SHARDED_DIMS;
}

bool is_tensor(const Text *text, Span type) { return has(text, type.start, "tensor<"); }

void change_sharding(const Text *text) {
    ShardingText made;
    Span sharding = random_sharding(text);
    if (sharding.size == 0) return;
    Span other = random_sharding(text);
    if (one_in(text, 3) && sharding_rank(text, other) == sharding_rank(text, sharding)) {
        bytes_splice(
            text->bytes, sharding.start, sharding.size, text->bytes->data + other.start,
            other.size);
        return;
    }
    make_sharding(text, sharding_rank(text, sharding), &made);
    if (has(text, sharding.start, "<@")) text_replace(text, sharding, made.text);
}

void add_sharding(const Text *text) {
    Values values;
    ShardingText made;
    char attr[1024];
    FuzzMesh mesh;
    random_mesh(text, &mesh); // so that there is one before places are remembered
    find_values(text, &values);
    const NamedValue *value = random_value(text, &values);
    if (!value || !is_tensor(text, value->type)) return;
    make_sharding(text, type_rank(text, value->type), &made);
    if (!value->is_op) {
        size_t end = value->type.start + value->type.size;
        if (!has(text, end, ",") && !has(text, end, ")")) return;
        snprintf(attr, sizeof attr, " {sdy.sharding = #sdy.sharding%s}", made.text);
        bytes_splice(text->bytes, end, 0, attr, strlen(attr));
        return;
    }
    Span line = text_line_at(text, value->name.start);
    snprintf(attr, sizeof attr, " {sdy.sharding = #sdy.sharding_per_value<[%s]>}", made.text);
    for (size_t at = line.start; at < value->type.start; at++) {
        if (char_at(text, at) == '{') return;
        if (!has(text, at, " : ")) continue;
        bytes_splice(text->bytes, at, 0, attr, strlen(attr));
        return;
    }
}

void drop_sharding(const Text *text) {
    size_t at = text_find(text, " {sdy.sharding = ");
    if (at < text->bytes->size)
        bytes_splice(text->bytes, at, text_skip_brackets(text, at + 1) - at, NULL, 0);
}

void change_mesh(const Text *text) {
    static const int sizes[] = {1, 2, 2, 3, 4, 4, 6, 8, 16};
    enum { SIZES = sizeof sizes / sizeof sizes[0] };
    FuzzMesh mesh;
    char old[64], with[96];
    random_mesh(text, &mesh);
    if (mesh.axis_count == 0) return;
    const FuzzAxis *axis = &mesh.axes[below(text, (size_t)mesh.axis_count)];
    const FuzzAxis *other = &mesh.axes[below(text, (size_t)mesh.axis_count)];
    int size = sizes[below(text, SIZES)];
    switch (below(text, 4)) {
    case 0:
        snprintf(old, sizeof old, "\"%s\"", axis->name);
        snprintf(with, sizeof with, "\"%s\"", other->name);
        for (size_t at = 0; at < text->bytes->size; at++) {
            bool is_old = has(text, at, old) && char_at(text, at + strlen(old)) != '=';
            if (is_old && one_in(text, 2))
                bytes_splice(text->bytes, at, strlen(old), with, strlen(with));
        }
        break;
    case 1:
        snprintf(old, sizeof old, "\"%s\"=", axis->name);
        snprintf(with, sizeof with, "\"w%zu\"=%d, ", below(text, 10), size);
        for (size_t at = 0; at < text->bytes->size; at++) {
            if (!has(text, at, old)) continue;
            bytes_splice(text->bytes, at, 0, with, strlen(with));
            break;
        }
        break;
    default:
        snprintf(old, sizeof old, "\"%s\"=%d", axis->name, axis->size);
        snprintf(with, sizeof with, "\"%s\"=%d", axis->name, size);
        for (size_t at = 0; at < text->bytes->size; at++) {
            if (!has(text, at, old)) continue;
            bytes_splice(text->bytes, at, strlen(old), with, strlen(with));
            break;
        }
    }
}
