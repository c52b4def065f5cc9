// The mailbox between two threads: two queues and a slot behind one lock, held for the time of a pointer's move.
#include "serve/hub.h"

#include "base/base.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#define MAX_ARRIVALS 16384       // that wait
#define MAX_OWN_ARRIVALS 512     // of one viewer
#define MAX_OWN_BYTES (1u << 20) // of them together
#define MAX_DEPARTURES 65536

struct couMessage {
    _Atomic int references;
    couBytes bytes;
};

struct couHub {
    pthread_mutex_t lock;
    pthread_cond_t has_arrived;
    couArrival *arrivals; // a ring
    size_t first_arrival, arrival_count;
    couDeparture *departures; // a ring
    size_t first_departure, departure_count;
    couMessage *newest;
    uint64_t newest_number;
    atomic_bool is_wanted;
    void (*wake)(void *context);
    void *wake_context;
};

// --- Messages ----------------------------------------------------------------------------------------------------------------

static couMessage *make_message(couBytes *bytes)
{
    couMessage *message = bytes->is_short ? NULL : malloc(sizeof *message);
    if (!message) {
        couBytes_Clear(bytes);
        return NULL;
    }
    atomic_init(&message->references, 1);
    message->bytes = *bytes;
    *bytes = (couBytes){0};
    return message;
}

couMessage *couMessage_Retain(couMessage *message)
{
    atomic_fetch_add(&message->references, 1);
    return message;
}

void couMessage_Release(couMessage *message)
{
    if (!message || atomic_fetch_sub(&message->references, 1) != 1) return;
    couBytes_Clear(&message->bytes);
    free(message);
}

const couBytes *couMessage_Bytes(const couMessage *message) { return &message->bytes; }

// --- The hub -----------------------------------------------------------------------------------------------------------------

couHub *couCreateHub(void)
{
    couHub *hub = calloc(1, sizeof *hub);
    if (!hub) return NULL;
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&hub->lock, NULL);
    pthread_cond_init(&hub->has_arrived, &attributes);
    pthread_condattr_destroy(&attributes);
    hub->arrivals = calloc(MAX_ARRIVALS, sizeof *hub->arrivals);
    hub->departures = calloc(MAX_DEPARTURES, sizeof *hub->departures);
    if (hub->arrivals && hub->departures) return hub;
    couDestroyHub(hub);
    return NULL;
}

void couDestroyHub(couHub *hub)
{
    if (!hub) return;
    for (size_t i = 0; i < hub->arrival_count; ++i) free(hub->arrivals[(hub->first_arrival + i) % MAX_ARRIVALS].data);
    for (size_t i = 0; i < hub->departure_count; ++i)
        couMessage_Release(hub->departures[(hub->first_departure + i) % MAX_DEPARTURES].message);
    couMessage_Release(hub->newest);
    pthread_mutex_destroy(&hub->lock);
    pthread_cond_destroy(&hub->has_arrived);
    free(hub->arrivals);
    free(hub->departures);
    free(hub);
}

// --- The side that simulates -------------------------------------------------------------------------------------------------

static struct timespec deadline_in(double seconds)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    double whole = floor(COU_MIN(seconds, 3600.0));
    time.tv_sec += (time_t)whole;
    time.tv_nsec += (long)((COU_MIN(seconds, 3600.0) - whole) * 1e9);
    if (time.tv_nsec >= 1000000000) ++time.tv_sec, time.tv_nsec -= 1000000000;
    return time;
}

couArrival couHub_Take(couHub *hub, double seconds)
{
    couArrival arrival = {0};
    struct timespec deadline = deadline_in(COU_MAX(seconds, 0.0));
    pthread_mutex_lock(&hub->lock);
    while (hub->arrival_count == 0 && seconds > 0)
        if (pthread_cond_timedwait(&hub->has_arrived, &hub->lock, &deadline) == ETIMEDOUT) break;
    if (hub->arrival_count > 0) {
        arrival = hub->arrivals[hub->first_arrival];
        hub->first_arrival = (hub->first_arrival + 1) % MAX_ARRIVALS;
        --hub->arrival_count;
    }
    pthread_mutex_unlock(&hub->lock);
    return arrival;
}

static void wake(couHub *hub)
{
    pthread_mutex_lock(&hub->lock);
    if (hub->wake) hub->wake(hub->wake_context);
    pthread_mutex_unlock(&hub->lock);
}

static void depart(couHub *hub, couDeparture departure)
{
    pthread_mutex_lock(&hub->lock);
    bool has_room = hub->departure_count < MAX_DEPARTURES; // the server has stood still for a long time
    if (has_room) hub->departures[(hub->first_departure + hub->departure_count++) % MAX_DEPARTURES] = departure;
    pthread_mutex_unlock(&hub->lock);
    if (!has_room) couMessage_Release(departure.message);
    wake(hub);
}

void couHub_Send(couHub *hub, uint32_t client, couBytes *bytes)
{
    couMessage *message = make_message(bytes);
    if (message) depart(hub, (couDeparture){message, client});
}

void couHub_Refuse(couHub *hub, uint32_t client) { depart(hub, (couDeparture){NULL, client}); }

void couHub_Publish(couHub *hub, couBytes *bytes)
{
    couMessage *message = make_message(bytes);
    if (!message) return;
    pthread_mutex_lock(&hub->lock);
    couMessage *old = hub->newest;
    hub->newest = message;
    ++hub->newest_number;
    pthread_mutex_unlock(&hub->lock);
    couMessage_Release(old);
    wake(hub);
}

bool couHub_WantsFrame(couHub *hub) { return atomic_load(&hub->is_wanted); }

// --- The side that serves ----------------------------------------------------------------------------------------------------

void couHub_SetWake(couHub *hub, void (*function)(void *context), void *context)
{
    pthread_mutex_lock(&hub->lock);
    hub->wake = function;
    hub->wake_context = context;
    pthread_mutex_unlock(&hub->lock);
}

// Bounds are each viewer's own: one who sends too much shuts nobody else out.
static bool has_room(const couHub *hub, couArrivalKind kind, uint32_t client, size_t size)
{
    size_t count = 0, bytes = size;
    if (hub->arrival_count == MAX_ARRIVALS) return false;
    if (kind != cou_arrivalBytes) return true;
    for (size_t i = 0; i < hub->arrival_count; ++i) {
        const couArrival *arrival = &hub->arrivals[(hub->first_arrival + i) % MAX_ARRIVALS];
        if (arrival->client == client) ++count, bytes += arrival->size;
    }
    return count < MAX_OWN_ARRIVALS && bytes <= MAX_OWN_BYTES;
}

// What a viewer who leaves has asked for is of no interest any more. True when its coming had not even been noticed.
static bool forget_client(couHub *hub, uint32_t client)
{
    size_t kept = 0;
    bool was_unseen = false;
    for (size_t i = 0; i < hub->arrival_count; ++i) {
        couArrival arrival = hub->arrivals[(hub->first_arrival + i) % MAX_ARRIVALS];
        if (arrival.client == client) {
            was_unseen = was_unseen || arrival.kind == cou_arrivalJoin;
            free(arrival.data);
        } else {
            hub->arrivals[(hub->first_arrival + kept++) % MAX_ARRIVALS] = arrival;
        }
    }
    hub->arrival_count = kept;
    return was_unseen;
}

bool couHub_Put(couHub *hub, couArrivalKind kind, uint32_t client, const void *data, size_t size)
{
    uint8_t *copy = size > 0 ? malloc(size) : NULL;
    if (size > 0 && !copy) return false;
    if (size > 0) memcpy(copy, data, size);
    pthread_mutex_lock(&hub->lock);
    bool is_moot = kind == cou_arrivalLeave && forget_client(hub, client);
    bool is_taken = is_moot || has_room(hub, kind, client, size);
    if (is_taken && !is_moot) {
        size_t place = (hub->first_arrival + hub->arrival_count++) % MAX_ARRIVALS;
        hub->arrivals[place] = (couArrival){kind, client, copy, size};
        pthread_cond_signal(&hub->has_arrived);
    }
    pthread_mutex_unlock(&hub->lock);
    if (!is_taken) free(copy);
    return is_taken;
}

void couHub_SetWanted(couHub *hub, bool is_wanted) { atomic_store(&hub->is_wanted, is_wanted); }

bool couHub_TakeDeparture(couHub *hub, couDeparture *departure)
{
    pthread_mutex_lock(&hub->lock);
    bool has_one = hub->departure_count > 0;
    if (has_one) {
        *departure = hub->departures[hub->first_departure];
        hub->first_departure = (hub->first_departure + 1) % MAX_DEPARTURES;
        --hub->departure_count;
    }
    pthread_mutex_unlock(&hub->lock);
    return has_one;
}

couMessage *couHub_Newest(couHub *hub, uint64_t *number)
{
    pthread_mutex_lock(&hub->lock);
    couMessage *message = hub->newest ? couMessage_Retain(hub->newest) : NULL;
    *number = hub->newest_number;
    pthread_mutex_unlock(&hub->lock);
    return message;
}
