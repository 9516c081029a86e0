// The report of shardc compile: memory before and after partitioning, reshards, collectives;
// as text, JSON, or one HTML page.
#ifndef SHARDC_TOOLS_EXPLAIN_REPORT_H
#define SHARDC_TOOLS_EXPLAIN_REPORT_H

#include "shardc/shardc.h"

#include "base/strbuf.h"

typedef enum ReportForm { REPORT_NONE, REPORT_TEXT, REPORT_JSON, REPORT_HTML } ReportForm;

// compiled: NULL where no code was made that can be asked.
void report_print(
    StrBuf *out, ReportForm form, const shardc_explanation *explanation,
    const shardc_model *compiled);

#endif
