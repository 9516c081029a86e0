// A log of the passes that a compilation runs: how long each takes, how many ops it leaves, and
// the program after one of them.
#ifndef SHARDC_IR_PASS_LOG_H
#define SHARDC_IR_PASS_LOG_H

#include "base/strbuf.h"

#include <stdbool.h>

typedef struct PassLog PassLog;

// print_after: the pass after which the program is wanted; NULL = none.
PassLog *pass_log_create(Arena *arena, const char *print_after);

// For the pass runner alone: around a pass, which may have others inside. All take NULL, for which
// they do nothing. One thread at a time.
void pass_log_begin(PassLog *log, const char *name);
void pass_log_end(PassLog *log, int64_t ops);
// Where the program is printed that was made by the pass which has just ended; NULL = nowhere.
StrBuf *pass_log_wants(PassLog *log, const char *name);

StrView pass_log_printed(const PassLog *log);
// Did the pass after which the program is wanted not run? Then *names lists
// those that did, without pipelines.
bool pass_log_missed(const PassLog *log, StrBuf *names);
// Lines below the table of times.
void pass_log_note(PassLog *log, StrView lines);
// A table of times.
void pass_log_report(const PassLog *log, StrBuf *out);

#endif
