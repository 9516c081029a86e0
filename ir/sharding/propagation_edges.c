// Propagation edges: interning and printing.
#include "ir/sharding/propagation_edges.h"

#include "ir/context.h"

bool edge_end_equal(EdgeEnd a, EdgeEnd b) {
    return a.is_result == b.is_result && a.index == b.index;
}

static void write_end(Context *context, EdgeEnd end) {
    context_key_int(context, end.is_result);
    context_key_int(context, end.index);
}

void propagation_steps_key(Context *context, int count, const PropagationStep *steps) {
    context_key_int(context, count);
    for (int s = 0; s < count; s++) {
        context_key_int(context, steps[s].step);
        context_key_int(context, steps[s].edge_count);
        for (int e = 0; e < steps[s].edge_count; e++) {
            const AxisEdge *edge = &steps[s].edges[e];
            context_key_bytes(context, edge->axis.name.data, edge->axis.name.size);
            context_key_int(context, axis_ref_pre_size(&edge->axis));
            context_key_int(context, edge->axis.size);
            write_end(context, edge->source);
            context_key_int(context, edge->target_count);
            for (int t = 0; t < edge->target_count; t++)
                write_end(context, edge->targets[t]);
        }
    }
}

const PropagationStep *propagation_steps_copy(
    Context *context, int count, const PropagationStep *steps) {
    PropagationStep *copy = ARENA_ARRAY(context->arena, PropagationStep, count);
    for (int s = 0; s < count; s++) {
        AxisEdge *edges = ARENA_ARRAY(context->arena, AxisEdge, steps[s].edge_count);
        for (int e = 0; e < steps[s].edge_count; e++) {
            edges[e] = steps[s].edges[e];
            edges[e].axis.name = context_name(context, edges[e].axis.name);
            EdgeEnd *targets = ARENA_ARRAY(context->arena, EdgeEnd, edges[e].target_count);
            for (int t = 0; t < edges[e].target_count; t++)
                targets[t] = steps[s].edges[e].targets[t];
            edges[e].targets = targets;
        }
        copy[s] = (PropagationStep){steps[s].step, steps[s].edge_count, edges};
    }
    return copy;
}

static void print_end(StrBuf *out, EdgeEnd end) {
    strbuf_printf(out, "%s-%lld", end.is_result ? "result" : "operand", (long long)end.index);
}

static void print_edge(StrBuf *out, const AxisEdge *edge) {
    strbuf_putc(out, '{');
    axis_ref_print(out, &edge->axis);
    strbuf_puts(out, " = ");
    print_end(out, edge->source);
    strbuf_puts(out, " -> [");
    for (int t = 0; t < edge->target_count; t++) {
        if (t) strbuf_puts(out, ", ");
        print_end(out, edge->targets[t]);
    }
    strbuf_puts(out, "]}");
}

void propagation_steps_print(StrBuf *out, int count, const PropagationStep *steps) {
    strbuf_puts(out, "#sdy.propagation_edges<[");
    for (int s = 0; s < count; s++) {
        strbuf_printf(out, "%s{step-%lld = [", s ? ", " : "", (long long)steps[s].step);
        for (int e = 0; e < steps[s].edge_count; e++) {
            if (e) strbuf_puts(out, ", ");
            print_edge(out, &steps[s].edges[e]);
        }
        strbuf_puts(out, "]}");
    }
    strbuf_puts(out, "]>");
}
