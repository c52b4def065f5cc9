/// Between the thread that simulates and the one that serves: commands go in, messages and frames come out.
///
/// Neither side ever waits for the other. What comes in is bounded; of frames only the newest is kept, so that a slow viewer
/// misses some and the simulation never knows.
#pragma once

#include "serve/bytes.h"

typedef struct couHub couHub;

/// A message on its way to viewers; counted, since several may be sent the same.
typedef struct couMessage couMessage;
couMessage *couMessage_Retain(couMessage *message);
void couMessage_Release(couMessage *message); ///< NULL is fine
const couBytes *couMessage_Bytes(const couMessage *message);

typedef enum couArrivalKind { cou_arrivalNone, cou_arrivalJoin, cou_arrivalLeave, cou_arrivalBytes } couArrivalKind;

/// What a viewer did.
typedef struct couArrival {
    couArrivalKind kind;
    uint32_t client; ///< from 1
    uint8_t *data;   ///< of cou_arrivalBytes; to be freed
    size_t size;
} couArrival;

couHub *couCreateHub(void);
void couDestroyHub(couHub *hub);

// --- The side that simulates -------------------------------------------------------------------------------------------------

/// The next thing that a viewer did; kind none when nothing came within `seconds` (0: does not wait).
couArrival couHub_Take(couHub *hub, double seconds);
/// In order, to one viewer or to all (client 0). Takes the bytes over.
void couHub_Send(couHub *hub, uint32_t client, couBytes *bytes);
/// The newest frame; the one before is forgotten. Takes the bytes over.
void couHub_Publish(couHub *hub, couBytes *bytes);
/// True when a viewer is ready for a frame: only then one is worth making.
bool couHub_WantsFrame(couHub *hub);
/// The viewer has sent what is no message: it is shut out.
void couHub_Refuse(couHub *hub, uint32_t client);

// --- The side that serves ----------------------------------------------------------------------------------------------------

/// Called from the simulating thread when there is something to send.
void couHub_SetWake(couHub *hub, void (*wake)(void *context), void *context);
/// False when too much is waiting: the viewer asks for more than can be done.
bool couHub_Put(couHub *hub, couArrivalKind kind, uint32_t client, const void *data, size_t size);
void couHub_SetWanted(couHub *hub, bool is_wanted);

/// What is to be sent next.
typedef struct couDeparture {
    couMessage *message; ///< NULL: shut the viewer out; otherwise owned by the caller
    uint32_t client;     ///< 0: all
} couDeparture;
bool couHub_TakeDeparture(couHub *hub, couDeparture *departure); ///< false when there is none
/// The newest frame and its number, counted from 1; NULL for none. Owned by the caller.
couMessage *couHub_Newest(couHub *hub, uint64_t *number);
