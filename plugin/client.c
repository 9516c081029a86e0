// client: the process's virtual devices, and what is asked of all of them.
#define _POSIX_C_SOURCE 200809L

#include "plugin/plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEVICES = 1024 };

// ---- options

// A positive number up to `most`; 0: it is none.
static int read_number(const char *text, int most) {
    char *end = NULL;
    long number = strtol(text, &end, 10);
    return end != text && *end == 0 && number > 0 && number <= most ? (int)number : 0;
}

// JAX's own variable for virtual devices is understood as well.
static const char *xla_device_count(char text[16]) {
    static const char flag[] = "--xla_force_host_platform_device_count=";
    const char *flags = getenv("XLA_FLAGS"); // NOLINT(concurrency-mt-unsafe): at the start
    const char *at = flags ? strstr(flags, flag) : NULL;
    if (!at) return NULL;
    at += strlen(flag);
    size_t size = strspn(at, "0123456789");
    (void)snprintf(text, 16, "%.*s", (int)(size < 15 ? size : 15), at);
    return text;
}

static PJRT_Error *set_count(const char *name, const char *text, int most, int *count) {
    int number = read_number(text, most);
    if (number == 0) {
        return error_create(
            PJRT_INVALID_ARGUMENT, "shardc: %s is '%s', expected a number from 1 to %d", name, text,
            most);
    }
    *count = number;
    return NULL;
}

static PJRT_Error *set_option(PJRT_Client *client, const char *name, const char *value) {
    if (strcmp(name, "num_devices") == 0)
        return set_count(name, value, MOST_DEVICES, &client->device_count);
    if (strcmp(name, "threads") == 0) return set_count(name, value, 1024, &client->threads);
    if (strcmp(name, "platform_name") == 0) {
        if (!*value || strlen(value) >= sizeof client->platform)
            return error_create(PJRT_INVALID_ARGUMENT, "shardc: platform_name is '%s'", value);
        (void)snprintf(client->platform, sizeof client->platform, "%s", value);
        return NULL;
    }
    return error_create(
        PJRT_INVALID_ARGUMENT,
        "shardc: unknown option '%s'; there are num_devices, threads, platform_name", name);
}

static PJRT_Error *read_environment(PJRT_Client *client) {
    static const struct {
        const char *variable, *option;
    } rows[] = {
        {"SHARDC_NUM_DEVICES", "num_devices"},
        {"SHARDC_THREADS", "threads"},
        {"SHARDC_PLATFORM_NAME", "platform_name"},
    };
    char text[16];
    const char *count = xla_device_count(text);
    PJRT_Error *error = count ? set_option(client, "num_devices", count) : NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && !error; i++) {
        const char *value = getenv(rows[i].variable); // NOLINT(concurrency-mt-unsafe)
        if (value) error = set_option(client, rows[i].option, value);
    }
    return error;
}

static PJRT_Error *read_option(PJRT_Client *client, const PJRT_NamedValue *option) {
    char name[64], value[64];
    (void)snprintf(name, sizeof name, "%.*s", (int)option->name_size, option->name);
    switch (option->type) {
    case PJRT_STRING:
        (void)snprintf(value, sizeof value, "%.*s", (int)option->value_size, option->string_value);
        break;
    case PJRT_INT64:
        (void)snprintf(value, sizeof value, "%lld", (long long)option->int64_value);
        break;
    default:
        return error_create(
            PJRT_INVALID_ARGUMENT, "shardc: option '%s' is no text and no integer", name);
    }
    return set_option(client, name, value);
}

static PJRT_Error *read_options(PJRT_Client *client, const PJRT_NamedValue *options, size_t count) {
    PJRT_Error *error = read_environment(client);
    for (size_t i = 0; i < count && !error; i++)
        error = read_option(client, &options[i]);
    return error;
}

// ---- the client

static void client_free(PJRT_Client *client) {
    shardc_event_free(client->done);
    free(client->topology.descriptions);
    free(client->memory_list);
    free(client->device_list);
    free(client->devices);
    pthread_cond_destroy(&client->changed);
    pthread_mutex_destroy(&client->lock);
    free(client);
}

static bool make_devices(PJRT_Client *client) {
    size_t count = (size_t)client->device_count;
    client->devices = calloc(count, sizeof *client->devices);
    client->device_list = calloc(count, sizeof *client->device_list);
    client->memory_list = calloc(count * MEMORY_KINDS, sizeof *client->memory_list);
    client->topology.descriptions = calloc(count, sizeof *client->topology.descriptions);
    if (!client->devices || !client->device_list || !client->memory_list ||
        !client->topology.descriptions) {
        return false;
    }
    client->topology.platform = client->platform;
    client->topology.device_count = client->device_count;
    for (int d = 0; d < client->device_count; d++) {
        device_create(client, d);
        client->device_list[d] = &client->devices[d];
        client->topology.descriptions[d] = &client->devices[d].description;
        for (int kind = 0; kind < MEMORY_KINDS; kind++)
            client->memory_list[d * MEMORY_KINDS + kind] = &client->devices[d].memories[kind];
    }
    return true;
}

ENTRY(Client_Create) {
    args->client = NULL;
    PJRT_Client *client = calloc(1, sizeof *client);
    if (!client) return error_out_of_memory();
    pthread_mutex_init(&client->lock, NULL);
    pthread_cond_init(&client->changed, NULL);
    client->device_count = 1;
    (void)snprintf(client->platform, sizeof client->platform, "cpu");
    PJRT_Error *error = read_options(client, args->create_options, args->num_options);
    if (!error && !make_devices(client)) error = error_out_of_memory();
    if (!error) error = error_take(shardc_event_create(&client->done));
    if (error) {
        client_free(client);
        return error;
    }
    shardc_event_set(client->done, NULL);
    args->client = client;
    return NULL;
}

// Executions end first: they use the devices' memory.
ENTRY(Client_Destroy) {
    PJRT_Client *client = args->client;
    pthread_mutex_lock(&client->lock);
    while (client->running > 0)
        pthread_cond_wait(&client->changed, &client->lock);
    pthread_mutex_unlock(&client->lock);
    client_free(client);
    pool_empty();
    return NULL;
}

ENTRY(Client_PlatformName) {
    args->platform_name = args->client->platform;
    args->platform_name_size = strlen(args->platform_name);
    return NULL;
}

ENTRY(Client_PlatformVersion) {
    args->platform_version = plugin_version();
    args->platform_version_size = strlen(args->platform_version);
    return NULL;
}

ENTRY(Client_ProcessIndex) {
    args->process_index = 0;
    return NULL;
}

ENTRY(Client_TopologyDescription) {
    args->topology = &args->client->topology;
    return NULL;
}

ENTRY(Client_Devices) {
    args->devices = args->client->device_list;
    args->num_devices = (size_t)args->client->device_count;
    return NULL;
}

ENTRY(Client_AddressableDevices) {
    args->addressable_devices = args->client->device_list;
    args->num_addressable_devices = (size_t)args->client->device_count;
    return NULL;
}

static PJRT_Error *find_device(PJRT_Client *client, int id, PJRT_Device **device) {
    *device = id >= 0 && id < client->device_count ? client->device_list[id] : NULL;
    if (*device) return NULL;
    return error_create(
        PJRT_INVALID_ARGUMENT, "there is no device %d: shardc has %d devices", id,
        client->device_count);
}

ENTRY(Client_LookupDevice) { return find_device(args->client, args->id, &args->device); }

ENTRY(Client_LookupAddressableDevice) {
    return find_device(args->client, args->local_hardware_id, &args->addressable_device);
}

ENTRY(Client_AddressableMemories) {
    args->addressable_memories = args->client->memory_list;
    args->num_addressable_memories = (size_t)args->client->device_count * MEMORY_KINDS;
    return NULL;
}

ENTRY(Client_DefaultDeviceAssignment) {
    int64_t count = (int64_t)args->num_replicas * args->num_partitions;
    if (args->num_replicas < 1 || args->num_partitions < 1 || count > args->client->device_count ||
        (size_t)count > args->default_assignment_size) {
        return error_create(
            PJRT_INVALID_ARGUMENT, "%d replicas of %d partitions need more than the %d devices",
            args->num_replicas, args->num_partitions, args->client->device_count);
    }
    for (int i = 0; i < (int)count; i++)
        args->default_assignment[i] = i;
    return NULL;
}
