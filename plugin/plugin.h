// plugin: what the files of plugin/ share: the objects behind PJRT's handles. The plugin sees
// shardc through include/shardc alone.
#ifndef SHARDC_PLUGIN_PLUGIN_H
#define SHARDC_PLUGIN_PLUGIN_H

#include "shardc/shardc.h"

#include "plugin/pjrt.h"

#include <pthread.h>
#include <stdatomic.h>

#define ENTRY(name)  PJRT_Error *plugin_##name(PJRT_##name##_Args *args);
#define VOID(name)   void plugin_##name(PJRT_##name##_Args *args);
#define ABSENT(name) // see api.c
#include "plugin/entries.def"
#undef ENTRY
#undef VOID
#undef ABSENT
// Defines the function of a row.
#define ENTRY(name) PJRT_Error *plugin_##name(PJRT_##name##_Args *args)

// ---- errors.c

// The caller of the API frees it. Never NULL.
PJRT_Error *error_create(PJRT_Error_Code code, const char *format, ...)
    __attribute__((format(printf, 2, 3), returns_nonnull));
__attribute__((returns_nonnull)) PJRT_Error *error_out_of_memory(void);
// NULL for NULL. The first frees the status.
PJRT_Error *error_take(shardc_status *status);
PJRT_Error *error_of(const shardc_status *status);

// ---- events.c: a PJRT_Event is a shardc_event.

PJRT_Event *event_of(shardc_event *event);
shardc_event *event_in(PJRT_Event *event);

// ---- types.c

shardc_dtype dtype_of(PJRT_Buffer_Type type); // SHARDC_DTYPE_INVALID: none
PJRT_Buffer_Type type_of(const shardc_model_array *array);
bool is_token(const shardc_model_array *array); // an array of no booleans for callers
size_t type_size(PJRT_Buffer_Type type);        // 0 for tokens, and unknown types
const char *type_name(PJRT_Buffer_Type type);
// Bytes of a dense array; false: the type is unknown, or the sizes are wrong.
bool array_bytes(PJRT_Buffer_Type type, const int64_t *dims, size_t rank, size_t *bytes);

// ---- proto.c: protocol buffers

typedef struct Proto {
    const unsigned char *at, *end;
} Proto;
typedef struct Field {
    int number, wire; // wire: 0 = varint, 1 = 8 bytes, 2 = bytes, 5 = 4 bytes
    uint64_t value;   // wire 0, 1 and 5
    Proto bytes;      // wire 2
} Field;
// The next field; false at the end, or where the bytes are damaged (then at is not end).
bool proto_next(Proto *proto, Field *field);
// The integers of a repeated field: one, or packed. Calls `add` for each; false when damaged.
bool proto_integers(const Field *field, bool (*add)(void *user, uint64_t value), void *user);

typedef struct Bytes {
    char *data; // malloc
    size_t size, capacity;
    bool has_failed; // without memory
} Bytes;
void bytes_add(Bytes *bytes, const void *data, size_t size);
void bytes_varint(Bytes *bytes, int field, uint64_t value);
void bytes_bytes(Bytes *bytes, int field, const void *data, size_t size);
void bytes_packed(Bytes *bytes, int field, const int64_t *values, size_t count);

// ---- client.c, devices.c

enum { MEMORY_KINDS = 3 };

struct PJRT_Memory {
    const void *vtable; // NULL: callers keep their own table
    PJRT_Client *client;
    PJRT_Device *device;
    int id, kind; // kind: number of its name
    char text[64];
};

struct PJRT_DeviceDescription {
    int id;
    char text[32], debug[48];
};

struct PJRT_Device {
    PJRT_Client *client;
    PJRT_DeviceDescription description;
    PJRT_Memory memories[MEMORY_KINDS];
    PJRT_Memory *memory_list[MEMORY_KINDS];
    PJRT_Device *self; // a list of one device
};

struct PJRT_TopologyDescription {
    const char *platform; // borrowed
    int device_count;
    PJRT_DeviceDescription **descriptions;
};

struct PJRT_Client {
    char platform[32];
    int device_count, threads;
    PJRT_Device *devices;      // [device_count]
    PJRT_Device **device_list; // the same as pointers
    PJRT_Memory **memory_list; // all devices'
    PJRT_TopologyDescription topology;
    shardc_event *done; // an event that is done
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int64_t running; // executions that have begun and not ended
};

const char *memory_kind(int kind);
void device_create(PJRT_Client *client, int id);
const char *plugin_version(void);

// ---- buffers.c

// Memory of one or several buffers, and of views of others.
typedef struct Storage {
    atomic_int owners;
    bool is_writable; // its own, not the host's
    void *data;
    size_t bytes; // of its own memory: what pool_take gave
    void (*release)(void *data, void *user); // NULL: data is given back
    void *user;
    shardc_event *lent; // set when it is given back; may be NULL
} Storage;

// Memory for arrays, 64-byte aligned; *bytes becomes what it has. NULL: there is none. See pool.c.
void *pool_take(size_t *bytes);
void pool_give(void *data, size_t bytes); // with the bytes that it has
void pool_empty(void);                    // gives what is kept back to the system

Storage *storage_create(size_t bytes); // 64-byte aligned; NULL: no memory
Storage *storage_retain(Storage *storage);
void storage_release(Storage *storage); // NULL is fine

struct PJRT_Buffer {
    PJRT_Memory *memory;
    PJRT_Buffer_Type type;
    struct PJRT_Layouts_MemoryLayout *layout;
    size_t rank, bytes;
    pthread_mutex_t lock; // guards storage while others may delete the buffer
    atomic_bool is_deleted;
    Storage *storage; // an owner of it, until it is deleted
    Storage *pinned;  // by external references
    int pins;
    shardc_event *ready; // NULL: ready
    int64_t dims[];
};

// layout: NULL is row-major. storage: taken. ready: borrowed, may be NULL. NULL: no memory.
PJRT_Buffer *buffer_create(
    PJRT_Memory *memory, PJRT_Buffer_Type type, const int64_t *dims, size_t rank,
    struct PJRT_Layouts_MemoryLayout *layout, Storage *storage, shardc_event *ready);
void buffer_free(PJRT_Buffer *owned); // NULL is fine
// One more owner of its storage; NULL: it was deleted.
Storage *buffer_hold(PJRT_Buffer *buffer);
void buffer_delete(PJRT_Buffer *buffer);

// ---- copies.c: between dense arrays and arrays with strides, in bytes

void copy_strided(
    char *to, const int64_t *to_strides, const char *from, const int64_t *from_strides,
    const int64_t *dims, size_t rank, size_t element);
void dense_strides(const int64_t *dims, size_t rank, size_t element, int64_t *strides);
// Is every element at the same place in both?
bool have_same_strides(const int64_t *dims, size_t rank, const int64_t *a, const int64_t *b);
bool is_dense(const int64_t *dims, size_t rank, size_t element, const int64_t *strides);

// ---- layouts.c

// The order of dimensions in memory, dense. Equal ones are one object.
struct PJRT_Layouts_MemoryLayout {
    struct PJRT_Layouts_MemoryLayout *next;
    size_t rank, size;
    int64_t minor_to_major[SHARDC_MAX_RANK];
    char text[2 + 3 * SHARDC_MAX_RANK]; // [size] as XLA writes it: "{1,0}"
};
typedef struct PJRT_Layouts_MemoryLayout Layout;

// NULL: the rank is too high, or there is no memory.
Layout *layout_row_major(size_t rank);
Layout *layout_of(size_t rank, const int64_t *minor_to_major);
// Of a model's argument, or (argument count + number) result.
Layout *layout_of_tile(const shardc_model *model, size_t array, size_t rank);
// What a caller gives, who may give none; with strides it is row-major, and
// the caller looks at the strides.
PJRT_Error *layout_read(const PJRT_Buffer_MemoryLayout *from, size_t rank, Layout **layout);
// Bytes between elements.
void layout_strides(
    Layout *layout, const int64_t *dims, size_t rank, size_t element, int64_t *strides);

// ---- compile.c, executables.c

// What callers ask of each argument or result, prepared.
typedef struct ArrayList {
    size_t count;
    PJRT_Buffer_Type *types;
    int64_t *dims;    // of all, one after the other: of one device
    size_t *ranks;    // [count]
    char **shardings; // serialized OpSharding
    size_t *sharding_sizes;
    const char **kinds; // of memories
    size_t *kind_sizes;
    Layout **layouts;
} ArrayList;

struct PJRT_Executable {
    atomic_int owners;
    PJRT_Client *client;
    shardc_executable *code;
    const shardc_model *model;
    char *name;
    int replica_count, partition_count, device_count;
    // the devices do not know of each other: each executes the program of one device by itself
    bool is_independent;
    int *device_ids; // [device_count] in the order of execution
    char *options;   // as they were given
    size_t options_size;
    char *text;        // the program
    char *partitioned; // one device's, when it was asked for
    ArrayList parameters, outputs;
    size_t *output_bytes; // [outputs.count] of one device
    uint8_t *donated;     // [parameters.count]
    bool donates;         // some
    Bytes assignment;     // DeviceAssignmentProto
    char fingerprint[20];
    bool is_short; // runs in the caller's thread
    double flops, bytes_accessed;
    PJRT_NamedValue costs[2];
};

struct PJRT_LoadedExecutable {
    PJRT_Executable *executable;
    atomic_bool is_deleted;
    PJRT_Device **devices;          // [device_count]
    PJRT_LogicalDeviceIds *logical; // [device_count]
};

// ---- xla_options.c

typedef struct OptionValue {
    enum { OPTION_TEXT, OPTION_BOOL, OPTION_INTEGER, OPTION_NUMBER } kind;
    const char *text;
    int64_t integer; // also of a boolean
    double number;
} OptionValue;
// An error unless XLA has an option of the name that takes the value.
PJRT_Error *xla_option_check(const char *name, const OptionValue *value);

// ---- dump.c

// Which programs to write where. Texts: malloc.
typedef struct Dump {
    char *folder;  // "-": the standard output; NULL: none
    char *pattern; // of names; NULL: all
    bool as_text, as_proto;
    int64_t most; // programs of the process; negative: all
} Dump;
PJRT_Error *dump_programs(PJRT_Executable *executable, const Dump *dump);

// What CompileOptionsProto asks for.
typedef struct CompileOptions {
    int64_t replica_count, partition_count;
    int64_t *device_ids; // [device_id_count] partition by partition; malloc
    size_t device_id_count, device_id_capacity;
    Bytes whole_arguments, whole_results; // flags: shardings do not propagate to them
    Dump dump;
} CompileOptions;
PJRT_Error *compile_options_read(const char *bytes, size_t size, CompileOptions *options);
void compile_options_free(CompileOptions *options);

void executable_release(PJRT_Executable *executable);
// Fills in what callers ask; executable: code, options and counts are set. False: no memory.
bool executable_describe(PJRT_Executable *executable);
// One device's program; borrowed from the executable.
PJRT_Error *executable_partitioned(PJRT_Executable *executable, const char **text);
// A handle for it on its devices; executable: taken, also after an error.
PJRT_Error *executable_load(PJRT_Executable *executable, PJRT_LoadedExecutable **loaded);

// ---- partitioner.c

// Custom calls are partitioned by the functions that callers registered for their names.
shardc_status *partitioner_attach(shardc_context *context);

// ---- shardings.c, extensions.c

// The array's sharding as xla.OpSharding.
void sharding_write(const shardc_model *model, const shardc_model_array *array, Bytes *bytes);
PJRT_Extension_Base *extensions(void);

#endif
