// hlo_frames: where the model's author wrote an instruction.
//
//   FileNames                FileLocations
//   1 "model.py"             1 {file_name_id=1 function_name_id=1 line=12
//                            end_line=12 column=4 end_column=9}
//   FunctionNames            StackFrames
//   1 "step"                 1 {file_location_id=1 parent_frame_id=1}
//
// Instructions name a frame (stack_frame_id), older ones a file and a line.
#include "frontend/hlo/text/hlo_frames.h"

int32_t hlo_line(int64_t number) {
    return number < 0 ? 0 : number > INT32_MAX ? INT32_MAX : (int32_t)number;
}

// One `key=value` of a list in braces, the brace in front is read; false at the end
// of the list or after an error.
static bool next_field(HloLexer *list, StrView *key, HloLexer *value, bool *ok) {
    (void)hlo_accept(list, ",");
    if (hlo_accept(list, "}")) return false;
    *ok = hlo_read_word(list, key, "a name or '}'") && hlo_expect(list, "=") &&
          hlo_read_raw(list, value);
    return *ok;
}

static bool read_location(HloLexer *lexer, HloFileLocation *location) {
    bool ok = hlo_expect(lexer, "{");
    StrView key;
    HloLexer value;
    while (ok && next_field(lexer, &key, &value, &ok)) {
        if (strview_is(key, "file_name_id")) ok = hlo_read_int(&value, &location->file);
        if (strview_is(key, "line")) ok = hlo_read_int(&value, &location->line);
        if (strview_is(key, "column")) ok = hlo_read_int(&value, &location->column);
    }
    return ok;
}

static bool read_frame(HloLexer *lexer, int64_t *location) {
    bool ok = hlo_expect(lexer, "{");
    StrView key;
    HloLexer value;
    while (ok && next_field(lexer, &key, &value, &ok)) {
        if (strview_is(key, "file_location_id")) ok = hlo_read_int(&value, location);
    }
    return ok;
}

// The entries of one table: numbers from 1 on.
static bool read_table(HloLexer *lexer, const char *name, HloFrames *frames) {
    Arena *arena = lexer->source->arena;
    bool is_files = strcmp(name, "FileNames") == 0;
    bool is_locations = strcmp(name, "FileLocations") == 0;
    bool is_frames = strcmp(name, "StackFrames") == 0;
    while (!hlo_at_end(lexer) && *lexer->at >= '0' && *lexer->at <= '9') {
        int64_t number;
        StrView text = {NULL, 0};
        HloFileLocation location = {0};
        int64_t frame = 0;
        if (!hlo_read_int(lexer, &number)) return false;
        bool ok = is_locations ? read_location(lexer, &location)
                  : is_frames  ? read_frame(lexer, &frame)
                               : hlo_read_string(lexer, &text);
        if (!ok) return false;
        if (is_files) vec_push(arena, &frames->files, text);
        if (is_locations) vec_push(arena, &frames->locations, location);
        if (is_frames) vec_push(arena, &frames->frames, frame);
    }
    return true;
}

HloFrames *hlo_read_frames(HloLexer *lexer) {
    static const char *const tables[] = {
        "FileNames", "FunctionNames", "FileLocations", "StackFrames"};
    HloFrames *frames = ARENA_NEW(lexer->source->arena, HloFrames);
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        if (hlo_accept_word(lexer, tables[i]) && !read_table(lexer, tables[i], frames)) return NULL;
    }
    return frames;
}

void hlo_set_frame(const HloFrames *frames, int64_t frame, LocTexts *texts) {
    if (frame < 1 || frame > frames->frames.count) return;
    int64_t number = frames->frames.data[frame - 1];
    if (number < 1 || number > frames->locations.count) return;
    const HloFileLocation *location = &frames->locations.data[number - 1];
    if (location->file < 1 || location->file > frames->files.count) return;
    texts->model_file = frames->files.data[location->file - 1];
    texts->model_line = hlo_line(location->line);
    texts->model_column = hlo_line(location->column);
}

bool hlo_read_metadata(HloLexer value, const HloFrames *frames, LocTexts *texts) {
    bool ok = hlo_expect(&value, "{");
    StrView key;
    HloLexer field;
    int64_t number = 0;
    while (ok && next_field(&value, &key, &field, &ok)) {
        if (strview_is(key, "op_name")) ok = hlo_read_string(&field, &texts->name);
        if (strview_is(key, "source_file")) ok = hlo_read_string(&field, &texts->model_file);
        if (strview_is(key, "source_line")) {
            ok = hlo_read_int(&field, &number);
            texts->model_line = hlo_line(number);
        }
        if (strview_is(key, "stack_frame_id")) {
            ok = hlo_read_int(&field, &number);
            if (ok) hlo_set_frame(frames, number, texts);
        }
    }
    return ok;
}
