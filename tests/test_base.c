// Version, order, and the allocator's hook: whatever worlds of every method take comes from it and returns to it, and malloc is
// not asked at all. What ODE takes is led to counters of its own, as include/coulis/base.h says that a program may.
#include "testing.h"

#include <ode/memory.h>
#include <stdatomic.h>

// --- Counters ----------------------------------------------------------------------------------------------------------------

typedef struct Account {
    _Atomic long long blocks, bytes; // held now
    _Atomic long long calls;         // ever
} Account;

static Account of_coulis, of_ode, of_malloc;
static _Atomic bool is_watching; // counts calls of malloc

// In front of each block of ours.
typedef struct Label {
    Account *account;
    size_t bytes;
    void *base;
} Label;

static void *take(Account *account, size_t bytes, size_t align, void *(*aligned)(size_t, size_t))
{
    size_t front = COU_MAX(align, 32);
    char *base = aligned(align, front + bytes);
    if (!base) return NULL;
    memset(base, 0xa5, front + bytes); // nobody may count on zeros
    Label label = {account, bytes, base};
    memcpy(base + front - sizeof label, &label, sizeof label);
    atomic_fetch_add(&account->blocks, 1);
    atomic_fetch_add(&account->bytes, (long long)bytes);
    atomic_fetch_add(&account->calls, 1);
    return base + front;
}

// The base of the block, to be freed.
static void *give_back(Account *account, void *memory)
{
    Label label;
    memcpy(&label, (char *)memory - sizeof label, sizeof label);
    if (label.account != account) {
        print_error("a block was freed that did not come from the hook\n");
        abort();
    }
    atomic_fetch_sub(&account->blocks, 1);
    atomic_fetch_sub(&account->bytes, (long long)label.bytes);
    return label.base;
}

// With glibc the whole program's malloc can be replaced, so that calls from anywhere are seen; not under the sanitizers, which
// do so themselves.
#if defined(__GLIBC__) && !defined(COU_SANITIZED)
#define SEES_MALLOC 1
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t align, size_t size);
extern void __libc_free(void *memory);

static void note_call(void)
{
    if (is_watching) ++of_malloc.calls;
}

// Visible, so that the shared libraries, the C library among them, call these as well.
COU_API void *malloc(size_t size)
{
    note_call();
    return __libc_malloc(size);
}

COU_API void *calloc(size_t count, size_t size)
{
    note_call();
    return __libc_calloc(count, size);
}

COU_API void *realloc(void *memory, size_t size)
{
    note_call();
    return __libc_realloc(memory, size);
}

COU_API void *aligned_alloc(size_t align, size_t size)
{
    note_call();
    return __libc_memalign(align, size);
}

COU_API void free(void *memory) { __libc_free(memory); }

static void *take_aligned(size_t align, size_t size) { return __libc_memalign(align, size); }
#else
#define SEES_MALLOC 0
static void *take_aligned(size_t align, size_t size) { return aligned_alloc(align, (size + align - 1) / align * align); }
#endif

static void *hook_alloc(size_t bytes, size_t align)
{
    assert_true(align >= 16 && (align & (align - 1)) == 0 && bytes % align == 0);
    return take(&of_coulis, bytes, align, take_aligned);
}
static void hook_free(void *memory) { free(give_back(&of_coulis, memory)); }

static void *ode_alloc(dsizeint bytes) { return take(&of_ode, bytes, 16, take_aligned); }
static void ode_free(void *memory, dsizeint bytes)
{
    (void)bytes;
    if (memory) free(give_back(&of_ode, memory));
}
static void *ode_realloc(void *memory, dsizeint old_bytes, dsizeint bytes)
{
    void *moved = ode_alloc(bytes);
    if (moved && memory) memcpy(moved, memory, COU_MIN(old_bytes, bytes));
    ode_free(memory, old_bytes);
    return moved;
}

static void set_hooks(void)
{
    couSetAllocator(hook_alloc, hook_free);
    dSetAllocHandler(ode_alloc);
    dSetReallocHandler(ode_realloc);
    dSetFreeHandler(ode_free);
}

static void check_balance(const char *what)
{
    if (of_coulis.blocks == 0 && of_coulis.bytes == 0) return;
    print_error("%s: expected all memory back, got %lld blocks with %lld bytes still held\n", what, (long long)of_coulis.blocks,
                (long long)of_coulis.bytes);
    fail();
}

static void check_malloc_unused(const char *what)
{
    if (of_malloc.calls == 0) return;
    print_error("%s: expected no call of malloc, got %lld\n", what, (long long)of_malloc.calls);
    fail();
}

// --- Worlds that use everything ----------------------------------------------------------------------------------------------

static couShape *make_pyramid(void)
{
    static const couVec3 vertices[] = {{-0.1f, 0, -0.1f}, {0.1f, 0, -0.1f}, {0.1f, 0, 0.1f}, {-0.1f, 0, 0.1f}, {0, 0.15f, 0}};
    static const uint32_t triangles[] = {0, 1, 2, 0, 2, 3, 0, 4, 1, 1, 4, 2, 2, 4, 3, 3, 4, 0};
    couFaults faults = {0};
    couMesh *mesh = couCreateMesh(vertices, 5, triangles, 6, &faults);
    couMesh *closed = couMesh_CloseHoles(mesh);
    couDistanceGrid *grid = couCreateDistanceGrid(closed ? closed : mesh, 0.02f, 0, 1, &faults);
    CHECK_NO_FAULTS(&faults);
    couShape *shape = make_shape((couShapeDef){.kind = cou_shapeMesh, .grid = grid});
    couDistanceGrid_Release(grid);
    couMesh_Release(closed);
    couMesh_Release(mesh);
    return shape;
}

static void add_dynamic(couWorld *world, couShape *shape, couPose pose, bool has_joint)
{
    couFaults faults = {0};
    couBodyDef def = couDefaultBodyDef();
    def.shape = shape;
    def.pose = pose;
    def.is_dynamic = true;
    couBodyId body = couWorld_AddBody(world, &def, &faults);
    couShape_Release(shape);
    if (has_joint) {
        couJointDef joint = couDefaultJointDef();
        joint.kind = cou_jointHinge;
        joint.a = body;
        joint.at = pose.position;
        couWorld_AddJoint(world, &joint, &faults);
    }
    CHECK_NO_FAULTS(&faults);
}

static void fill_world(couWorld *world, bool has_springs)
{
    couMaterialDef def = couDefaultMaterialDef();
    if (has_springs) {
        def.springs = cou_springsPlastic;
        def.shear_modulus = 500.0f;
    }
    couMaterialId material = add_material(world, &def);
    add_body(world, make_tank(1.0f, 0.8f, 0.6f, 0.05f, true), at(0, 0, 0), 0.5f);
    add_dynamic(world, make_pyramid(), at(0.2f, 0.05f, 0), false);
    add_dynamic(world, make_box(0.1f, 0.1f, 0.1f), at(0.2f, -0.35f, 0), false); // on the ground: contacts, so ODE has work
    add_dynamic(world, make_box(0.1f, 0.1f, 0.1f), at(-0.2f, 0.2f, 0), true);
    add_fluid(world, material, make_box(0.4f, 0.3f, 0.4f), at(-0.2f, -0.2f, 0), (couVec3){0, 0, 0});
    couEmitterDef emitter = couDefaultEmitterDef();
    emitter.material = material;
    emitter.shape = make_disk(0.08f);
    emitter.pose.position = (couVec3){0.3f, 0.2f, 0};
    add_emitter(world, &emitter);
}

static void save_and_load(couWorld *world)
{
    couFaults faults = {0};
    couState state = {0};
    assert_true(couWorld_SaveState(world, &state));
    couWorld_Advance(world, 0.01);
    assert_true(couWorld_LoadState(world, &state, &faults));
    CHECK_NO_FAULTS(&faults);
    couState_Clear(&state);
}

static void build_surface(const couWorld *world, int threads)
{
    couFaults faults = {0};
    couParticleView view = couWorld_Particles(world);
    couVec3 *positions = couAlloc(NULL, view.count * sizeof *positions);
    for (size_t i = 0; i < view.count; ++i) positions[i] = couXyz(view.position[i]);
    couSurfaceDef def = couDefaultSurfaceDef();
    def.spacing = couWorld_Def(world)->spacing;
    def.threads = threads;
    couSurfacePoints points = {.dimension = couWorld_Def(world)->dimension, .count = view.count, .positions = positions};
    couSurface surface = {0};
    couSplats splats = {0};
    assert_true(couBuildSurface(&def, &points, &surface, &faults));
    if (points.dimension == 3) assert_true(couFindSplats(&def, &points, 0.0f, &splats, &faults));
    CHECK_NO_FAULTS(&faults);
    couSplats_Clear(&splats);
    couSurface_Clear(&surface);
    couFree(NULL, positions);
}

// More faults than fit at first.
static void collect_faults(void)
{
    couFaults faults = {0};
    for (int k = 0; k < 20; ++k) {
        couShapeDef bad = {.kind = cou_shapeSphere, .radius = -1.0f};
        assert_null(couCreateShape(&bad, &faults));
    }
    assert_int_equal(faults.count, 20);
    assert_string_equal(faults.items[0].key, faults.items[19].key);
    couFaults_Clear(&faults);
}

static void live_once(const char *method, int dimension, int threads)
{
    couFaults faults = {0};
    couWorldDef def = couDefaultWorldDef();
    snprintf(def.method, sizeof def.method, "%s", method);
    def.dimension = dimension;
    def.spacing = 0.03f;
    def.threads = threads;
    couWorld *world = couCreateWorld(&def, &faults);
    CHECK_NO_FAULTS(&faults);
    fill_world(world, strcmp(method, "pvfs") == 0);
    couStepReport report = couWorld_Advance(world, 0.02);
    CHECK_HEALTHY(&report);
    assert_true(couWorld_Particles(world).count > 100);
    save_and_load(world);
    build_surface(world, threads);
    collect_faults();
    assert_true(of_coulis.bytes > 0);
    couDestroyWorld(world);
}

static void test_allocator(void **context)
{
    (void)context;
    set_hooks();
    long long ode_before = of_ode.calls;
    for (const char *const *method = couMethodNames(); *method; ++method) {
        for (int dimension = 2; dimension <= 3; ++dimension) {
            char what[64];
            snprintf(what, sizeof what, "%s, %dD", *method, dimension);
            is_watching = true;
            live_once(*method, dimension, 1); // threads are made by the C library, which asks malloc for them
            is_watching = false;
            check_malloc_unused(what);
            check_balance(what);
        }
    }
    live_once("pvfs", 3, 3);
    check_balance("pvfs with threads");
    assert_true(of_ode.calls > ode_before); // the bodies were at work
    if (!SEES_MALLOC) print_message("malloc itself is not watched in this build\n");
}

// The watch works: it would see a call.
static void test_watch(void **context)
{
    (void)context;
    if (!SEES_MALLOC) skip();
    long long before = of_malloc.calls;
    is_watching = true;
    char *volatile block = malloc(1), *volatile copy = strdup("by the C library");
    is_watching = false;
    free(block);
    free(copy);
    assert_int_equal(of_malloc.calls, before + 2);
    of_malloc.calls = before;
}

// --- Version and order -------------------------------------------------------------------------------------------------------

static void test_version(void **context)
{
    (void)context;
    assert_string_equal(couVersion(), COU_VERSION);
    assert_string_equal(couVersion(), COU_PROJECT_VERSION); // CMake's
    char numbers[32];
    snprintf(numbers, sizeof numbers, "%d.%d.%d", COU_VERSION_MAJOR, COU_VERSION_MINOR, COU_VERSION_PATCH);
    assert_string_equal(couVersion(), numbers);
}

typedef struct Item {
    uint32_t key;
    char rest[97]; // longer than what is swapped at a time
} Item;

static int compare_items(const void *a, const void *b)
{
    uint32_t s = ((const Item *)a)->key, t = ((const Item *)b)->key;
    return (s > t) - (s < t);
}

static void *refuse(size_t bytes, size_t align)
{
    (void)bytes, (void)align;
    return NULL;
}

static void check_sort(void)
{
    couRandom random = {couMix64(5)};
    for (size_t count = 0; count < 300; count += count < 20 ? 1 : 31) {
        Item items[300] = {0}, expected[300];
        for (size_t k = 0; k < count; ++k) {
            items[k].key = (uint32_t)(couNextRandom(&random) % (count / 2 + 1)); // some are equal
            memset(items[k].rest, (int)(items[k].key % 251), sizeof items[k].rest);
        }
        memcpy(expected, items, sizeof items);
        qsort(expected, count, sizeof *expected, compare_items);
        couSort(items, count, sizeof *items, compare_items);
        for (size_t k = 0; k < count; ++k) {
            assert_int_equal(items[k].key, expected[k].key);
            for (size_t b = 0; b < sizeof items[k].rest; ++b) assert_int_equal(items[k].rest[b], expected[k].rest[b]);
        }
    }
}

static void test_sort(void **context)
{
    (void)context;
    check_sort();
    couSetAllocator(refuse, free); // in place
    check_sort();
    couSetAllocator(NULL, NULL);
}

// A list without memory still says that something is wrong; one that is full keeps what it has.
static void test_faults_without_memory(void **context)
{
    (void)context;
    couFaults faults = {0}, full = {0};
    for (int k = 0; k < 8; ++k) couFaults_Add(&full, NULL, "key", "fault %d", k);
    assert_int_equal(full.count, full.capacity);
    couSetAllocator(refuse, free);
    for (int k = 0; k < 3; ++k) couFaults_Add(&faults, NULL, "key", "fault %d", k);
    assert_int_equal(faults.count, 1);
    assert_non_null(strstr(faults.items[0].message, "no memory"));
    couFaults_Clear(&faults);
    assert_int_equal(faults.count, 0);
    assert_null(faults.items);
    couFaults_Add(&full, NULL, "key", "one more");
    assert_int_equal(full.count, 8);
    couSetAllocator(NULL, NULL);
    assert_string_equal(full.items[7].message, "fault 7");
    couFaults_Clear(&full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_version), cmocka_unit_test(test_sort),
                                       cmocka_unit_test(test_faults_without_memory), cmocka_unit_test(test_watch),
                                       cmocka_unit_test(test_allocator)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
