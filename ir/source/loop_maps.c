// loop_maps: affine maps of structured ops whose results are single dimensions.
#include "ir/source/source.h"

#include <string.h>

typedef struct MapText {
    const char *at, *end;
} MapText;

static void skip_blanks(MapText *text) {
    while (text->at < text->end && *text->at == ' ')
        text->at++;
}

static bool take(MapText *text, const char *what) {
    skip_blanks(text);
    StrView rest = {text->at, (size_t)(text->end - text->at)};
    if (!strview_starts_with(rest, strview(what))) return false;
    text->at += strlen(what);
    return true;
}

static StrView take_name(MapText *text) {
    skip_blanks(text);
    const char *start = text->at;
    while (text->at < text->end && *text->at != ',' && *text->at != ')' && *text->at != ' ')
        text->at++;
    return (StrView){start, (size_t)(text->at - start)};
}

// (a, b, c): names, at most MAX_LOOPS; -1 for anything else
static int take_names(MapText *text, StrView *names) {
    int count = 0;
    if (!take(text, "(")) return -1;
    if (take(text, ")")) return 0;
    do {
        if (count == MAX_LOOPS) return -1;
        names[count++] = take_name(text);
    } while (take(text, ","));
    return take(text, ")") ? count : -1;
}

bool loop_map_parse(StrView text, LoopMap *map) {
    MapText rest = {text.data, text.data + text.size};
    StrView dims[MAX_LOOPS], results[MAX_LOOPS];
    if (!take(&rest, "affine_map<")) return false;
    map->dims = take_names(&rest, dims);
    if (map->dims < 0 || !take(&rest, "->")) return false;
    map->count = take_names(&rest, results);
    if (map->count < 0 || !take(&rest, ">")) return false;
    for (int i = 0; i < map->count; i++) {
        int d = 0;
        while (d < map->dims && !strview_equal(dims[d], results[i]))
            d++;
        if (d == map->dims) return false;
        map->results[i] = d;
        for (int j = 0; j < i; j++) {
            if (map->results[j] == d) return false;
        }
    }
    return true;
}

static LoopMap identity(int dims) {
    LoopMap map = {.dims = dims, .count = dims};
    for (int d = 0; d < dims; d++)
        map.results[d] = d;
    return map;
}

static bool generic_maps(const Op *op, Loops *loops) {
    const Attr *maps = op_attr(op, NAME_INDEXING_MAPS);
    if (!maps || maps->kind != ATTR_ARRAY || maps->count != op->operand_count) return false;
    for (int i = 0; i < maps->count; i++) {
        const Attr *map = maps->items[i];
        if (map->kind != ATTR_OPAQUE || !loop_map_parse(map->text, &loops->maps[i])) return false;
        if (i > 0 && loops->maps[i].dims != loops->maps[0].dims) return false;
        if (op_operand_type(op, i)->kind == TYPE_TENSOR &&
            loops->maps[i].count != op_operand_type(op, i)->rank)
            return false;
    }
    loops->count = loops->maps[0].dims;
    return true;
}

// The maps of named ops from letters: "mk,kn->mn".
static bool named_maps(const char *spec, Loops *loops) {
    char letters[MAX_LOOPS];
    LoopMap *map = &loops->maps[0];
    map->count = 0;
    loops->count = 0;
    for (const char *p = spec; *p; p++) {
        if (*p == ',' || *p == '-') {
            map++;
            map->count = 0;
            p += *p == '-';
            continue;
        }
        int d = 0;
        while (d < loops->count && letters[d] != *p)
            d++;
        if (d == loops->count) letters[loops->count++] = *p;
        map->results[map->count++] = d;
    }
    for (int i = 0; i < 3; i++)
        loops->maps[i].dims = loops->count;
    return true;
}

static LoopMap without(const LoopMap *map, IntSpan dims) {
    LoopMap left = {.dims = map->dims};
    for (int i = 0; i < map->count; i++) {
        if (!ints_contain(dims, map->results[i])) left.results[left.count++] = map->results[i];
    }
    return left;
}

// A loop that no result has is a reduction.
static void find_reductions(const Op *op, Loops *loops, int ins) {
    for (int d = 0; d < loops->count; d++) {
        loops->is_reduction[d] = true;
        for (int i = ins; i < op->operand_count; i++) {
            for (int r = 0; r < loops->maps[i].count; r++) {
                if (loops->maps[i].results[r] == d) loops->is_reduction[d] = false;
            }
        }
    }
}

typedef struct IndicesRow {
    char unused;
    const char *indices; // NULL: the op is no product
} IndicesRow;

static const IndicesRow products[OP_COUNT] = {
#define INDICES(text) .indices = (text),
#include "ir/dialects/ir_rows.def"
};

const char *linalg_contraction(OpCode code) { return products[code].indices; }

// The iteration space of a named op is that of its result or, of a reduction, of its operand.
static bool named_loops(const Op *op, Loops *loops, int ins) {
    const Type *out = op_operand_type(op, ins);
    if (out->kind != TYPE_TENSOR || out->unranked || out->rank > MAX_LOOPS) return false;
    const char *spec = linalg_contraction(op->code);
    if (spec) return op->operand_count == 3 && named_maps(spec, loops);
    const Type *in = ins > 0 ? op_operand_type(op, 0) : out;
    bool reduces = op->code == OP_LINALG_REDUCE;
    if (reduces && (in->kind != TYPE_TENSOR || in->rank > MAX_LOOPS)) return false;
    int rank = reduces ? in->rank : out->rank;
    LoopMap all = identity(rank);
    IntSpan dims = op_ints(op, NAME_DIMENSIONS), permutation = op_ints(op, NAME_PERMUTATION);
    loops->count = rank;
    for (int i = 0; i < op->operand_count; i++) {
        const Type *type = op_operand_type(op, i);
        bool is_scalar = type->kind != TYPE_TENSOR || (type->rank == 0 && i < ins);
        loops->maps[i] = is_scalar ? (LoopMap){.dims = rank} : all;
        if (reduces && i >= ins) loops->maps[i] = without(&all, dims);
        if (op->code == OP_LINALG_BROADCAST && i < ins) loops->maps[i] = without(&all, dims);
        if (op->code == OP_LINALG_TRANSPOSE && i < ins) { // result d is operand permutation[d]
            if (permutation.count != rank) return false;
            for (int d = 0; d < rank; d++) {
                if (permutation.data[d] < 0 || permutation.data[d] >= rank) return false;
                loops->maps[i].results[permutation.data[d]] = d;
            }
        }
        if (!is_scalar && loops->maps[i].count != type->rank) return false;
    }
    return true;
}

bool loops_of_linalg(const Op *op, Loops *loops) {
    *loops = (Loops){.map_count = op->operand_count};
    IntSpan segments = op_ints(op, NAME_OPERAND_SEGMENT_SIZES);
    if (op->operand_count > MAX_LOOPS || segments.count != 2) return false;
    int ins = (int)segments.data[0];
    bool ok =
        op_attr(op, NAME_INDEXING_MAPS) ? generic_maps(op, loops) : named_loops(op, loops, ins);
    if (ok) find_reductions(op, loops, ins);
    return ok;
}
