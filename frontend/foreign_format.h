// Files that hold programs or arrays in formats that are not read, so that a
// message can say what they are.
#ifndef SHARDC_FRONTEND_FOREIGN_FORMAT_H
#define SHARDC_FRONTEND_FOREIGN_FORMAT_H

#include "base/strview.h"

typedef struct ForeignFormat {
    const char *name;    // NULL: text, or nothing that is known
    const char *way_out; // what to give instead
    bool is_program;     // or a model; else it is something else altogether
} ForeignFormat;

ForeignFormat foreign_format(StrView contents);
// Bytes that no text has.
bool is_binary_data(StrView contents);

#endif
