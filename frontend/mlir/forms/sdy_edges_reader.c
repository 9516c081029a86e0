// sdy_edges_reader: propagation edges: <[{step-1 = [{"x" = operand-0 -> [result-0]}]}, ...]>
#include "frontend/mlir/forms/sdy_attrs.h"

typedef VEC(EdgeEnd) EdgeEndVec;
typedef VEC(AxisEdge) AxisEdgeVec;
typedef VEC(PropagationStep) StepVec;

// operand-0
static bool read_end(Reader *reader, EdgeEnd *end) {
    end->is_result = at_word(reader, "result");
    if (!accept_word(reader, "operand") && !accept_word(reader, "result"))
        return reader_custom_error(
            reader, &reader->token,
            "expected ::mlir::sdy::EdgeNodeType to be one of: operand, result");
    return expect_punctuation(reader, '-') && read_int64(reader, &end->index);
}

// {"x" = operand-0 -> [operand-1, result-0]}
static bool read_edge(Reader *reader, AxisEdge *edge) {
    bool ok = expect_punctuation(reader, '{') && read_axis(reader, &edge->axis) &&
              expect_punctuation(reader, '=') && read_end(reader, &edge->source) &&
              expect_arrow(reader) && expect_punctuation(reader, '[');
    if (!ok) return false;
    EdgeEndVec targets = {0};
    do {
        EdgeEnd target;
        if (!read_end(reader, &target)) return false;
        vec_push(reader->scratch, &targets, target);
    } while (accept_punctuation(reader, ','));
    edge->target_count = (int)targets.count;
    edge->targets = targets.data;
    return expect_punctuation(reader, ']') && expect_punctuation(reader, '}');
}

// {step-1 = [...]}
static bool read_step(Reader *reader, PropagationStep *step) {
    bool ok = expect_punctuation(reader, '{') && expect_word(reader, "step") &&
              expect_punctuation(reader, '-') && read_int64(reader, &step->step) &&
              expect_punctuation(reader, '=') && expect_punctuation(reader, '[');
    if (!ok) return false;
    AxisEdgeVec edges = {0};
    do {
        AxisEdge edge;
        if (!read_edge(reader, &edge)) return false;
        vec_push(reader->scratch, &edges, edge);
    } while (accept_punctuation(reader, ','));
    step->edge_count = (int)edges.count;
    step->edges = edges.data;
    return expect_punctuation(reader, ']') && expect_punctuation(reader, '}');
}

// Is the number new among those that were seen? StrMap keys are its bytes.
static bool is_new(Reader *reader, StrMap *seen, const void *key, size_t size) {
    StrView bytes = {arena_copy(reader->scratch, key, size), size};
    if (str_map_get(seen, bytes)) return false;
    str_map_set(seen, bytes, reader);
    return true;
}

static bool check_edge(
    Reader *reader, const Token *at, const PropagationStep *step, const AxisEdge *edge) {
    StrMap seen = str_map(reader->scratch);
    for (int t = 0; t < edge->target_count; t++) {
        EdgeEnd target = edge->targets[t];
        if (edge_end_equal(edge->source, target))
            return reader_custom_error(
                reader, at, "propagation edges have a source that is the same as a target");
        int64_t key[] = {target.is_result, target.index};
        if (!is_new(reader, &seen, key, sizeof key))
            return reader_custom_error(
                reader, at,
                "propagation edges have duplicate targets for step index: %lld and axis: %.*s",
                (long long)step->step, SV_ARG(edge->axis.name));
    }
    return true;
}

static bool check_steps(Reader *reader, const Token *at, const StepVec *steps) {
    StrMap seen = str_map(reader->scratch);
    for (int64_t i = 0; i < steps->count; i++) {
        const PropagationStep *step = &steps->data[i];
        if (step->step < 0)
            return reader_custom_error(
                reader, at, "propagation edges have negative step index: %lld",
                (long long)step->step);
        if (!is_new(reader, &seen, &step->step, sizeof step->step))
            return reader_custom_error(
                reader, at, "propagation edges have duplicate step index: %lld",
                (long long)step->step);
        for (int e = 0; e < step->edge_count; e++) {
            if (!check_edge(reader, at, step, &step->edges[e])) return false;
        }
    }
    return true;
}

const Attr *read_propagation_edges(Reader *reader) {
    Token at = reader->token;
    if (!expect_punctuation(reader, '<') || !expect_punctuation(reader, '[')) return NULL;
    StepVec steps = {0};
    do {
        PropagationStep step;
        if (!read_step(reader, &step)) return NULL;
        vec_push(reader->scratch, &steps, step);
    } while (accept_punctuation(reader, ','));
    if (!expect_punctuation(reader, ']') || !expect_punctuation(reader, '>')) return NULL;
    if (!check_steps(reader, &at, &steps)) return NULL;
    const Attr prototype = {.kind = ATTR_EDGES, .count = (int)steps.count, .steps = steps.data};
    return attr_intern(reader->context, &prototype);
}
