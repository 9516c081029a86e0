// JSON writer into a StrBuf: commas and quoting are its business.
#ifndef SHARDC_BASE_JSON_H
#define SHARDC_BASE_JSON_H

#include "base/strbuf.h"

typedef struct Json {
    StrBuf *out; // borrowed
    int depth;
    bool needs_comma[64];
} Json;

Json json_writer(StrBuf *out);
void json_begin_object(Json *json);
void json_end_object(Json *json);
void json_begin_array(Json *json);
void json_end_array(Json *json);
void json_key(Json *json, const char *key);
void json_string(Json *json, StrView text); // escaped; invalid UTF-8 becomes U+FFFD
void json_int(Json *json, int64_t number);
// shortest that reads back the same; null for NaN and infinities
void json_double(Json *json, double number);
void json_bool(Json *json, bool value);
void json_null(Json *json);

#endif
