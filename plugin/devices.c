// devices: devices and their memories, and the topology that they form.
#include "plugin/plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *plugin_version(void) { return "shardc " SHARDC_VERSION; }

// All lie in the host's memory. The first is the default.
static const char *const kinds[MEMORY_KINDS] = {"device", "pinned_host", "unpinned_host"};

const char *memory_kind(int kind) { return kinds[kind]; }

void device_create(PJRT_Client *client, int id) {
    PJRT_Device *device = &client->devices[id];
    device->client = client;
    device->self = device;
    device->description.id = id;
    (void)snprintf(
        device->description.text, sizeof device->description.text, "ShardcDevice(id=%d)", id);
    (void)snprintf(device->description.debug, sizeof device->description.debug, "shardc:%d", id);
    for (int kind = 0; kind < MEMORY_KINDS; kind++) {
        PJRT_Memory *memory = &device->memories[kind];
        *memory = (PJRT_Memory){
            .client = client, .device = device, .id = id * MEMORY_KINDS + kind, .kind = kind};
        (void)snprintf(memory->text, sizeof memory->text, "%s of shardc:%d", kinds[kind], id);
        device->memory_list[kind] = memory;
    }
}

// ---- descriptions

ENTRY(DeviceDescription_Id) {
    args->id = args->device_description->id;
    return NULL;
}

ENTRY(DeviceDescription_ProcessIndex) {
    args->process_index = 0;
    return NULL;
}

ENTRY(DeviceDescription_Attributes) {
    args->attributes = NULL;
    args->num_attributes = 0;
    return NULL;
}

ENTRY(DeviceDescription_Kind) {
    args->device_kind = "cpu";
    args->device_kind_size = strlen(args->device_kind);
    return NULL;
}

ENTRY(DeviceDescription_DebugString) {
    args->debug_string = args->device_description->debug;
    args->debug_string_size = strlen(args->debug_string);
    return NULL;
}

ENTRY(DeviceDescription_ToString) {
    args->to_string = args->device_description->text;
    args->to_string_size = strlen(args->to_string);
    return NULL;
}

// ---- devices

ENTRY(Device_GetDescription) {
    args->device_description = &args->device->description;
    return NULL;
}

ENTRY(Device_IsAddressable) {
    args->is_addressable = true;
    return NULL;
}

ENTRY(Device_LocalHardwareId) {
    args->local_hardware_id = args->device->description.id;
    return NULL;
}

ENTRY(Device_AddressableMemories) {
    args->memories = args->device->memory_list;
    args->num_memories = MEMORY_KINDS;
    return NULL;
}

ENTRY(Device_DefaultMemory) {
    args->memory = args->device->memory_list[0];
    return NULL;
}

static void nothing_to_delete(PJRT_Device_Attributes *attributes) { (void)attributes; }

ENTRY(Device_GetAttributes) {
    args->attributes = NULL;
    args->num_attributes = 0;
    args->device_attributes = NULL;
    args->attributes_deleter = nothing_to_delete;
    return NULL;
}

// ---- memories

ENTRY(Memory_Id) {
    args->id = args->memory->id;
    return NULL;
}

ENTRY(Memory_Kind) {
    args->kind = kinds[args->memory->kind];
    args->kind_size = strlen(args->kind);
    return NULL;
}

ENTRY(Memory_Kind_Id) {
    args->kind_id = args->memory->kind;
    return NULL;
}

ENTRY(Memory_DebugString) {
    args->debug_string = args->memory->text;
    args->debug_string_size = strlen(args->debug_string);
    return NULL;
}

ENTRY(Memory_ToString) {
    args->to_string = args->memory->text;
    args->to_string_size = strlen(args->to_string);
    return NULL;
}

ENTRY(Memory_AddressableByDevices) {
    args->devices = &args->memory->device->self;
    args->num_devices = 1;
    return NULL;
}

// ---- topology

ENTRY(TopologyDescription_Create) {
    (void)args;
    return error_create(
        PJRT_UNIMPLEMENTED,
        "shardc: topologies without devices are not provided; use those of a client");
}

ENTRY(TopologyDescription_Destroy) {
    (void)args; // belongs to its client
    return NULL;
}

ENTRY(TopologyDescription_PlatformName) {
    args->platform_name = args->topology->platform;
    args->platform_name_size = strlen(args->platform_name);
    return NULL;
}

ENTRY(TopologyDescription_PlatformVersion) {
    args->platform_version = plugin_version();
    args->platform_version_size = strlen(args->platform_version);
    return NULL;
}

ENTRY(TopologyDescription_GetDeviceDescriptions) {
    args->descriptions = args->topology->descriptions;
    args->num_descriptions = (size_t)args->topology->device_count;
    return NULL;
}

ENTRY(TopologyDescription_Attributes) {
    args->attributes = NULL;
    args->num_attributes = 0;
    return NULL;
}

struct PJRT_SerializedTopology {
    char text[64];
};

static void free_topology(PJRT_SerializedTopology *topology) { free(topology); }

ENTRY(TopologyDescription_Serialize) {
    PJRT_SerializedTopology *made = calloc(1, sizeof *made);
    if (!made) return error_out_of_memory();
    (void)snprintf(
        made->text, sizeof made->text, "%s, %d devices", plugin_version(),
        args->topology->device_count);
    args->serialized_bytes = made->text;
    args->serialized_bytes_size = strlen(made->text);
    args->serialized_topology = made;
    args->serialized_topology_deleter = free_topology;
    return NULL;
}

ENTRY(TopologyDescription_Fingerprint) {
    uint64_t hash = 14695981039346656037u;
    for (const char *at = plugin_version(); *at; at++)
        hash = (hash ^ (unsigned char)*at) * 1099511628211u;
    args->fingerprint = (hash ^ (uint64_t)args->topology->device_count) * 1099511628211u;
    return NULL;
}
