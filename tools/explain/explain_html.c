// explain_html: an explanation as one page that needs nothing else: the meshes, the collectives
// with their reasons and advice, and every value with the devices that hold its tiles and its
// chains. Names of values are links.
#include "tools/explain/explain.h"
#include "tools/tool.h"

#include <string.h>

static const char before_title[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<title>";
static const char head[] =
    "</title>\n"
    "<style>\n"
    "body{font:14px/1.45 system-ui,sans-serif;margin:1.5em auto;max-width:76em;padding:0 "
    "1em;color:#222}\n"
    "code,td.n,pre{font-family:ui-monospace,monospace;font-size:13px}\n"
    "table{border-collapse:collapse;margin:.5em 0}td,th{border:1px solid #ccc;padding:.2em "
    ".6em;text-align:left}\n"
    "th{background:#f2f2f2}td.n{text-align:right;white-space:nowrap}\n"
    "td.t{text-align:center;min-width:3em}a{color:#0645ad;text-decoration:none}a:hover{text-"
    "decoration:underline}\n"
    "section,details{border:1px solid #ddd;border-radius:4px;padding:.4em .9em;margin:.5em 0}\n"
    ":target{border-color:#e69f00;box-shadow:0 0 0 2px #ffe6a8}\n"
    ".bar{background:#56b4e9;height:.8em;display:inline-block}.good{background:#eaf7ea}\n"
    "summary{cursor:pointer}.dim{color:#666}\n"
    "</style></head><body>\n";

// Closed details with the target open, wherever the link comes from.
static const char tail[] =
    "<script>\nfunction show(){var e=document.getElementById(location.hash.slice(1));"
    "if(e&&e.tagName==='DETAILS'){e.open=true;e.scrollIntoView();}}\n"
    "addEventListener('hashchange',show);show();\n</script>\n</body></html>\n";

void explain_escape(StrBuf *out, const char *text) {
    for (; *text; text++) {
        switch (*text) {
        case '<': strbuf_puts(out, "&lt;"); break;
        case '>': strbuf_puts(out, "&gt;"); break;
        case '&': strbuf_puts(out, "&amp;"); break;
        case '"': strbuf_puts(out, "&quot;"); break;
        default: strbuf_putc(out, *text); break;
        }
    }
}

void explain_html_begin(StrBuf *out, const char *title) {
    strbuf_puts(out, before_title);
    explain_escape(out, title);
    strbuf_puts(out, head);
}

static void code(StrBuf *out, const char *text) {
    strbuf_puts(out, "<code>");
    explain_escape(out, text);
    strbuf_puts(out, "</code>");
}

static void value_link(StrBuf *out, const shardc_explanation *explanation, int index) {
    if (index < 0) return;
    strbuf_printf(out, "<a href=\"#v%d\">", index);
    code(out, explanation->values[index].name);
    strbuf_puts(out, "</a>");
}

// ---- meshes and tiles ----

// A colour for a number; neighbours differ.
static void tile_cell(StrBuf *out, int64_t number) {
    strbuf_printf(
        out, "<td class=\"t\" style=\"background:hsl(%d,60%%,88%%)\">", (int)(number * 67 % 360));
}

static void print_mesh(StrBuf *out, const shardc_explain_mesh *mesh) {
    enum { MAX_DRAWN = 1024 };
    int64_t devices = 1;
    for (int a = 0; a < mesh->axis_count; a++)
        devices *= mesh->axis_sizes[a];
    strbuf_puts(out, "<h3>mesh @");
    explain_escape(out, mesh->name);
    strbuf_puts(out, " ");
    code(out, mesh->axes);
    strbuf_puts(out, "</h3>\n");
    if (mesh->axis_count == 0 || devices > MAX_DRAWN) return;
    const char *across = mesh->axis_names[mesh->axis_count - 1];
    int64_t columns = mesh->axis_sizes[mesh->axis_count - 1];
    int64_t rows = mesh->axis_count > 1 ? mesh->axis_sizes[mesh->axis_count - 2] : 1;
    for (int64_t row = 0; row * columns < devices; row++) {
        if (row % rows == 0) {
            if (mesh->axis_count > 2) {
                strbuf_puts(out, "<p>");
                explain_outer_axes(out, mesh, row / rows);
                strbuf_puts(out, "</p>\n");
            }
            strbuf_puts(out, "<table><tr><th>");
            if (mesh->axis_count > 1) {
                explain_escape(out, mesh->axis_names[mesh->axis_count - 2]);
                strbuf_puts(out, " &darr; ");
            }
            explain_escape(out, across);
            strbuf_puts(out, " &rarr;</th>");
            for (int64_t c = 0; c < columns; c++)
                strbuf_printf(out, "<th>%lld</th>", (long long)c);
            strbuf_puts(out, "</tr>\n");
        }
        strbuf_printf(out, "<tr><th>%lld</th>", (long long)(row % rows));
        for (int64_t c = 0; c < columns; c++) {
            int64_t device = mesh->devices[row * columns + c];
            strbuf_printf(out, "<td class=\"t\">%lld</td>", (long long)device);
        }
        strbuf_puts(out, "</tr>\n");
        if (row % rows == rows - 1) strbuf_puts(out, "</table>\n");
    }
}

static void print_range(StrBuf *out, const shardc_explain_value *value, int d, int64_t tile) {
    int64_t begin = tile * value->tile_dims[d], end = begin + value->tile_dims[d];
    if (begin > value->dims[d]) begin = value->dims[d];
    if (end > value->dims[d]) end = value->dims[d];
    strbuf_printf(out, "%lld:%lld", (long long)begin, (long long)end);
}

// One row per device where more than two dims are split; else a grid of tiles
// with the devices that hold each.
static void print_devices(
    StrBuf *out, const shardc_explanation *explanation, const shardc_explain_value *value) {
    strbuf_puts(out, "<table><tr><th>device</th><th>holds</th></tr>\n");
    for (int device = 0; device < explanation->device_count; device++) {
        strbuf_printf(out, "<tr><td class=\"n\">%d</td><td class=\"n\">[", device);
        for (int d = 0; d < value->rank; d++) {
            if (d) strbuf_puts(out, ", ");
            print_range(out, value, d, value->tiles[device * value->rank + d]);
        }
        strbuf_puts(out, "]</td></tr>\n");
    }
    strbuf_puts(out, "</table>\n");
}

static int64_t tile_count(
    const shardc_explanation *explanation, const shardc_explain_value *value, int d) {
    int32_t count = 0;
    for (int device = 0; d >= 0 && device < explanation->device_count; device++) {
        int32_t tile = value->tiles[device * value->rank + d];
        if (tile > count) count = tile;
    }
    return (int64_t)count + 1;
}

static void print_grid(
    StrBuf *out, const shardc_explanation *explanation, const shardc_explain_value *value, int down,
    int across) {
    int64_t rows = tile_count(explanation, value, down);
    int64_t columns = tile_count(explanation, value, across);
    strbuf_printf(out, "<table><tr><th>dim %d &darr;", down);
    if (across >= 0) strbuf_printf(out, " dim %d &rarr;", across);
    strbuf_puts(out, "</th>");
    for (int64_t c = 0; c < columns; c++) {
        strbuf_puts(out, "<th>");
        if (across >= 0) print_range(out, value, across, c);
        strbuf_puts(out, "</th>");
    }
    strbuf_puts(out, "</tr>\n");
    for (int64_t r = 0; r < rows; r++) {
        strbuf_puts(out, "<tr><th>");
        print_range(out, value, down, r);
        strbuf_puts(out, "</th>");
        for (int64_t c = 0; c < columns; c++) {
            tile_cell(out, r * columns + c);
            for (int device = 0; device < explanation->device_count; device++) {
                const int32_t *tiles = &value->tiles[device * value->rank];
                if (tiles[down] == r && (across < 0 || tiles[across] == c))
                    strbuf_printf(out, "%d ", device);
            }
            strbuf_puts(out, "</td>");
        }
        strbuf_puts(out, "</tr>\n");
    }
    strbuf_puts(out, "</table>\n");
}

static void print_tiles(
    StrBuf *out, const shardc_explanation *explanation, const shardc_explain_value *value) {
    enum { MAX_DRAWN = 256 };
    int split[2] = {-1, -1}, count = 0;
    if (explanation->device_count > MAX_DRAWN) return;
    for (int d = 0; d < value->rank; d++) {
        if (tile_count(explanation, value, d) == 1) continue;
        if (count < 2) split[count] = d;
        count++;
    }
    if (count > 2) print_devices(out, explanation, value);
    if (count == 1 || count == 2) print_grid(out, explanation, value, split[0], split[1]);
}

// ---- values ----

static void print_link(
    StrBuf *out, const shardc_explanation *explanation, const shardc_explain_link *link) {
    strbuf_puts(out, "<li>");
    code(out, link->axis);
    strbuf_printf(out, " in dim %d: ", link->dim);
    if (strcmp(link->how, "step") == 0) {
        strbuf_puts(out, "through ");
        code(out, link->op);
        strbuf_printf(
            out, " (%s factor; step %d, user priority %d, op round %d, %s)", link->factor,
            link->step, link->user_priority, link->round, link->strategy);
    } else {
        strbuf_printf(out, "%s, ", link->how);
        code(out, link->op);
    }
    if (*link->location) {
        strbuf_puts(out, " <span class=\"dim\">");
        explain_escape(out, link->location);
        strbuf_puts(out, "</span>");
    }
    if (link->source >= 0) {
        strbuf_printf(out, ", from dim %d of ", link->source_dim);
        value_link(out, explanation, link->source);
    }
    strbuf_puts(out, "</li>\n");
}

static void print_chain(
    StrBuf *out, const shardc_explanation *explanation, const shardc_explain_link *link) {
    enum { MAX_LINKS = 6 }; // the rest is behind the last one's link
    strbuf_puts(out, "<ol>");
    for (int i = 0; i < MAX_LINKS; i++) {
        print_link(out, explanation, link);
        if (link->source < 0 || link->source_link < 0) break;
        link = &explanation->values[link->source].links[link->source_link];
    }
    strbuf_puts(out, "</ol>\n");
}

static void print_value(StrBuf *out, const shardc_explanation *explanation, int index) {
    const shardc_explain_value *value = &explanation->values[index];
    strbuf_printf(out, "<details id=\"v%d\"><summary>", index);
    code(out, value->name);
    strbuf_puts(out, " = ");
    explain_escape(out, value->op);
    strbuf_puts(out, " ");
    code(out, value->type);
    strbuf_puts(out, " ");
    code(out, explain_or_replicated(value->sharding));
    strbuf_puts(out, "</summary>\n<p>");
    tool_bytes(out, value->tile_bytes);
    strbuf_puts(out, " on each device");
    if (*value->location) strbuf_puts(out, ", at ");
    explain_escape(out, value->location);
    if (*value->written) {
        strbuf_puts(out, "; the program says ");
        code(out, value->written);
    }
    strbuf_puts(out, "</p>\n");
    print_tiles(out, explanation, value);
    for (int i = 0; i < value->link_count; i++)
        print_chain(out, explanation, &value->links[i]);
    strbuf_puts(out, "</details>\n");
}

// ---- collectives ----

static void print_row(StrBuf *out, const shardc_explanation *explanation, int index) {
    const shardc_explain_collective *collective = &explanation->collectives[index];
    int64_t most = explanation->collectives[0].bytes;
    double part = most > 0 ? (double)collective->bytes / (double)most : 0;
    strbuf_printf(
        out, "<tr><td class=\"n\"><a href=\"#c%d\">%d</a></td><td class=\"n\">", index + 1,
        index + 1);
    tool_bytes(out, collective->bytes);
    strbuf_printf(
        out, "</td><td><span class=\"bar\" style=\"width:%.1fem\"></span></td><td>", part * 6);
    explain_escape(out, collective->kind);
    if (collective->loop_depth) strbuf_puts(out, " in a loop");
    strbuf_puts(out, "</td><td>");
    value_link(out, explanation, collective->value);
    strbuf_puts(out, "</td><td>");
    code(out, collective->op);
    strbuf_puts(out, "</td><td class=\"dim\">");
    explain_escape(out, collective->location);
    strbuf_puts(out, "</td><td>");
    if (collective->advice_count > 0) {
        tool_bytes(out, collective->here_bytes);
        strbuf_puts(out, " &rarr; ");
        tool_bytes(out, collective->advice[0].bytes);
    }
    strbuf_puts(out, "</td></tr>\n");
}

static void print_advice(
    StrBuf *out, const shardc_explanation *explanation, const shardc_explain_collective *collective,
    const shardc_explain_advice *advice) {
    strbuf_puts(out, "<tr class=\"good\"><td>");
    explain_escape(out, advice->what);
    strbuf_puts(out, "<br><span class=\"dim\">");
    explain_escape(out, advice->location);
    strbuf_puts(out, "</span></td><td>");
    if (*advice->before) {
        code(out, advice->before);
        strbuf_puts(out, " &rarr;<br>");
    }
    code(out, advice->after);
    if (*advice->jax) {
        strbuf_puts(out, "<br>in JAX ");
        code(out, advice->jax);
    }
    strbuf_puts(out, "</td><td>");
    tool_bytes(out, collective->here_bytes);
    strbuf_puts(out, " &rarr; ");
    tool_bytes(out, advice->bytes);
    strbuf_puts(out, "</td><td>");
    tool_bytes(out, explanation->total_bytes);
    strbuf_puts(out, " &rarr; ");
    tool_bytes(out, advice->total_bytes);
    strbuf_puts(out, "</td><td>");
    tool_bytes(out, explanation->argument_bytes);
    strbuf_puts(out, " &rarr; ");
    tool_bytes(out, advice->argument_bytes);
    double work = explanation->work > 0 ? (double)advice->work / (double)explanation->work : 1;
    strbuf_printf(out, "</td><td>x%.2f</td></tr>\n", work);
}

static void print_collective(StrBuf *out, const shardc_explanation *explanation, int index) {
    const shardc_explain_collective *collective = &explanation->collectives[index];
    strbuf_printf(out, "<section id=\"c%d\"><h3>%d. %s, ", index + 1, index + 1, collective->kind);
    tool_bytes(out, collective->bytes);
    strbuf_puts(out, "</h3>\n<p>");
    code(out, collective->op);
    strbuf_puts(out, " <span class=\"dim\">");
    explain_escape(out, collective->location);
    strbuf_puts(out, "</span>");
    if (collective->value >= 0) {
        strbuf_puts(out, ", moves ");
        value_link(out, explanation, collective->value);
        strbuf_puts(out, ": ");
        code(out, explain_or_replicated(collective->from));
        strbuf_puts(out, " &rarr; ");
        code(out, explain_or_replicated(collective->to));
    }
    strbuf_puts(out, "</p>\n<p>");
    explain_escape(out, collective->cause);
    strbuf_puts(out, "</p>\n<ul>");
    for (int i = 0; i < collective->reason_count; i++) {
        strbuf_puts(out, "<li>");
        explain_escape(out, collective->reasons[i]);
        strbuf_puts(out, "</li>\n");
    }
    strbuf_puts(out, "</ul>\n");
    if (collective->advice_count > 0) {
        strbuf_puts(
            out,
            "<table><tr><th>what to change (tried)</th><th>annotation</th><th>here</th><th>all "
            "collectives</th><th>arguments</th><th>arithmetic</th></tr>\n");
        for (int i = 0; i < collective->advice_count; i++)
            print_advice(out, explanation, collective, &collective->advice[i]);
        strbuf_puts(out, "</table>\n");
    } else if (*collective->no_advice) {
        strbuf_puts(out, "<p class=\"dim\">");
        explain_escape(out, collective->no_advice);
        strbuf_puts(out, "</p>\n");
    }
    strbuf_puts(out, "</section>\n");
}

void explain_print_html(StrBuf *out, const shardc_explanation *explanation) {
    explain_html_begin(out, "shardc explain");
    strbuf_puts(out, "<h1>");
    explain_escape(out, explanation->program);
    strbuf_printf(
        out, "</h1>\n<p>%d devices, %d collectives, ", explanation->device_count,
        explanation->collective_count);
    tool_bytes(out, explanation->total_bytes);
    strbuf_printf(
        out, " on each device (each counted once); %d reshards without communication</p>\n",
        explanation->free_reshards);
    for (int i = 0; i < explanation->mesh_count; i++)
        print_mesh(out, &explanation->meshes[i]);
    strbuf_puts(
        out, "<h2>Collectives</h2>\n<table><tr><th>#</th><th>bytes</th><th></th><th>kind</"
             "th><th>moves</th>"
             "<th>for</th><th>at</th><th>with advice</th></tr>\n");
    for (int i = 0; i < explanation->collective_count; i++)
        print_row(out, explanation, i);
    strbuf_puts(out, "</table>\n");
    for (int i = 0; i < explanation->collective_count; i++)
        print_collective(out, explanation, i);
    strbuf_puts(out, "<h2>Values</h2>\n");
    for (int i = 0; i < explanation->value_count; i++)
        print_value(out, explanation, i);
    strbuf_puts(out, tail);
}
