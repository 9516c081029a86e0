// Where the model's author wrote an instruction: the tables of files, locations and frames of a module.
#ifndef SHARDC_FRONTEND_HLO_FRAMES_H
#define SHARDC_FRONTEND_HLO_FRAMES_H

#include "base/diag.h"
#include "base/vec.h"

typedef struct HloFileLocation {
    int64_t file, line, column;
} HloFileLocation;

typedef struct HloFrames {
    VEC(StrView) files; // number i is at i - 1, as in all tables
    VEC(HloFileLocation) locations;
    VEC(int64_t) frames; // their locations
} HloFrames;

// The place of the frame; nothing where there is none.
void hlo_set_frame(const HloFrames *frames, int64_t frame, Loc *loc);
int32_t hlo_line(int64_t number); // as a location has it

#endif
