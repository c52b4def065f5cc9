// Letters of font files through FreeType, as polygons.
//
// FreeType runs apart (apart.h), without hinting and so without the programs that fonts bring along. There the letters are set
// in a line, in the font's own units, and their curves become chords: a Bezier curve of n chords is off by at most its second
// difference / 4 / n^2 (quadratic) or 3/4 of the larger one / n^2 (cubic). Kerning is that of the font's table `kern`.
//
// Fonts fill what an outline winds around (the non-zero rule), shapes know outlines and holes in them (even-odd). The two agree
// as soon as outlines that separate nothing are left out. Where outlines cross, as parts of a letter may, or letters that are set
// close, each outline that adds ink becomes a polygon, with the holes that lie in it, and the words are their union.
#include "coulis/font.h"

#include "base/base.h"
#include "io/apart.h"

#include <errno.h>
#include <ft2build.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include FT_FREETYPE_H
#include FT_OUTLINE_H

#define MAX_FILE_BYTES ((uint64_t)64 << 20)
#define TOLERANCE 0.002 // of curves / height
#define DEPTH 0.25f     // / height
enum { max_letters = 256, max_points = 4096, max_outlines = 1024, max_chords = 64 };

typedef struct Outline {
    int first, count;
    int letter;  // its number in the text
    int is_ink;  // it adds; others take away
    double area; // as drawn, signed
} Outline;

// What the child hands back: lengths in heights of the capital H, the baseline of the first line at y = 0.
typedef struct Answer {
    char message[200];
    int point_count, outline_count;
} Answer;

typedef struct Setting {
    const couTextDef *def;
    uint32_t letters[max_letters];
    int letter_count;
    double tolerance; // / height
    Answer answer;
    couVec3 points[max_points];
    Outline outlines[max_outlines];
} Setting;

static void complain(Setting *setting, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void complain(Setting *setting, const char *format, ...)
{
    if (setting->answer.message[0]) return; // the first is enough
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(setting->answer.message, sizeof setting->answer.message, format, arguments);
    va_end(arguments);
}

// --- In the child: one letter ------------------------------------------------------------------------------------------------

typedef struct Pen {
    Setting *setting;
    double scale, x, y; // from the font's units to heights
    int letter;
    FT_Vector last; // [font units]
    bool is_down;
} Pen;

static void put(Pen *pen, double x, double y)
{
    Setting *setting = pen->setting;
    Answer *answer = &setting->answer;
    if (answer->point_count == max_points) {
        complain(setting, "it takes more than %d points: fewer letters, or a larger tolerance", max_points);
        return;
    }
    couVec3 p = {(float)(pen->scale * x + pen->x), (float)(pen->scale * y + pen->y), 0.0f};
    Outline *outline = &setting->outlines[answer->outline_count - 1];
    if (outline->count > 0) {
        couVec3 before = setting->points[answer->point_count - 1];
        if (hypotf(p.x - before.x, p.y - before.y) < 1e-5f) return;
    }
    setting->points[answer->point_count++] = p;
    ++outline->count;
}

// Closes the outline at hand, or takes it back when it encloses nothing.
static void lift(Pen *pen)
{
    Setting *setting = pen->setting;
    Answer *answer = &setting->answer;
    if (!pen->is_down) return;
    pen->is_down = false;
    Outline *outline = &setting->outlines[answer->outline_count - 1];
    const couVec3 *points = &setting->points[outline->first];
    while (outline->count > 1 &&
           hypotf(points[0].x - points[outline->count - 1].x, points[0].y - points[outline->count - 1].y) < 1e-5f)
        --outline->count;
    for (int i = 1; i + 1 < outline->count; ++i)
        outline->area += 0.5 * (((double)points[i].x - points[0].x) * ((double)points[i + 1].y - points[0].y) -
                                ((double)points[i].y - points[0].y) * ((double)points[i + 1].x - points[0].x));
    if (outline->count < 3 || fabs(outline->area) < 1e-6) --answer->outline_count, outline->count = 0;
    answer->point_count = outline->first + outline->count;
}

static int move_to(const FT_Vector *to, void *context)
{
    Pen *pen = context;
    Setting *setting = pen->setting;
    lift(pen);
    if (setting->answer.outline_count == max_outlines) {
        complain(setting, "it has more than %d outlines", max_outlines);
        return 1;
    }
    setting->outlines[setting->answer.outline_count++] = (Outline){.first = setting->answer.point_count, .letter = pen->letter};
    pen->is_down = true;
    pen->last = *to;
    put(pen, (double)to->x, (double)to->y);
    return 0;
}

static int line_to(const FT_Vector *to, void *context)
{
    Pen *pen = context;
    put(pen, (double)to->x, (double)to->y);
    pen->last = *to;
    return pen->setting->answer.message[0] != '\0';
}

static double second_difference(FT_Vector a, FT_Vector b, FT_Vector c)
{
    return hypot((double)a.x - 2.0 * (double)b.x + (double)c.x, (double)a.y - 2.0 * (double)b.y + (double)c.y);
}

// So many that the curve is never farther from its chords than the tolerance; `off` is that of one chord [font units].
static int count_chords(const Pen *pen, double off)
{
    return (int)fmin(fmax(ceil(sqrt(off * pen->scale / pen->setting->tolerance)), 1.0), max_chords);
}

static int conic_to(const FT_Vector *control, const FT_Vector *to, void *context)
{
    Pen *pen = context;
    FT_Vector a = pen->last, b = *control, c = *to;
    int count = count_chords(pen, second_difference(a, b, c) / 4.0);
    for (int i = 1; i < count; ++i) {
        double t = (double)i / count, u = 1.0 - t;
        put(pen, u * u * (double)a.x + 2.0 * u * t * (double)b.x + t * t * (double)c.x,
            u * u * (double)a.y + 2.0 * u * t * (double)b.y + t * t * (double)c.y);
    }
    return line_to(to, context);
}

static int cubic_to(const FT_Vector *control1, const FT_Vector *control2, const FT_Vector *to, void *context)
{
    Pen *pen = context;
    FT_Vector a = pen->last, b = *control1, c = *control2, d = *to;
    int count = count_chords(pen, 0.75 * fmax(second_difference(a, b, c), second_difference(b, c, d)));
    for (int i = 1; i < count; ++i) {
        double t = (double)i / count, u = 1.0 - t;
        double wa = u * u * u, wb = 3.0 * u * u * t, wc = 3.0 * u * t * t, wd = t * t * t;
        put(pen, wa * (double)a.x + wb * (double)b.x + wc * (double)c.x + wd * (double)d.x,
            wa * (double)a.y + wb * (double)b.y + wc * (double)c.y + wd * (double)d.y);
    }
    return line_to(to, context);
}

static bool load_glyph(Setting *setting, FT_Face face, uint32_t letter, FT_UInt *glyph)
{
    *glyph = FT_Get_Char_Index(face, letter);
    if (*glyph == 0) {
        complain(setting, "it has no letter U+%04X", (unsigned)letter);
        return false;
    }
    FT_Int32 flags = FT_LOAD_NO_SCALE | FT_LOAD_NO_HINTING | FT_LOAD_NO_BITMAP;
    if (FT_Load_Glyph(face, *glyph, flags) == 0 && face->glyph->format == FT_GLYPH_FORMAT_OUTLINE) return true;
    complain(setting, "its letter U+%04X is damaged, or has no outline", (unsigned)letter);
    return false;
}

static void draw_glyph(Pen *pen, FT_Face face)
{
    static const FT_Outline_Funcs functions = {move_to, line_to, conic_to, cubic_to, 0, 0};
    Setting *setting = pen->setting;
    int first = setting->answer.outline_count;
    if (FT_Outline_Decompose(&face->glyph->outline, &functions, pen) != 0)
        complain(setting, "its letter U+%04X is damaged", (unsigned)setting->letters[pen->letter]);
    lift(pen);
    bool is_right = FT_Outline_Get_Orientation(&face->glyph->outline) == FT_ORIENTATION_FILL_RIGHT; // ink is clockwise
    for (int k = first; k < setting->answer.outline_count; ++k)
        setting->outlines[k].is_ink = is_right == (setting->outlines[k].area < 0.0);
}

// --- In the child: lines -----------------------------------------------------------------------------------------------------

// The height of a capital H, or what it usually is, in the font's units.
static double capital_height(FT_Face face)
{
    FT_BBox box = {0};
    FT_UInt glyph = FT_Get_Char_Index(face, 'H');
    if (glyph != 0 && FT_Load_Glyph(face, glyph, FT_LOAD_NO_SCALE | FT_LOAD_NO_HINTING | FT_LOAD_NO_BITMAP) == 0 &&
        face->glyph->format == FT_GLYPH_FORMAT_OUTLINE)
        FT_Outline_Get_CBox(&face->glyph->outline, &box);
    return box.yMax > 0 ? (double)box.yMax : 0.72 * face->units_per_EM;
}

// Letters from `first` to the end of the line, its start at x = 0; returns where it ends.
static int set_line(Setting *setting, FT_Face face, int first, double scale, double y)
{
    Pen pen = {.setting = setting, .scale = scale, .y = y};
    FT_UInt before = 0, glyph;
    int start = setting->answer.point_count, i = first;
    for (; i < setting->letter_count && setting->letters[i] != '\n' && !setting->answer.message[0]; ++i) {
        FT_Vector kerning = {0};
        pen.letter = i;
        if (!load_glyph(setting, face, setting->letters[i], &glyph)) return i;
        if (before != 0 && FT_HAS_KERNING(face)) FT_Get_Kerning(face, before, glyph, FT_KERNING_UNSCALED, &kerning);
        pen.x += scale * (double)kerning.x;
        draw_glyph(&pen, face);
        pen.x += scale * (double)face->glyph->metrics.horiAdvance;
        before = glyph;
    }
    for (int p = start; p < setting->answer.point_count; ++p) setting->points[p].x -= (float)(0.5 * pen.x);
    return i;
}

static void set_lines(Setting *setting, FT_Face face)
{
    double scale = 1.0 / capital_height(face), y = 0.0;
    for (int i = 0; i <= setting->letter_count && !setting->answer.message[0]; ++i) {
        i = set_line(setting, face, i, scale, y);
        y -= scale * (face->height > 0 ? (double)face->height : 1.2 * face->units_per_EM);
    }
    if (setting->answer.outline_count == 0) complain(setting, "nothing of the text can be seen");
}

static void set_in_child(void *context, int pipe)
{
    Setting *setting = context;
    Answer *answer = &setting->answer;
    FT_Library library;
    FT_Face face;
    if (FT_Init_FreeType(&library) != 0)
        complain(setting, "FreeType does not start");
    else if (FT_New_Face(library, setting->def->font, 0, &face) != 0)
        complain(setting, "it is no font, or damaged");
    else if (!FT_IS_SCALABLE(face) || face->units_per_EM == 0)
        complain(setting, "it has no outlines");
    else
        set_lines(setting, face);
    couApart_Send(pipe, answer, sizeof *answer);
    if (answer->message[0]) return;
    couApart_Send(pipe, setting->points, (size_t)answer->point_count * sizeof *setting->points);
    couApart_Send(pipe, setting->outlines, (size_t)answer->outline_count * sizeof *setting->outlines);
}

// --- In the parent -----------------------------------------------------------------------------------------------------------

static bool are_good(const Setting *setting)
{
    const Answer *answer = &setting->answer;
    int sum = 0;
    for (int k = 0; k < answer->outline_count; ++k) {
        const Outline *outline = &setting->outlines[k];
        if (outline->first != sum || outline->count < 3 || outline->count > answer->point_count - sum) return false;
        if (outline->letter < 0 || outline->letter >= setting->letter_count) return false;
        sum += outline->count;
    }
    for (int i = 0; i < answer->point_count; ++i)
        if (!couIsFinite3(setting->points[i])) return false;
    return sum == answer->point_count;
}

static bool receive(void *context, int pipe)
{
    Setting *setting = context;
    Answer *answer = &setting->answer;
    if (!couApart_Receive(pipe, answer, sizeof *answer)) return false;
    answer->message[sizeof answer->message - 1] = '\0';
    if (answer->message[0]) return true;
    if (answer->point_count < 3 || answer->point_count > max_points || answer->outline_count < 1 ||
        answer->outline_count > max_outlines)
        return false;
    return couApart_Receive(pipe, setting->points, (size_t)answer->point_count * sizeof *setting->points) &&
           couApart_Receive(pipe, setting->outlines, (size_t)answer->outline_count * sizeof *setting->outlines) &&
           are_good(setting);
}

// To metres, the middle of the bounds at the origin.
static void place(Setting *setting)
{
    couVec3 lower = setting->points[0], upper = lower;
    for (int i = 1; i < setting->answer.point_count; ++i) {
        couVec3 p = setting->points[i];
        lower = (couVec3){fminf(lower.x, p.x), fminf(lower.y, p.y), 0.0f};
        upper = (couVec3){fmaxf(upper.x, p.x), fmaxf(upper.y, p.y), 0.0f};
    }
    couVec3 middle = couScale(0.5f, couAdd(lower, upper));
    for (int i = 0; i < setting->answer.point_count; ++i)
        setting->points[i] = couScale(setting->def->height, couSub(setting->points[i], middle));
}

static bool holds(const Setting *setting, const Outline *outline, couVec3 p)
{
    bool is_inside = false;
    const couVec3 *points = &setting->points[outline->first];
    for (int i = 0; i < outline->count; ++i) {
        couVec3 a = points[i], b = points[(i + 1) % outline->count];
        if ((a.y > p.y) == (b.y > p.y)) continue;
        is_inside ^= p.x < a.x + ((double)p.y - a.y) / ((double)b.y - a.y) * ((double)b.x - a.x);
    }
    return is_inside;
}

static couVec3 first_point(const Setting *setting, int k) { return setting->points[setting->outlines[k].first]; }

// Whether there is ink on one side of the outline only, as long as none crosses another.
static bool is_border(const Setting *setting, int k)
{
    int around = 0, within = setting->outlines[k].is_ink ? 1 : -1;
    for (int l = 0; l < setting->answer.outline_count; ++l)
        if (l != k && holds(setting, &setting->outlines[l], first_point(setting, k)))
            around += setting->outlines[l].is_ink ? 1 : -1;
    return (around != 0) != (around + within != 0);
}

// The smallest ink around a hole, -1 for none.
static int find_ink(const Setting *setting, int hole)
{
    int found = -1;
    for (int l = 0; l < setting->answer.outline_count; ++l) {
        const Outline *outline = &setting->outlines[l];
        if (!outline->is_ink || !holds(setting, outline, first_point(setting, hole))) continue;
        if (found < 0 || fabs(outline->area) < fabs(setting->outlines[found].area)) found = l;
    }
    return found;
}

// A polygon of the outlines that are chosen.
static couShape *make_polygon(const Setting *setting, const bool *is_chosen, float depth, couFaults *faults)
{
    static const size_t most = max_points * sizeof(couVec3) + max_outlines * sizeof(int);
    couVec3 *points = couAlloc(NULL, most);
    if (!points) {
        couFaults_Add(faults, NULL, "text", "no memory for its letters");
        return NULL;
    }
    int *outlines = (int *)(points + max_points);
    couShapeDef def = {
        .kind = cou_shapePolygon, .points = points, .outlines = outlines, .height = depth, .pose = COU_POSE_IDENTITY};
    for (int k = 0; k < setting->answer.outline_count; ++k) {
        const Outline *outline = &setting->outlines[k];
        if (!is_chosen[k]) continue;
        memcpy(points + def.point_count, setting->points + outline->first, (size_t)outline->count * sizeof *points);
        def.point_count += outline->count;
        outlines[def.outline_count++] = outline->count;
    }
    couShape *shape = couCreateShape(&def, faults);
    couFree(NULL, points);
    return shape;
}

static couShape *make_union(const Setting *setting, float depth, couFaults *faults)
{
    couShape *parts[max_outlines];
    int count = 0;
    bool is_good = true, is_chosen[max_outlines];
    for (int k = 0; k < setting->answer.outline_count && is_good; ++k) {
        if (!setting->outlines[k].is_ink) continue;
        for (int l = 0; l < setting->answer.outline_count; ++l)
            is_chosen[l] = l == k || (!setting->outlines[l].is_ink && find_ink(setting, l) == k);
        couFaults own = {0};
        parts[count] = make_polygon(setting, is_chosen, depth, &own);
        is_good = parts[count] != NULL;
        if (is_good)
            ++count;
        else
            couFaults_Add(faults, setting->def->font, "text.font", "its letter U+%04X cannot be used: %.150s",
                          (unsigned)setting->letters[setting->outlines[k].letter],
                          own.count ? own.items[0].message : "no memory");
        couFaults_Clear(&own);
    }
    couShapeDef def = {.kind = cou_shapeUnion, .children = parts, .child_count = count, .pose = COU_POSE_IDENTITY};
    couShape *shape = is_good ? couCreateShape(&def, faults) : NULL;
    for (int i = 0; i < count; ++i) couShape_Release(parts[i]);
    return shape;
}

static couShape *make_shape(Setting *setting, couFaults *faults)
{
    float depth = isnan(setting->def->depth) ? DEPTH * setting->def->height : setting->def->depth;
    bool is_chosen[max_outlines];
    couFaults own = {0};
    place(setting);
    for (int k = 0; k < setting->answer.outline_count; ++k) is_chosen[k] = is_border(setting, k);
    couShape *shape = make_polygon(setting, is_chosen, depth, &own);
    couFaults_Clear(&own); // outlines that cross; all else is at fault there too
    return shape ? shape : make_union(setting, depth, faults);
}

// --- Input -------------------------------------------------------------------------------------------------------------------

// The next character of UTF-8 text, which moves on; 0 when it is not good [RFC 3629].
static uint32_t next_letter(const unsigned char **text)
{
    const unsigned char *at = *text;
    int more = at[0] < 0x80 ? 0 : (at[0] & 0xe0) == 0xc0 ? 1 : (at[0] & 0xf0) == 0xe0 ? 2 : (at[0] & 0xf8) == 0xf0 ? 3 : -1;
    static const uint32_t least[4] = {0, 0x80, 0x800, 0x10000};
    if (more < 0) return 0;
    uint32_t letter = more == 0 ? at[0] : at[0] & (0x3fu >> more);
    for (int i = 1; i <= more; ++i) {
        if ((at[i] & 0xc0) != 0x80) return 0;
        letter = letter << 6 | (at[i] & 0x3fu);
    }
    *text += 1 + more;
    bool is_good = letter >= least[more] && letter <= 0x10ffff && !(letter >= 0xd800 && letter < 0xe000);
    return is_good && (letter >= 32 || letter == '\n') ? letter : 0;
}

static bool read_letters(Setting *setting, couFaults *faults)
{
    const unsigned char *at = (const unsigned char *)setting->def->text;
    if (!at || !*at) {
        couFaults_Add(faults, NULL, "text.text", "is empty");
        return false;
    }
    while (*at) {
        uint32_t letter = next_letter(&at);
        if (letter == 0) {
            couFaults_Add(faults, NULL, "text.text", "character %d is not UTF-8, or a control character",
                          setting->letter_count + 1);
            return false;
        }
        if (setting->letter_count == max_letters) {
            couFaults_Add(faults, NULL, "text.text", "has more than %d characters", max_letters);
            return false;
        }
        setting->letters[setting->letter_count++] = letter;
    }
    return true;
}

static bool check_length(const char *key, float value, bool is_auto, couFaults *faults)
{
    if ((isnan(value) && is_auto) || (value >= 1e-6f && value <= 1e6f)) return true;
    couFaults_Add(faults, NULL, key, "%g m must be from 1e-06 to 1e+06 m", (double)value);
    return false;
}

static bool check_font(const char *path, uint64_t *bytes, couFaults *faults)
{
    struct stat status;
    if (!path || !path[0])
        couFaults_Add(faults, NULL, "text.font", "is missing");
    else if (stat(path, &status) != 0)
        couFaults_Add(faults, path, "text.font", "cannot be read: %s", strerror(errno));
    else if (!S_ISREG(status.st_mode))
        couFaults_Add(faults, path, "text.font", "is no file");
    else if ((uint64_t)status.st_size > MAX_FILE_BYTES)
        couFaults_Add(faults, path, "text.font", "has %.1f MiB, at most 64 are read", (double)status.st_size / (1 << 20));
    else {
        *bytes = (uint64_t)status.st_size;
        return true;
    }
    return false;
}

couTextDef couDefaultTextDef(void) { return (couTextDef){.depth = COU_AUTO, .tolerance = COU_AUTO}; }

couShape *couCreateTextShape(const couTextDef *def, couFaults *faults)
{
    Setting *setting = couAlloc(NULL, sizeof *setting);
    if (!setting) {
        couFaults_Add(faults, NULL, "text", "no memory for its letters");
        return NULL;
    }
    setting->def = def;
    uint64_t bytes = 0;
    bool is_good = read_letters(setting, faults);
    is_good = check_length("text.height", def->height, false, faults) && is_good;
    is_good = check_length("text.depth", def->depth, true, faults) && is_good;
    is_good = check_length("text.tolerance", def->tolerance, true, faults) && is_good;
    is_good = check_font(def->font, &bytes, faults) && is_good;
    couShape *shape = NULL;
    if (is_good) {
        Answer *answer = &setting->answer;
        setting->tolerance = isnan(def->tolerance) ? TOLERANCE : (double)def->tolerance / (double)def->height;
        char reason[sizeof answer->message] = "";
        if (!couRunApart(bytes, set_in_child, receive, setting, reason, sizeof reason))
            memcpy(answer->message, reason, sizeof reason);
        if (answer->message[0])
            couFaults_Add(faults, def->font, "text.font", "%s", answer->message);
        else
            shape = make_shape(setting, faults);
    }
    couFree(NULL, setting);
    return shape;
}

// --- Names -------------------------------------------------------------------------------------------------------------------

static const char *const names[] = {
    "dejavu-sans", "dejavu-sans-bold", "dejavu-serif", "dejavu-serif-bold", "dejavu-mono", "dejavu-mono-bold", NULL};

const char *const *couFontNames(void) { return names; }

bool couFindFont(const char *name, char *path, size_t size)
{
    static const char *const files[] = {"DejaVuSans.ttf",       "DejaVuSans-Bold.ttf", "DejaVuSerif.ttf",
                                        "DejaVuSerif-Bold.ttf", "DejaVuSansMono.ttf",  "DejaVuSansMono-Bold.ttf"};
    static const char *const folders[] = {"/usr/share/fonts/truetype/dejavu", "/usr/local/share/fonts", "/usr/share/fonts/TTF",
                                          "/usr/share/fonts/dejavu"};
    for (int i = 0; names[i]; ++i) {
        if (strcmp(names[i], name) != 0) continue;
        for (int k = 0; k < COU_COUNT(folders); ++k) {
            struct stat status;
            int length = snprintf(path, size, "%s/%s", folders[k], files[i]);
            if (length > 0 && (size_t)length < size && stat(path, &status) == 0 && S_ISREG(status.st_mode)) return true;
        }
    }
    if (size > 0) path[0] = '\0';
    return false;
}
