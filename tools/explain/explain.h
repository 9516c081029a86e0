// The door of explain/: how shardc explain shows an explanation: as text, JSON, or one HTML page.
#ifndef SHARDC_TOOLS_EXPLAIN_H
#define SHARDC_TOOLS_EXPLAIN_H

#include "shardc/explain.h"

#include "base/strbuf.h"

// What is shown. Everything by default.
typedef struct ExplainView {
    const char *value; // only the values of this name; NULL: no choice
    bool in_functions; // the value's name is without the function that it is in
    int collective;    // only this one, from 1; 0: no choice
    int top;           // how many collectives the text shows at length
    bool values;       // the text lists all values
} ExplainView;

// Does the value have the name that was asked for: "%12", "12", "%4" for all of
// %4#0, %4#1; "@f:%3"; "result 0"?
bool explain_is_shown(const shardc_explain_value *value, const ExplainView *view);

// Where a grid of the last two axes lies on the others: "x=1, y=0". Nothing
// for meshes of at most two axes.
void explain_outer_axes(StrBuf *out, const shardc_explain_mesh *mesh, int64_t grid);
const char *explain_or_replicated(const char *sharding); // "" becomes words

void explain_print_text(
    StrBuf *out, const shardc_explanation *explanation, const ExplainView *view);
void explain_print_json(
    StrBuf *out, const shardc_explanation *explanation, const ExplainView *view);
void explain_html_begin(StrBuf *out, const char *title); // up to <body>
void explain_escape(StrBuf *out, const char *text);      // for HTML
void explain_print_html(StrBuf *out, const shardc_explanation *explanation);

#endif
