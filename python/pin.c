// Memory that numpy arrays point at. The library may move or free a column while an array that was made of it is still held; what
// is pinned is then kept until the last such array is gone. Installed with couSetAllocator(). Without pins a free costs one
// atomic load more.
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct Pin {
    const char *address; // within a block
    void *freed;         // the block, once the library has given it up
    int count;           // arrays that point there
    struct Pin *next;
} Pin;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Pin *pins;
static atomic_size_t pin_count;

#define PIN_API __attribute__((visibility("default")))
PIN_API void *couPin_Alloc(size_t bytes, size_t align);
PIN_API void couPin_Free(void *memory);
PIN_API bool couPin_Hold(const void *address);
PIN_API void couPin_Drop(const void *address);
PIN_API size_t couPin_Count(void);

void *couPin_Alloc(size_t bytes, size_t align) { return aligned_alloc(align, bytes); }

// Given up while pinned, a block belongs to the first of its pins; the last of them to go frees it.
void couPin_Free(void *memory)
{
    if (memory && atomic_load(&pin_count) > 0) {
        pthread_mutex_lock(&lock);
        const char *end = (const char *)memory + malloc_usable_size(memory);
        bool is_pinned = false;
        for (Pin *pin = pins; pin; pin = pin->next)
            if (!pin->freed && pin->address >= (const char *)memory && pin->address < end) pin->freed = memory, is_pinned = true;
        pthread_mutex_unlock(&lock);
        if (is_pinned) return;
    }
    free(memory);
}

// While an address is held no other block can have it, unless the block was given up and pinned again: then it is the same one.
bool couPin_Hold(const void *address)
{
    pthread_mutex_lock(&lock);
    Pin *pin = pins;
    while (pin && pin->address != (const char *)address) pin = pin->next;
    if (!pin && (pin = calloc(1, sizeof *pin))) {
        pin->address = address;
        pin->next = pins;
        pins = pin;
        atomic_fetch_add(&pin_count, 1);
    }
    if (pin) ++pin->count;
    pthread_mutex_unlock(&lock);
    return pin != NULL;
}

static bool is_held_by_another(const void *block)
{
    for (const Pin *pin = pins; pin; pin = pin->next)
        if (pin->freed == block) return true;
    return false;
}

void couPin_Drop(const void *address)
{
    void *freed = NULL;
    pthread_mutex_lock(&lock);
    Pin **link = &pins;
    while (*link && (*link)->address != (const char *)address) link = &(*link)->next;
    Pin *pin = *link;
    if (pin && --pin->count == 0) {
        *link = pin->next;
        freed = pin->freed && !is_held_by_another(pin->freed) ? pin->freed : NULL;
        free(pin);
        atomic_fetch_sub(&pin_count, 1);
    }
    pthread_mutex_unlock(&lock);
    free(freed);
}

size_t couPin_Count(void) { return atomic_load(&pin_count); }
