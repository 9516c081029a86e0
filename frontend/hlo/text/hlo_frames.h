// Where the model's author wrote an instruction: the tables of files,
// locations and frames of a module.
#ifndef SHARDC_FRONTEND_HLO_FRAMES_H
#define SHARDC_FRONTEND_HLO_FRAMES_H

#include "base/diag.h"
#include "base/vec.h"
#include "frontend/hlo/text/hlo_lexer.h"

typedef struct HloFileLocation {
    int64_t file, line, column;
} HloFileLocation;

typedef struct HloFrames {
    VEC(StrView) files; // number i is at i - 1, as in all tables
    VEC(HloFileLocation) locations;
    VEC(int64_t) frames; // their locations
} HloFrames;

// The place of the frame; nothing where there is none.
void hlo_set_frame(const HloFrames *frames, int64_t frame, LocTexts *texts);
int32_t hlo_line(int64_t number); // as a location has it

// All tables of files and frames that stand here; NULL with a diagnostic (hlo_frames.c).
HloFrames *hlo_read_frames(HloLexer *lexer);
// metadata={op_name="..." source_file="..." source_line=7 stack_frame_id=2}
bool hlo_read_metadata(HloLexer value, const HloFrames *frames, LocTexts *texts);

#endif
