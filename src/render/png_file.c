// PNG files through libpng, written under a temporary name. libpng reports errors by a long jump out of a call, so that what
// lives across it is kept in one struct that the jump does not touch.
#include "coulis/picture.h"

#include "base/base.h"
#include "files/file.h"

#include <png.h>
#include <string.h>

typedef struct couPngWriter {
    couFile file;
    png_structp png;
    png_infop info;
    char reason[160]; // other than a failed write, which the file remembers
} couPngWriter;

static void on_error(png_structp png, png_const_charp message)
{
    couPngWriter *writer = png_get_error_ptr(png);
    snprintf(writer->reason, sizeof(writer->reason), "%s", message);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message) { (void)png, (void)message; }

static void on_write(png_structp png, png_bytep data, size_t size)
{
    couPngWriter *writer = png_get_io_ptr(png);
    if (!couFile_Write(&writer->file, data, size)) png_error(png, "cannot write");
}

static void on_flush(png_structp png) { (void)png; } // the commit flushes

static bool write_image(couPngWriter *writer, const couImage *image)
{
    writer->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, writer, on_error, on_warning);
    writer->info = writer->png ? png_create_info_struct(writer->png) : NULL;
    if (!writer->info) {
        snprintf(writer->reason, sizeof(writer->reason), "not enough memory");
        return false;
    }
    if (setjmp(png_jmpbuf(writer->png))) return false;
    png_set_write_fn(writer->png, writer, on_write, on_flush);
    png_set_IHDR(writer->png, writer->info, (png_uint_32)image->width, (png_uint_32)image->height, 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(writer->png, writer->info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_set_compression_level(writer->png, 4);
    png_write_info(writer->png, writer->info);
    for (int y = 0; y < image->height; ++y) png_write_row(writer->png, image->rgb + 3 * (size_t)y * (size_t)image->width);
    png_write_end(writer->png, writer->info);
    return true;
}

bool couWritePng(const char *path, const couImage *image, couFaults *faults)
{
    if (!image->rgb || image->width < 1 || image->height < 1) {
        couFaults_Add(faults, path, NULL, "there is no image to write (%d x %d pixels)", image->width, image->height);
        return false;
    }
    couPngWriter writer = {0};
    if (!couFile_Create(&writer.file, path, faults)) return false;
    bool is_complete = write_image(&writer, image);
    if (writer.png) png_destroy_write_struct(&writer.png, &writer.info);
    // A write that failed is reported by the commit, with the system's reason.
    if (is_complete || writer.file.error != 0) return couFile_Commit(&writer.file, faults);
    couFaults_Add(faults, path, NULL, "cannot write the picture: %s", writer.reason);
    couFile_Discard(&writer.file);
    return false;
}

bool couReadPng(const char *path, couImage *image, couFaults *faults)
{
    enum { MOST_PIXELS = 1 << 26 }; // 8192 x 8192, the largest that are made
    *image = (couImage){0};
    png_image png = {.version = PNG_IMAGE_VERSION};
    FILE *stream = couOpenFile(path, faults);
    if (!stream) return false;
    bool is_read = png_image_begin_read_from_stdio(&png, stream) && png.width > 0 && png.height > 0 &&
                   png.width <= MOST_PIXELS / png.height;
    if (is_read) {
        png.format = PNG_FORMAT_RGB;
        image->rgb = couAlloc(NULL, PNG_IMAGE_SIZE(png));
        image->width = (int)png.width, image->height = (int)png.height;
        is_read = image->rgb && png_image_finish_read(&png, NULL, image->rgb, 0, NULL);
    }
    fclose(stream);
    if (!is_read) {
        couFaults_Add(faults, path, NULL, "cannot be read as a PNG picture: %s", png.message[0] ? png.message : "too large");
        png_image_free(&png);
        couFreeImage(image);
    }
    return is_read;
}
