// explain_report: see explain_report.h. The parts are the same in all forms; a form says how a
// heading, a line and a table look.
#include "tools/explain/explain_report.h"

#include "base/json.h"
#include "tools/explain/explain.h"
#include "tools/tool.h"

enum { MOST_LIVE = 10, MOST_COLUMNS = 7 };

static int64_t tiles_bytes(const shardc_model_array *arrays, int count) {
    int64_t sum = 0;
    for (int i = 0; i < count; i++) {
        int64_t bytes = arrays[i].element_bytes;
        for (int d = 0; d < arrays[i].rank; d++)
            bytes *= arrays[i].tile_dims[d];
        sum += bytes;
    }
    return sum;
}

// ---- JSON

static void json_text(Json *json, const char *key, const char *value) {
    json_key(json, key);
    json_string(json, strview(value));
}

static void json_number(Json *json, const char *key, int64_t value) {
    json_key(json, key);
    json_int(json, value);
}

static void json_memory(Json *json, const char *key, const shardc_explain_memory *memory) {
    json_key(json, key);
    json_begin_object(json);
    json_number(json, "argument_bytes", memory->argument_bytes);
    json_number(json, "result_bytes", memory->result_bytes);
    json_number(json, "peak_bytes", memory->peak_bytes);
    json_text(json, "op", memory->op);
    json_text(json, "location", memory->location);
    json_key(json, "live");
    json_begin_array(json);
    for (int i = 0; i < memory->live_count; i++) {
        const shardc_explain_live *live = &memory->live[i];
        json_begin_object(json);
        json_text(json, "name", live->name);
        json_text(json, "type", live->type);
        json_number(json, "bytes", live->bytes);
        json_text(json, "op", live->op);
        json_text(json, "location", live->location);
        json_text(json, "last_op", live->last_op);
        json_text(json, "last_location", live->last_location);
        json_end_object(json);
    }
    json_end_array(json);
    json_end_object(json);
}

static void json_compiled(Json *json, const shardc_model *model) {
    json_key(json, "compiled");
    if (!model) {
        json_null(json);
        return;
    }
    json_begin_object(json);
    json_number(json, "argument_bytes", tiles_bytes(model->args, model->arg_count));
    json_number(json, "result_bytes", tiles_bytes(model->results, model->result_count));
    json_number(json, "temporary_bytes", model->arena_bytes);
    json_number(json, "constant_bytes", model->constants_bytes);
    json_end_object(json);
}

static const char *name_of(const shardc_explanation *explanation, int value) {
    return value >= 0 ? explanation->values[value].name : "";
}

static void json_reshards(Json *json, const shardc_explanation *explanation) {
    json_key(json, "reshards");
    json_begin_array(json);
    for (int i = 0; i < explanation->reshard_count; i++) {
        const shardc_explain_reshard *reshard = &explanation->reshards[i];
        json_begin_object(json);
        json_text(json, "value", name_of(explanation, reshard->value));
        json_text(json, "from", reshard->from);
        json_text(json, "to", reshard->to);
        json_number(json, "bytes", reshard->bytes);
        json_number(json, "collectives", reshard->collective_count);
        json_text(json, "op", reshard->op);
        json_text(json, "location", reshard->location);
        json_text(json, "cause", reshard->cause);
        json_end_object(json);
    }
    json_end_array(json);
}

static void json_collectives(Json *json, const shardc_explanation *explanation) {
    json_key(json, "collectives");
    json_begin_array(json);
    for (int i = 0; i < explanation->collective_count; i++) {
        const shardc_explain_collective *collective = &explanation->collectives[i];
        json_begin_object(json);
        json_text(json, "kind", collective->kind);
        json_number(json, "bytes", collective->bytes);
        json_number(json, "channel", collective->channel);
        json_text(json, "groups", collective->groups);
        json_text(json, "axes", collective->axes);
        json_number(json, "loop_depth", collective->loop_depth);
        json_text(json, "value", name_of(explanation, collective->value));
        json_text(json, "op", collective->op);
        json_text(json, "location", collective->location);
        json_text(json, "cause", collective->cause);
        json_end_object(json);
    }
    json_end_array(json);
}

static void print_json(
    StrBuf *out, const shardc_explanation *explanation, const shardc_model *compiled) {
    Json json = json_writer(out);
    json_begin_object(&json);
    json_text(&json, "program", explanation->program);
    json_number(&json, "devices", explanation->device_count);
    json_key(&json, "memory");
    json_begin_object(&json);
    json_memory(&json, "before", &explanation->whole);
    json_memory(&json, "after", &explanation->device);
    json_compiled(&json, compiled);
    json_end_object(&json);
    json_reshards(&json, explanation);
    json_collectives(&json, explanation);
    json_end_object(&json);
    strbuf_putc(out, '\n');
}

// ---- text and HTML

typedef struct Page {
    StrBuf *out;
    bool is_html;
} Page;

static void put(Page *page, const char *text) {
    if (page->is_html)
        explain_escape(page->out, text);
    else
        strbuf_puts(page->out, text);
}

static void heading(Page *page, const char *text) {
    strbuf_puts(page->out, page->is_html ? "<h2>" : "\n");
    put(page, text);
    strbuf_puts(page->out, page->is_html ? "</h2>\n" : "\n");
}

static void line(Page *page, const char *text) {
    strbuf_puts(page->out, page->is_html ? "<p>" : "  ");
    put(page, text);
    strbuf_puts(page->out, page->is_html ? "</p>\n" : "\n");
}

// Cells of rows; text is set in columns as wide as their widest cell.
typedef struct Table {
    int columns, rows, capacity;
    const char **cells; // [rows * columns]; the first row has the titles
} Table;

static Table table_of(Page *page, int columns, const char *const *titles, int rows) {
    Table table = {.columns = columns, .capacity = rows + 1};
    table.cells = ARENA_ARRAY(page->out->arena, const char *, (int64_t)columns *table.capacity);
    for (int c = 0; c < columns; c++)
        table.cells[c] = titles[c];
    table.rows = 1;
    return table;
}

static void table_row(Table *table, const char *const *cells) {
    for (int c = 0; c < table->columns; c++)
        table->cells[table->rows * table->columns + c] = cells[c];
    table->rows++;
}

static void table_text(Page *page, const Table *table) {
    size_t widths[MOST_COLUMNS] = {0};
    for (int i = 0; i < table->rows * table->columns; i++) {
        size_t size = strview(table->cells[i]).size;
        if (size > widths[i % table->columns]) widths[i % table->columns] = size;
    }
    for (int r = 0; r < table->rows; r++) {
        for (int c = 0; c < table->columns; c++) {
            const char *cell = table->cells[r * table->columns + c];
            bool is_last = c + 1 == table->columns;
            strbuf_printf(page->out, "  %-*s", is_last ? 0 : (int)widths[c], cell);
        }
        strbuf_putc(page->out, '\n');
    }
}

static void table_print(Page *page, const Table *table) {
    if (!page->is_html) {
        table_text(page, table);
        return;
    }
    strbuf_puts(page->out, "<table>\n");
    for (int r = 0; r < table->rows; r++) {
        strbuf_puts(page->out, "<tr>");
        for (int c = 0; c < table->columns; c++) {
            strbuf_puts(page->out, r == 0 ? "<th>" : "<td>");
            put(page, table->cells[r * table->columns + c]);
            strbuf_puts(page->out, r == 0 ? "</th>" : "</td>");
        }
        strbuf_puts(page->out, "</tr>\n");
    }
    strbuf_puts(page->out, "</table>\n");
}

static const char *bytes_text(Page *page, int64_t bytes) {
    StrBuf text = strbuf(page->out->arena);
    tool_bytes(&text, bytes);
    return strbuf_cstring(&text);
}

static void print_memory(Page *page, const char *title, const shardc_explain_memory *memory) {
    Arena *arena = page->out->arena;
    static const char *const titles[] = {"bytes", "value", "type", "made by", "last read by"};
    heading(page, title);
    line(
        page, arena_printf(
                  arena, "arguments %s, results %s", bytes_text(page, memory->argument_bytes),
                  bytes_text(page, memory->result_bytes)));
    line(
        page, arena_printf(
                  arena, "peak %s%s%s %s", bytes_text(page, memory->peak_bytes),
                  *memory->op ? ", at " : "", memory->op, memory->location));
    int shown = memory->live_count < MOST_LIVE ? memory->live_count : MOST_LIVE;
    Table table = table_of(page, 5, titles, shown);
    for (int i = 0; i < shown; i++) {
        const shardc_explain_live *live = &memory->live[i];
        table_row(
            &table,
            (const char *const[]){
                bytes_text(page, live->bytes), live->name, live->type,
                arena_printf(arena, "%s %s", live->op, live->location),
                *live->last_op ? arena_printf(arena, "%s %s", live->last_op, live->last_location)
                               : "nothing"});
    }
    if (shown > 0) table_print(page, &table);
    if (shown < memory->live_count)
        line(page, arena_printf(arena, "and %d smaller ones", memory->live_count - shown));
}

static void print_compiled(Page *page, const shardc_model *model) {
    heading(page, "Memory of the compiled program, on each device");
    line(
        page, arena_printf(
                  page->out->arena, "arguments %s, results %s, temporaries %s; shared constants %s",
                  bytes_text(page, tiles_bytes(model->args, model->arg_count)),
                  bytes_text(page, tiles_bytes(model->results, model->result_count)),
                  bytes_text(page, model->arena_bytes), bytes_text(page, model->constants_bytes)));
}

static void print_reshards(Page *page, const shardc_explanation *explanation) {
    Arena *arena = page->out->arena;
    static const char *const titles[] = {"bytes", "value", "from", "to", "at"};
    heading(page, arena_printf(arena, "Reshards: %d", explanation->reshard_count));
    Table table = table_of(page, 5, titles, explanation->reshard_count);
    for (int i = 0; i < explanation->reshard_count; i++) {
        const shardc_explain_reshard *reshard = &explanation->reshards[i];
        table_row(
            &table, (const char *const[]){
                        reshard->collective_count ? bytes_text(page, reshard->bytes) : "free",
                        name_of(explanation, reshard->value), explain_or_replicated(reshard->from),
                        explain_or_replicated(reshard->to),
                        arena_printf(arena, "%s %s", reshard->op, reshard->location)});
    }
    if (explanation->reshard_count > 0) table_print(page, &table);
}

static void print_collectives(Page *page, const shardc_explanation *explanation) {
    Arena *arena = page->out->arena;
    static const char *const titles[] = {"bytes",  "collective", "channel", "axes",
                                         "groups", "value",      "at"};
    heading(
        page, arena_printf(
                  arena, "Collectives: %d, %s on each device", explanation->collective_count,
                  bytes_text(page, explanation->total_bytes)));
    Table table = table_of(page, 7, titles, explanation->collective_count);
    for (int i = 0; i < explanation->collective_count; i++) {
        const shardc_explain_collective *collective = &explanation->collectives[i];
        table_row(
            &table,
            (const char *const[]){
                bytes_text(page, collective->bytes),
                arena_printf(
                    arena, "%s%s", collective->kind, collective->loop_depth ? " in a loop" : ""),
                arena_printf(arena, "%lld", (long long)collective->channel), collective->axes,
                collective->groups, name_of(explanation, collective->value),
                arena_printf(arena, "%s %s", collective->op, collective->location)});
    }
    if (explanation->collective_count > 0) table_print(page, &table);
}

void report_print(
    StrBuf *out, ReportForm form, const shardc_explanation *explanation,
    const shardc_model *compiled) {
    if (form == REPORT_JSON) {
        print_json(out, explanation, compiled);
        return;
    }
    Page page = {out, form == REPORT_HTML};
    const char *title = arena_printf(
        out->arena, "%s: %d device%s", explanation->program, explanation->device_count,
        explanation->device_count == 1 ? "" : "s");
    if (page.is_html) {
        explain_html_begin(out, "shardc report");
        strbuf_puts(out, "<h1>");
        put(&page, title);
        strbuf_puts(out, "</h1>\n");
    } else {
        strbuf_printf(out, "%s\n", title);
    }
    print_memory(&page, "Memory before partitioning, of the whole program", &explanation->whole);
    print_memory(&page, "Memory after partitioning, on each device", &explanation->device);
    if (compiled) print_compiled(&page, compiled);
    print_reshards(&page, explanation);
    print_collectives(&page, explanation);
    if (page.is_html) strbuf_puts(out, "</body></html>\n");
}
