// OpenEXR files: all layers of a picture in one file, by the C core of the library. 32-bit floats, scanlines in blocks of 16 that
// are packed by zip, without loss. The names of channels are those that compositors sort into layers: R, G, B and Z of the
// picture itself, and albedo, normal and coverage with a point.
#include "coulis/picture.h"

#include "base/base.h"
#include "files/file.h"

#include <openexr.h>
#include <stdio.h>

typedef struct Channel {
    const char *name;
    exr_perceptual_treatment_t treatment;
    const float *values; // of the first pixel
    int stride;          // bytes from pixel to pixel
} Channel;

enum { channel_count = 11 };

// In the order of their names, as the file has them.
static void list_channels(const couLayers *layers, Channel channels[channel_count])
{
    const int vector = sizeof(couVec3);
    const Channel all[channel_count] = {
        {"B", EXR_PERCEPTUALLY_LOGARITHMIC, &layers->radiance->z, vector},
        {"G", EXR_PERCEPTUALLY_LOGARITHMIC, &layers->radiance->y, vector},
        {"R", EXR_PERCEPTUALLY_LOGARITHMIC, &layers->radiance->x, vector},
        {"Z", EXR_PERCEPTUALLY_LINEAR, layers->depth, sizeof(float)},
        {"albedo.B", EXR_PERCEPTUALLY_LOGARITHMIC, &layers->albedo->z, vector},
        {"albedo.G", EXR_PERCEPTUALLY_LOGARITHMIC, &layers->albedo->y, vector},
        {"albedo.R", EXR_PERCEPTUALLY_LOGARITHMIC, &layers->albedo->x, vector},
        {"coverage.A", EXR_PERCEPTUALLY_LINEAR, layers->alpha, sizeof(float)},
        {"normal.X", EXR_PERCEPTUALLY_LINEAR, &layers->normal->x, vector},
        {"normal.Y", EXR_PERCEPTUALLY_LINEAR, &layers->normal->y, vector},
        {"normal.Z", EXR_PERCEPTUALLY_LINEAR, &layers->normal->z, vector},
    };
    memcpy(channels, all, sizeof all);
}

// Where the library writes: into our temporary file, so that the picture is whole or not there.
static int64_t write_part(exr_const_context_t context, void *user, const void *data, uint64_t size, uint64_t offset,
                          exr_stream_error_func_ptr_t on_error)
{
    couFile *file = user;
    (void)context, (void)on_error; // couFile_Commit() says what was wrong
    if (fseeko(file->stream, (off_t)offset, SEEK_SET) != 0 || !couFile_Write(file, data, size)) return -1;
    return (int64_t)size;
}

static void ignore_message(exr_const_context_t context, exr_result_t code, const char *message)
{
    (void)context, (void)code, (void)message; // codes come back from each call
}

static exr_result_t write_head(exr_context_t exr, const couLayers *layers, const Channel *channels)
{
    int part;
    exr_result_t code = exr_add_part(exr, "picture", EXR_STORAGE_SCANLINE, &part);
    if (code == EXR_ERR_SUCCESS)
        code = exr_initialize_required_attr_simple(exr, part, layers->width, layers->height, EXR_COMPRESSION_ZIP);
    for (int c = 0; c < channel_count && code == EXR_ERR_SUCCESS; ++c)
        code = exr_add_channel(exr, part, channels[c].name, EXR_PIXEL_FLOAT, channels[c].treatment, 1, 1);
    if (code == EXR_ERR_SUCCESS) code = exr_attr_set_string(exr, part, "software", "Coulis " COU_VERSION);
    return code == EXR_ERR_SUCCESS ? exr_write_header(exr) : code;
}

static exr_result_t write_rows(exr_context_t exr, const couLayers *layers, const Channel *channels)
{
    exr_encode_pipeline_t encoder = EXR_ENCODE_PIPELINE_INITIALIZER;
    int32_t rows = 0;
    exr_result_t code = exr_get_scanlines_per_chunk(exr, 0, &rows);
    for (int y = 0; y < layers->height && code == EXR_ERR_SUCCESS; y += rows) {
        exr_chunk_info_t chunk;
        code = exr_write_scanline_chunk_info(exr, 0, y, &chunk);
        if (code != EXR_ERR_SUCCESS) break;
        code = y == 0 ? exr_encoding_initialize(exr, 0, &chunk, &encoder) : exr_encoding_update(exr, 0, &chunk, &encoder);
        for (int c = 0; c < encoder.channel_count && code == EXR_ERR_SUCCESS; ++c) {
            const char *first = (const char *)channels[c].values;
            encoder.channels[c].user_pixel_stride = channels[c].stride;
            encoder.channels[c].user_line_stride = channels[c].stride * layers->width;
            encoder.channels[c].user_bytes_per_element = sizeof(float);
            encoder.channels[c].user_data_type = EXR_PIXEL_FLOAT;
            encoder.channels[c].encode_from_ptr = (const uint8_t *)first +
                                                  (size_t)y * (size_t)channels[c].stride * (size_t)layers->width;
        }
        if (code == EXR_ERR_SUCCESS && y == 0) code = exr_encoding_choose_default_routines(exr, 0, &encoder);
        if (code == EXR_ERR_SUCCESS) code = exr_encoding_run(exr, 0, &encoder);
    }
    exr_encoding_destroy(exr, &encoder);
    return code;
}

bool couWriteExr(const char *path, const couLayers *layers, couFaults *faults)
{
    bool is_there = layers->radiance && layers->albedo && layers->normal && layers->depth && layers->alpha;
    if (!is_there || layers->width < 1 || layers->height < 1) {
        couFaults_Add(faults, path, NULL, "there are no layers to write (%d x %d pixels)", layers->width, layers->height);
        return false;
    }
    couFile file;
    Channel channels[channel_count];
    if (!couFile_Create(&file, path, faults)) return false;
    list_channels(layers, channels);
    exr_context_t exr = NULL;
    exr_context_initializer_t how = EXR_DEFAULT_CONTEXT_INITIALIZER;
    how.user_data = &file;
    how.write_fn = write_part;
    how.error_handler_fn = ignore_message;
    exr_result_t code = exr_start_write(&exr, path, EXR_WRITE_FILE_DIRECTLY, &how);
    if (code == EXR_ERR_SUCCESS) code = write_head(exr, layers, channels);
    if (code == EXR_ERR_SUCCESS) code = write_rows(exr, layers, channels);
    if (exr) {
        exr_result_t end = exr_finish(&exr);
        code = code == EXR_ERR_SUCCESS ? end : code;
    }
    // A disk that is full has its own words.
    if (code == EXR_ERR_SUCCESS || file.error) return couFile_Commit(&file, faults);
    couFile_Discard(&file);
    couFaults_Add(faults, path, NULL, "cannot be written: %s", exr_get_default_error_message(code));
    return false;
}
