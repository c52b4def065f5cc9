// films: a liquid cross between four posts, in 2D without gravity. Surface tension, which nobody coded, shortens the films: the
// crossing, where four films meet at right angles, splits into two triple points, and at each the three films pull alike, hence
// meet at 120 degrees.
//
// The angles are read from the particles alone. A tree of five straight segments is laid through the cloud to tell which particle
// belongs to which film; then each film gets its own straight line (total least squares) from its particles between the thick
// junction and the posts, and the angles are those between the lines.

#include "validate/validate.h"

#include <stdio.h>
#include <stdlib.h>

#define SPACING 0.02 // [m]

enum { POSTS = 4, FILMS = 5, JUNCTIONS = 2 };

typedef struct Point {
    double x, y;
} Point;

typedef struct Frame {
    Point posts[POSTS]; // [m]
    double radius;      // of a post [m]
    double thickness;   // of the films at the start [m]
} Frame;

static Point sub(Point a, Point b) { return (Point){a.x - b.x, a.y - b.y}; }
static double dot(Point a, Point b) { return a.x * b.x + a.y * b.y; }
static double length(Point a) { return sqrt(dot(a, a)); }

// Squared distance of p to the segment from a to b; `along` is where on it, 0 to 1.
static double segment_distance2(Point p, Point a, Point b, double *along)
{
    Point ab = sub(b, a);
    double t = dot(sub(p, a), ab) / fmax(dot(ab, ab), 1e-30);
    *along = fmin(fmax(t, 0), 1);
    Point foot = {a.x + *along * ab.x, a.y + *along * ab.y};
    return dot(sub(p, foot), sub(p, foot));
}

// --- The set-up --------------------------------------------------------------------------------------------------------------

// A lower and longer frame than a square, so that the bar between the junctions has one way to lie.
static Frame make_frame(const couTrial *trial)
{
    double half = (trial->is_small ? 16 : 22) * SPACING;
    return (Frame){
        {{-1.25 * half, -half}, {-1.25 * half, half}, {1.25 * half, -half}, {1.25 * half, half}}, 2.5 * SPACING, 3 * SPACING};
}

static void add_posts(couTrial *trial, couWorld *world, const Frame *frame)
{
    couShape *disc = trial->faults.count ? NULL
                                         : couCreateShape(&(couShapeDef){.kind = cou_shapeSphere, .radius = (float)frame->radius},
                                                          &trial->faults);
    for (int p = 0; p < POSTS && world && disc; ++p) {
        couBodyDef def = couDefaultBodyDef();
        snprintf(def.name, sizeof def.name, "post%d", p + 1);
        def.shape = disc;
        def.pose.position = (couVec3){(float)frame->posts[p].x, (float)frame->posts[p].y, 0};
        def.stickiness = 300.0f;
        def.friction = 1.0f;
        couWorld_AddBody(world, &def, &trial->faults);
    }
    couShape_Release(disc);
}

static bool is_free(const couVec3 *x, int count, couVec3 candidate, double distance)
{
    for (int i = 0; i < count; ++i)
        if (hypot(x[i].x - candidate.x, x[i].y - candidate.y) < distance) return false;
    return true;
}

// Three rows along each diagonal, where the other has not been already, and a ring around each post for the films to stand on.
// Films of this matter are two rows of closer particles: that much liquid is right for them, more stays behind in pools.
static void add_cross(couTrial *trial, couWorld *world, couMaterialId material, const Frame *frame)
{
    enum { MOST = 2000 };
    couVec3 x[MOST];
    int count = 0;
    uint64_t seed = 11;
    double ring = frame->radius + 0.5 * SPACING;
    for (int p = 0; p < POSTS; ++p)
        for (int k = 0, n = (int)(2 * M_PI * ring / SPACING); k < n; ++k)
            x[count++] = (couVec3){(float)(frame->posts[p].x + ring * cos(2 * M_PI * k / n)),
                                   (float)(frame->posts[p].y + ring * sin(2 * M_PI * k / n)), 0};
    for (int diagonal = 0; diagonal < 2; ++diagonal) {
        Point a = frame->posts[diagonal], b = frame->posts[3 - diagonal], along = sub(b, a);
        double reach = length(along), first = ring + SPACING;
        along = (Point){along.x / reach, along.y / reach};
        for (double s = first; s < reach - first; s += SPACING)
            for (int row = -1; row <= 1; ++row) {
                double u = s + 0.1 * SPACING * couNoise(&seed), w = row * SPACING + 0.1 * SPACING * couNoise(&seed);
                couVec3 place = {(float)(a.x + u * along.x - w * along.y), (float)(a.y + u * along.y + w * along.x), 0};
                if (count < MOST && is_free(x, count, place, 0.7 * SPACING)) x[count++] = place;
            }
    }
    if (world && !trial->faults.count) couWorld_AddParticles(world, material, x, NULL, (size_t)count, &trial->faults);
}

// --- Reading the films -------------------------------------------------------------------------------------------------------

typedef struct Tree {
    Point junctions[JUNCTIONS]; // left, right
} Tree;

// Film f: 0, 1 from the left junction to its posts, 2, 3 from the right one, 4 the bar.
static void film_ends(const Frame *frame, const Tree *tree, int f, Point *a, Point *b)
{
    *a = tree->junctions[f == 2 || f == 3];
    *b = f == 4 ? tree->junctions[1] : frame->posts[f];
}

static int nearest_film(const Frame *frame, const Tree *tree, Point p, double *distance2, double *along)
{
    int best = 0;
    *distance2 = INFINITY;
    for (int f = 0; f < FILMS; ++f) {
        Point a, b;
        double t;
        film_ends(frame, tree, f, &a, &b);
        double d2 = segment_distance2(p, a, b, &t);
        if (d2 < *distance2) *distance2 = d2, *along = t * length(sub(b, a)), best = f;
    }
    return best;
}

static double misfit(const Frame *frame, const Tree *tree, couParticleView view)
{
    double sum = 0;
    for (size_t i = 0; i < view.count; ++i) {
        double d2, along;
        nearest_film(frame, tree, (Point){view.position[i].x, view.position[i].y}, &d2, &along);
        sum += d2;
    }
    return sum;
}

// Coordinate search with a shrinking step: four numbers, a smooth misfit.
static Tree fit_tree(const Frame *frame, couParticleView view)
{
    Tree tree = {{{-0.3 * frame->posts[3].x, 0}, {0.3 * frame->posts[3].x, 0}}};
    double best = misfit(frame, &tree, view);
    for (double step = 4 * SPACING; step > 0.05 * SPACING; step *= 0.5)
        for (bool has_moved = true; has_moved;) {
            has_moved = false;
            for (int k = 0; k < 8; ++k) {
                Tree moved = tree;
                double *coordinate = k & 1 ? &moved.junctions[k >> 2].x : &moved.junctions[k >> 2].y;
                *coordinate += k & 2 ? step : -step;
                double value = misfit(frame, &moved, view);
                if (value < best) best = value, tree = moved, has_moved = true;
            }
        }
    return tree;
}

// Direction of each film by total least squares through its particles clear of the junctions and posts; pointing away from its
// first end. False when a film has too few.
static bool film_directions(const Frame *frame, const Tree *tree, couParticleView view, double clear, Point directions[FILMS])
{
    double n[FILMS] = {0}, x[FILMS] = {0}, y[FILMS] = {0}, xx[FILMS] = {0}, yy[FILMS] = {0}, xy[FILMS] = {0};
    for (size_t i = 0; i < view.count; ++i) {
        Point p = {view.position[i].x, view.position[i].y}, a, b;
        double d2, along;
        int f = nearest_film(frame, tree, p, &d2, &along);
        film_ends(frame, tree, f, &a, &b);
        double left = length(sub(b, a)) - along;
        if (along < clear || left < (f == 4 ? clear : clear + frame->radius)) continue;
        n[f] += 1, x[f] += p.x, y[f] += p.y, xx[f] += p.x * p.x, yy[f] += p.y * p.y, xy[f] += p.x * p.y;
    }
    for (int f = 0; f < FILMS; ++f) {
        if (n[f] < 10) return false;
        double mx = x[f] / n[f], my = y[f] / n[f];
        double angle = 0.5 * atan2(2 * (xy[f] / n[f] - mx * my), (xx[f] / n[f] - mx * mx) - (yy[f] / n[f] - my * my));
        Point a, b;
        film_ends(frame, tree, f, &a, &b);
        directions[f] = (Point){cos(angle), sin(angle)};
        if (dot(directions[f], sub(b, a)) < 0) directions[f] = (Point){-directions[f].x, -directions[f].y};
    }
    return true;
}

static double angle_between(Point a, Point b)
{
    return acos(fmin(fmax(dot(a, b) / (length(a) * length(b)), -1), 1)) * 180 / M_PI;
}

// The three angles of each junction [deg].
static void read_angles(const Frame *frame, couParticleView view, Tree *tree, double angles[JUNCTIONS][3])
{
    Point directions[FILMS];
    *tree = fit_tree(frame, view);
    bool is_good = film_directions(frame, tree, view, 1.2 * frame->thickness, directions);
    for (int j = 0; j < JUNCTIONS; ++j) {
        Point bar = directions[4];
        if (j == 1) bar = (Point){-bar.x, -bar.y};
        angles[j][0] = is_good ? angle_between(directions[2 * j], directions[2 * j + 1]) : NAN;
        angles[j][1] = is_good ? angle_between(directions[2 * j], bar) : NAN;
        angles[j][2] = is_good ? angle_between(directions[2 * j + 1], bar) : NAN;
    }
}

static void draw(couTrial *trial, const Frame *frame, const Tree *tree, couParticleView view, const char *title, const char *part)
{
    double *x = malloc(view.count * sizeof *x + 1), *y = malloc(view.count * sizeof *y + 1);
    for (size_t i = 0; x && y && i < view.count; ++i) x[i] = view.position[i].x, y[i] = view.position[i].y;
    couPlot *plot = couCreatePlot(title, "x [m]", "y [m]");
    couPlot_SetEqual(plot);
    if (x && y) couPlot_Add(plot, cou_plotDots, "", x, y, (int)view.count);
    double px[POSTS], py[POSTS];
    for (int p = 0; p < POSTS; ++p) px[p] = frame->posts[p].x, py[p] = frame->posts[p].y;
    couPlot_Add(plot, cou_plotPoints, "posts", px, py, POSTS);
    for (int f = 0; tree && f < FILMS; ++f) {
        Point a, b;
        film_ends(frame, tree, f, &a, &b);
        couPlot_Add(plot, cou_plotDashed, "", (double[]){a.x, b.x}, (double[]){a.y, b.y}, 2);
    }
    couTrial_WritePlot(trial, plot, part);
    free(x);
    free(y);
}

void couValidateFilms(couTrial *trial)
{
    Frame frame = make_frame(trial);
    couWorldDef def = couTrial_WorldDef(trial, 2, (float)SPACING);
    couWorld *world = couTrial_CreateWorld(trial, &def);
    couTrial_Set(trial, world, "recipe", "drops");
    couMaterialDef soap = couDefaultMaterialDef();
    couMaterialId material = couTrial_AddMaterial(trial, world, &soap);
    add_posts(trial, world, &frame);
    add_cross(trial, world, material, &frame);
    if (world && !trial->faults.count) draw(trial, &frame, NULL, couWorld_Particles(world), "films: the start", "start");

    int frames = trial->is_small ? 600 : 1200;
    for (int f = 0; f < frames && couTrial_Advance(trial, world, 0.1); ++f) couTrial_Show(trial, (f + 1.0) / frames);
    double angles[JUNCTIONS][3] = {{NAN, NAN, NAN}, {NAN, NAN, NAN}};
    if (!trial->faults.count) {
        Tree tree;
        read_angles(&frame, couWorld_Particles(world), &tree, angles);
        draw(trial, &frame, &tree, couWorld_Particles(world), "films: the end, with the fitted tree", NULL);
    }
    static const char *const pairs[3] = {"arm to arm", "lower arm to bar", "upper arm to bar"};
    for (int j = 0; j < JUNCTIONS; ++j)
        for (int k = 0; k < 3; ++k)
            couTrial_Within(trial, angles[j][k], 120, 6, "deg", "%s junction, %s", j ? "right" : "left", pairs[k]);
    couDestroyWorld(world);
}
