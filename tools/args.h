// Command-line arguments: --name, --name=value, -o VALUE, and the rest.
#ifndef SHARDC_TOOLS_ARGS_H
#define SHARDC_TOOLS_ARGS_H

#include <stdbool.h>
#include <stdint.h>

// Exit statuses of the tools.
enum { EXIT_DONE = 0, EXIT_PROBLEM = 1, EXIT_USAGE = 2, EXIT_UNSUPPORTED = 77 };

typedef enum OptionKind {
    OPTION_FLAG,  // --json                  -> bool
    OPTION_TEXT,  // --name=x                -> const char *
    OPTION_WORD,  // --report, --report=json -> const char *, "" without a value
    OPTION_LIST,  // --in=a --in=b           -> TextList
    OPTION_INT,   // --threads=4             -> int64_t
    OPTION_DOUBLE // --rtol=1e-5             -> double
} OptionKind;

typedef struct TextList {
    const char **items; // malloc
    int count;
} TextList;

typedef struct Option {
    const char *name; // "--json", "-o"
    OptionKind kind;
    void *value; // see OptionKind
    // OPTION_INT: range; OPTION_DOUBLE: from 0 to high; OPTION_TEXT: low 1 = may be empty
    int64_t low, high;
} Option;

// Takes the options out of argv; what is left (positional) is moved to the front and counted in
// *count. False after a message on stderr (unknown option, missing, empty or wrong value, an option
// with one value that is given twice).
bool args_parse(int argc, char **argv, const Option *options, int option_count, int *count);

// Standard streams that the process was started without fail to be read and written, instead of
// being the next file that is opened. To be called first.
void args_reserve_standard_streams(void);

#endif
