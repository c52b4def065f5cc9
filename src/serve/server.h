/// The server of the viewer's page and of its stream, in a thread of its own.
///
/// Whoever wants in must know the token, and a browser must come from the page that this server gave out (Origin). Sizes of
/// messages, their number in waiting and the number of viewers are bounded; what is malformed ends its own connection alone.
#pragma once

#include "serve/hub.h"
#include "serve/server_limits.h"

enum { cou_tokenSize = 65 };

typedef struct couServer couServer;

typedef struct couServerDef {
    const char *address;  ///< that it listens on: "127.0.0.1"; "0.0.0.0" for all
    int port;             ///< 0: any that is free
    const char *pictures; ///< folder of NAME.jpg for the gallery, served as /thumbs/NAME.jpg; NULL: none
    const char *token;    ///< NULL: a random one; otherwise 16 to 64 letters, digits, '-' or '_'
} couServerDef;

/// NULL with a fault. The hub must live longer than the server.
couServer *couStartServer(const couServerDef *def, couHub *hub, couFaults *faults);
/// Says good-bye to all viewers and waits for the thread.
void couStopServer(couServer *server);
/// "http://127.0.0.1:43121/?token=..."; lives as long as the server.
const char *couServer_Url(const couServer *server);
int couServer_Port(const couServer *server);

/// A file of the page, as built from web/ and put into the program.
typedef struct couPageFile {
    const char *name; ///< "index.html"
    const char *type; ///< "text/html"
    const uint8_t *data;
    size_t size;
} couPageFile;
extern const couPageFile couPageFiles[];
extern const int couPageFileCount;
