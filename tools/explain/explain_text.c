// explain_text: an explanation for people, in a terminal.
#include "tools/explain/explain.h"
#include "tools/tool.h"

#include <string.h>

const char *explain_or_replicated(const char *sharding) {
    return *sharding ? sharding : "replicated";
}

bool explain_is_shown(const shardc_explain_value *value, const ExplainView *view) {
    const char *own = value->name, *wanted = view->value;
    const char *colon = *own == '@' ? strstr(own, ":%") : NULL;
    if (view->in_functions && colon) own = colon + 1;
    if (*own == '%' && *wanted != '%') own++;
    size_t length = strlen(wanted);
    if (strncmp(own, wanted, length) != 0) return false;
    return own[length] == 0 || own[length] == '#' || own[length] == ' ';
}

// ---- meshes ----

void explain_outer_axes(StrBuf *out, const shardc_explain_mesh *mesh, int64_t grid) {
    int64_t below = 1;
    for (int a = 0; a < mesh->axis_count - 2; a++)
        below *= mesh->axis_sizes[a];
    for (int a = 0; a < mesh->axis_count - 2; a++) {
        below /= mesh->axis_sizes[a];
        long long coordinate = grid / below % mesh->axis_sizes[a];
        strbuf_printf(out, "%s%s=%lld", a ? ", " : "", mesh->axis_names[a], coordinate);
    }
}

// The last axis of the mesh goes across, the one before it down; further ones are a grid each.
static void print_mesh(StrBuf *out, const shardc_explain_mesh *mesh) {
    enum { MAX_DRAWN = 64 };
    int64_t devices = 1;
    for (int a = 0; a < mesh->axis_count; a++)
        devices *= mesh->axis_sizes[a];
    strbuf_printf(
        out, "mesh @%s %s, %lld device%s\n", mesh->name, mesh->axes, (long long)devices,
        devices == 1 ? "" : "s");
    if (mesh->axis_count == 0 || devices > MAX_DRAWN) return;
    int64_t columns = mesh->axis_sizes[mesh->axis_count - 1];
    int64_t rows = mesh->axis_count > 1 ? mesh->axis_sizes[mesh->axis_count - 2] : 1;
    for (int64_t row = 0; row * columns < devices; row++) {
        if (mesh->axis_count > 2 && row % rows == 0) {
            strbuf_puts(out, "    ");
            explain_outer_axes(out, mesh, row / rows);
            strbuf_putc(out, '\n');
        }
        strbuf_puts(out, "   ");
        for (int64_t c = 0; c < columns; c++)
            strbuf_printf(out, " %3lld", (long long)mesh->devices[row * columns + c]);
        if (row == 0) {
            strbuf_puts(out, "    ");
            if (mesh->axis_count > 1) {
                strbuf_printf(out, "down \"%s\", ", mesh->axis_names[mesh->axis_count - 2]);
            }
            strbuf_printf(out, "across \"%s\"", mesh->axis_names[mesh->axis_count - 1]);
        }
        strbuf_putc(out, '\n');
    }
}

// ---- values ----

static void print_link(
    StrBuf *out, const shardc_explain_value *value, const shardc_explain_link *link) {
    strbuf_printf(out, "dim %d of %s", link->dim, value->name);
    if (strcmp(link->how, "written") == 0) {
        strbuf_printf(out, ": written on %s", link->op);
    } else if (strcmp(link->how, "constraint") == 0) {
        strbuf_printf(out, ": copied from %s", link->op);
    } else if (strcmp(link->how, "group") == 0) {
        strbuf_puts(out, ": copied from another member of its sharding group");
    } else {
        strbuf_printf(
            out, ": step %d, through %s (%s factor; user priority %d, op round %d, %s)", link->step,
            link->op, link->factor, link->user_priority, link->round, link->strategy);
    }
    if (*link->location) strbuf_printf(out, ", %s", link->location);
    strbuf_putc(out, '\n');
}

// From the value back to where the axis was written.
static void print_chain(
    StrBuf *out, const shardc_explanation *explanation, const shardc_explain_value *value,
    const shardc_explain_link *link) {
    enum { MAX_LINKS = 1000 };
    strbuf_printf(out, "    %s in ", link->axis);
    for (int i = 0; i < MAX_LINKS; i++) {
        if (i > 0) strbuf_puts(out, "      <- ");
        print_link(out, value, link);
        if (link->source < 0) return;
        value = &explanation->values[link->source];
        if (link->source_link < 0) return;
        link = &value->links[link->source_link];
    }
}

static void print_tiles(
    StrBuf *out, const shardc_explanation *explanation, const shardc_explain_value *value) {
    enum { MAX_DRAWN = 64 };
    if (!*value->sharding || explanation->device_count > MAX_DRAWN) return;
    for (int device = 0; device < explanation->device_count; device++) {
        strbuf_printf(
            out, "%s%d: [",
            device % 4 ? "   "
            : device   ? "\n    device "
                       : "    device ",
            device);
        for (int d = 0; d < value->rank; d++) {
            int64_t begin = value->tiles[device * value->rank + d] * value->tile_dims[d];
            int64_t end = begin + value->tile_dims[d];
            if (begin > value->dims[d]) begin = value->dims[d];
            if (end > value->dims[d]) end = value->dims[d];
            strbuf_printf(out, "%s%lld:%lld", d ? ", " : "", (long long)begin, (long long)end);
        }
        strbuf_putc(out, ']');
    }
    strbuf_putc(out, '\n');
}

static void print_value(
    StrBuf *out, const shardc_explanation *explanation, const shardc_explain_value *value) {
    strbuf_printf(
        out, "%s = %s: %s, %s, ", value->name, value->op, value->type,
        explain_or_replicated(value->sharding));
    tool_bytes(out, value->tile_bytes);
    strbuf_puts(out, " on each device\n");
    if (*value->location) strbuf_printf(out, "    at %s\n", value->location);
    if (*value->written) strbuf_printf(out, "    the program says %s\n", value->written);
    print_tiles(out, explanation, value);
    for (int i = 0; i < value->link_count; i++)
        print_chain(out, explanation, value, &value->links[i]);
    int index = (int)(value - explanation->values);
    for (int i = 0; i < explanation->collective_count; i++) {
        const shardc_explain_collective *collective = &explanation->collectives[i];
        if (collective->value != index) continue;
        strbuf_printf(out, "    moved by collective %d (%s, ", i + 1, collective->kind);
        tool_bytes(out, collective->bytes);
        strbuf_puts(out, ")\n");
    }
}

static void print_values(StrBuf *out, const shardc_explanation *explanation) {
    strbuf_puts(out, "values\n");
    for (int i = 0; i < explanation->value_count; i++) {
        const shardc_explain_value *value = &explanation->values[i];
        if (value->rank == 0) continue;
        strbuf_printf(
            out, "  %s = %s: %s, %s\n", value->name, value->op, value->type,
            explain_or_replicated(value->sharding));
    }
}

// ---- collectives ----

static void print_advice(
    StrBuf *out, const shardc_explanation *explanation, const shardc_explain_collective *collective,
    const shardc_explain_advice *advice, bool is_first) {
    double work = explanation->work > 0 ? (double)advice->work / (double)explanation->work : 1;
    const char *word = work > 1.05 ? "price " : is_first ? "try   " : "or    ";
    strbuf_printf(out, "  %s %s", word, advice->what);
    if (*advice->location) strbuf_printf(out, " (%s)", advice->location);
    strbuf_puts(out, "\n         ");
    if (*advice->before) strbuf_printf(out, "from %s ", advice->before);
    strbuf_printf(out, "to %s", advice->after);
    if (*advice->jax) strbuf_printf(out, ", in JAX %s", advice->jax);
    strbuf_puts(out, "\n         here ");
    tool_bytes(out, collective->here_bytes);
    strbuf_puts(out, " -> ");
    tool_bytes(out, advice->bytes);
    strbuf_puts(out, "; all collectives ");
    tool_bytes(out, explanation->total_bytes);
    strbuf_puts(out, " -> ");
    tool_bytes(out, advice->total_bytes);
    if (advice->argument_bytes != explanation->argument_bytes) {
        strbuf_puts(out, "; arguments ");
        tool_bytes(out, explanation->argument_bytes);
        strbuf_puts(out, " -> ");
        tool_bytes(out, advice->argument_bytes);
    }
    if (work > 1.01 || work < 0.99) strbuf_printf(out, "; arithmetic x%.2f", work);
    strbuf_putc(out, '\n');
}

static void print_collective(StrBuf *out, const shardc_explanation *explanation, int index) {
    const shardc_explain_collective *collective = &explanation->collectives[index];
    strbuf_printf(out, "collective %d: %s, ", index + 1, collective->kind);
    tool_bytes(out, collective->bytes);
    if (collective->group_size) {
        strbuf_printf(out, ", among groups of %d devices", collective->group_size);
    }
    if (collective->loop_depth) strbuf_puts(out, ", in a loop");
    if (collective->part_count > 1)
        strbuf_printf(out, ", one of %d that are done as one", collective->part_count);
    strbuf_printf(out, "\n  at     %s", collective->op);
    if (*collective->location) strbuf_printf(out, ", %s", collective->location);
    strbuf_putc(out, '\n');
    if (collective->value >= 0) {
        const shardc_explain_value *value = &explanation->values[collective->value];
        strbuf_printf(out, "  moves  %s: %s\n", value->name, value->type);
        if (strcmp(collective->from, collective->to) != 0) {
            strbuf_printf(
                out, "         %s -> %s\n", explain_or_replicated(collective->from),
                explain_or_replicated(collective->to));
        }
    }
    strbuf_printf(out, "  why    %s\n", collective->cause);
    for (int i = 0; i < collective->reason_count; i++)
        strbuf_printf(out, "         - %s\n", collective->reasons[i]);
    for (int i = 0; i < collective->advice_count; i++)
        print_advice(out, explanation, collective, &collective->advice[i], i == 0);
    if (*collective->no_advice) strbuf_printf(out, "  advice %s\n", collective->no_advice);
}

static void print_table(StrBuf *out, const shardc_explanation *explanation) {
    strbuf_printf(
        out, "%d collective%s, ", explanation->collective_count,
        explanation->collective_count == 1 ? "" : "s");
    tool_bytes(out, explanation->total_bytes);
    strbuf_printf(
        out, " on each device (each counted once); %d reshard%s without communication\n",
        explanation->free_reshards, explanation->free_reshards == 1 ? "" : "s");
    for (int i = 0; i < explanation->collective_count; i++) {
        const shardc_explain_collective *collective = &explanation->collectives[i];
        StrBuf bytes = strbuf(out->arena);
        tool_bytes(&bytes, collective->bytes);
        const char *value =
            collective->value >= 0 ? explanation->values[collective->value].name : "";
        strbuf_printf(
            out, "  %3d  %10s  %-18s  %-8s  %s  %s%s\n", i + 1, strbuf_cstring(&bytes),
            collective->kind, value, collective->op, collective->location,
            collective->loop_depth ? "  (in a loop)" : "");
    }
}

void explain_print_text(
    StrBuf *out, const shardc_explanation *explanation, const ExplainView *view) {
    if (view->value) {
        for (int i = 0; i < explanation->value_count; i++) {
            if (explain_is_shown(&explanation->values[i], view))
                print_value(out, explanation, &explanation->values[i]);
        }
        return;
    }
    if (view->collective) {
        print_collective(out, explanation, view->collective - 1);
        int value = explanation->collectives[view->collective - 1].value;
        if (value >= 0) print_value(out, explanation, &explanation->values[value]);
        return;
    }
    strbuf_printf(out, "%s\n", explanation->program);
    for (int i = 0; i < explanation->mesh_count; i++)
        print_mesh(out, &explanation->meshes[i]);
    if (view->values) print_values(out, explanation);
    print_table(out, explanation);
    for (int i = 0; i < explanation->collective_count && i < view->top; i++) {
        strbuf_putc(out, '\n');
        print_collective(out, explanation, i);
    }
    if (explanation->collective_count > view->top) {
        strbuf_printf(
            out, "\n%d more: --collective=N shows one, --top=N shows more\n",
            explanation->collective_count - view->top);
    }
}
