// The server, on libwebsockets: one thread, one list of viewers, no state of the simulation.
//
// A viewer gets messages in their order, and between them the newest frame whenever it has shown those that it got: it answers
// each frame, and no more than two are on their way. So a slow one, or a slow network, misses frames and nothing piles up. A
// viewer that does not even take its messages is shut out.
//
// The token is in the page's address, and the server writes it into the addresses of the page's own files: there is no request
// without it, and no cookie that another program's page could use.
#include "serve/server.h"

#include "base/base.h"
#include "files/file.h"
#include "serve/protocol.h"

#include <libwebsockets.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#define MAX_QUEUE 1024              // messages that wait for a viewer
#define MAX_QUEUE_BYTES (256 << 20) // of them together
#define MAX_FRAMES_AWAY 2           // sent and not yet shown

_Static_assert(cou_bytesHead >= LWS_PRE, "room for the headers of libwebsockets");

// What belongs to a connection.
typedef struct Viewer {
    struct Viewer *next;
    struct lws *wsi;
    uint32_t id;
    bool is_refused;
    bool is_greeted;   // has been told the scene: frames mean nothing before
    uint8_t *received; // a message that comes in parts
    size_t received_size;
    couMessage **queue; // a ring
    size_t first, count, bytes;
    uint64_t frame_number; // of the frame that was sent last
    int frames_away;
    couBytes body; // of a file that is asked for by HTTP
} Viewer;

struct couServer {
    couHub *hub;
    struct lws_context *context;
    pthread_t thread;
    atomic_bool is_ending;
    Viewer *viewers;
    int viewer_count;
    uint32_t last_id;
    int port;
    char token[cou_tokenSize];
    char url[160];
    char pictures[1024]; // folder, or ""
};

static couServer *server_of(struct lws *wsi) { return lws_context_user(lws_get_context(wsi)); }

// --- Who may come in ---------------------------------------------------------------------------------------------------------

// In the same time for every wrong token.
static bool is_same(const char *a, const char *b)
{
    size_t length = strlen(a);
    if (strlen(b) != length) return false;
    unsigned difference = 0;
    for (size_t i = 0; i < length; ++i) difference |= (unsigned)(unsigned char)a[i] ^ (unsigned)(unsigned char)b[i];
    return difference == 0;
}

static bool has_token(struct lws *wsi)
{
    char text[cou_tokenSize + 8];
    const char *value = lws_get_urlarg_by_name(wsi, "token=", text, sizeof text);
    return value && is_same(server_of(wsi)->token, value);
}

// A browser says which page opened the connection. It must be ours: served under the name that this request was sent to.
// Programs that are no browsers do not say.
static bool has_own_origin(struct lws *wsi)
{
    char origin[256], host[256];
    if (lws_hdr_total_length(wsi, WSI_TOKEN_ORIGIN) == 0) return true;
    if (lws_hdr_copy(wsi, origin, sizeof origin, WSI_TOKEN_ORIGIN) <= 0) return false;
    if (lws_hdr_copy(wsi, host, sizeof host, WSI_TOKEN_HOST) <= 0) return false;
    return strncmp(origin, "http://", 7) == 0 && strcmp(origin + 7, host) == 0;
}

static int refuse(struct lws *wsi, unsigned status)
{
    lws_return_http_status(wsi, status, NULL);
    return lws_http_transaction_completed(wsi) ? -1 : 1;
}

// --- The page ----------------------------------------------------------------------------------------------------------------

// The page with the token behind the names of its own files: "./viewer.js" becomes "./viewer.js?token=...".
static void add_page(couBytes *body, const couPageFile *file, const char *token)
{
    const char *text = (const char *)file->data, *end = text + file->size;
    bool is_page = strcmp(file->type, "text/html") == 0;
    while (is_page) {
        const char *found = memmem(text, (size_t)(end - text), "=\"./", 4);
        const char *quote = found ? memchr(found + 2, '"', (size_t)(end - found - 2)) : NULL;
        if (!quote) break;
        couBytes_Add(body, text, (size_t)(quote - text));
        couBytes_Format(body, "?token=%s", token);
        text = quote;
    }
    couBytes_Add(body, text, (size_t)(end - text));
}

// What stands for the picture of a scene that has none: one clear pixel, so that the page need not ask who has one.
static const uint8_t no_picture[] = {0x47, 0x49, 0x46, 0x38, 0x39, 0x61, 1, 0, 1, 0,    0x80, 0, 0,    0, 0,
                                     0,    0,    0,    0,    0x21, 0xf9, 4, 1, 0, 0,    0,    0, 0x2c, 0, 0,
                                     0,    0,    1,    0,    1,    0,    0, 2, 2, 0x44, 1,    0, 0x3b};

// "thumbs/NAME.jpg" of a scene, from the folder of pictures; names are letters, digits, '-' and '_'.
static bool add_picture(couBytes *body, const char *folder, const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    if (!folder[0] || strncmp(name, "thumbs/", 7) != 0) return false;
    size_t length = strspn(name + 7, letters), size = 0;
    if (length == 0 || length > 60 || strcmp(name + 7 + length, ".jpg") != 0) return false;
    char path[1200];
    couFaults faults = {0};
    snprintf(path, sizeof path, "%s/%s", folder, name + 7);
    char *data = couReadFile(path, 4 << 20, &size, &faults);
    couFaults_Clear(&faults);
    couBytes_Add(body, data ? (const void *)data : (const void *)no_picture, data ? size : sizeof no_picture);
    free(data);
    return true;
}

static int answer_request(struct lws *wsi, Viewer *viewer, const char *path)
{
    if (!has_token(wsi)) return refuse(wsi, HTTP_STATUS_FORBIDDEN);
    const couPageFile *file = NULL;
    const char *name = path[0] == '/' ? path + 1 : path;
    if (!name[0]) name = "index.html";
    for (int i = 0; i < couPageFileCount && !file; ++i)
        if (strcmp(couPageFiles[i].name, name) == 0) file = &couPageFiles[i];
    couBytes_Clear(&viewer->body);
    if (file)
        add_page(&viewer->body, file, server_of(wsi)->token);
    else if (!add_picture(&viewer->body, server_of(wsi)->pictures, name))
        return refuse(wsi, HTTP_STATUS_NOT_FOUND);
    if (viewer->body.is_short) return -1;
    uint8_t buffer[LWS_PRE + 2048], *start = buffer + LWS_PRE, *p = start, *end = buffer + sizeof buffer - 1;
    static const char no_store[] = "no-store";
    if (lws_add_http_common_headers(wsi, HTTP_STATUS_OK, file ? file->type : "image/jpeg", viewer->body.count, &p, end) ||
        lws_add_http_header_by_token(wsi, WSI_TOKEN_HTTP_CACHE_CONTROL, (const uint8_t *)no_store, (int)strlen(no_store), &p,
                                     end) ||
        lws_finalize_write_http_header(wsi, start, &p, end))
        return -1;
    lws_callback_on_writable(wsi);
    return 0;
}

static int write_body(struct lws *wsi, Viewer *viewer)
{
    if (!viewer->body.data) return 0;
    int written = lws_write(wsi, viewer->body.data, viewer->body.count, LWS_WRITE_HTTP_FINAL);
    bool is_whole = written == (int)viewer->body.count;
    couBytes_Clear(&viewer->body);
    return !is_whole || lws_http_transaction_completed(wsi) ? -1 : 0;
}

// --- Viewers -----------------------------------------------------------------------------------------------------------------

static bool join(couServer *server, struct lws *wsi, Viewer *viewer)
{
    *viewer = (Viewer){.wsi = wsi, .next = server->viewers};
    viewer->queue = calloc(MAX_QUEUE, sizeof *viewer->queue);
    if (!viewer->queue) return false;
    if (!couHub_Put(server->hub, cou_arrivalJoin, server->last_id + 1, NULL, 0)) {
        free(viewer->queue);
        viewer->queue = NULL;
        return false;
    }
    viewer->id = ++server->last_id;
    server->viewers = viewer;
    ++server->viewer_count;
    return true;
}

static void leave(couServer *server, Viewer *viewer)
{
    if (!viewer->id) return;
    couHub_Put(server->hub, cou_arrivalLeave, viewer->id, NULL, 0);
    for (Viewer **link = &server->viewers; *link; link = &(*link)->next)
        if (*link == viewer) {
            *link = viewer->next;
            --server->viewer_count;
            break;
        }
    for (size_t i = 0; i < viewer->count; ++i) couMessage_Release(viewer->queue[(viewer->first + i) % MAX_QUEUE]);
    free(viewer->queue);
    free(viewer->received);
    viewer->id = 0;
}

static void note_wanted(couServer *server)
{
    bool is_wanted = false;
    for (const Viewer *viewer = server->viewers; viewer; viewer = viewer->next)
        is_wanted = is_wanted || viewer->frames_away < MAX_FRAMES_AWAY;
    couHub_SetWanted(server->hub, is_wanted);
}

static void enqueue(Viewer *viewer, couMessage *message)
{
    size_t size = couMessage_Bytes(message)->count;
    if (viewer->count == MAX_QUEUE || viewer->bytes + size > MAX_QUEUE_BYTES) {
        viewer->is_refused = true;
    } else {
        viewer->queue[(viewer->first + viewer->count++) % MAX_QUEUE] = couMessage_Retain(message);
        viewer->bytes += size;
    }
    lws_callback_on_writable(viewer->wsi);
}

// What the simulation has for the viewers.
static void take_departures(couServer *server)
{
    couDeparture departure;
    while (couHub_TakeDeparture(server->hub, &departure)) {
        for (Viewer *viewer = server->viewers; viewer; viewer = viewer->next) {
            if (departure.client != 0 && departure.client != viewer->id) continue;
            if (departure.message) {
                enqueue(viewer, departure.message);
            } else {
                viewer->is_refused = true;
                lws_callback_on_writable(viewer->wsi);
            }
        }
        couMessage_Release(departure.message);
    }
}

// When the simulation wakes us.
static void distribute(couServer *server)
{
    take_departures(server);
    for (Viewer *viewer = server->viewers; viewer; viewer = viewer->next)
        if (viewer->frames_away < MAX_FRAMES_AWAY) lws_callback_on_writable(viewer->wsi);
}

static int send_message(struct lws *wsi, couMessage *message)
{
    const couBytes *bytes = couMessage_Bytes(message);
    // The headers go before the data, into room that is there for them; this thread alone writes there.
    int written = lws_write(wsi, bytes->data, bytes->count, LWS_WRITE_BINARY);
    bool is_whole = written >= (int)bytes->count;
    couMessage_Release(message);
    return is_whole ? 0 : -1;
}

// One message or frame; libwebsockets calls again when it has left. A frame follows all that was said before it: a newcomer has
// its bodies' meshes, which a status ends, and a body that was added has its own.
static int send_next(struct lws *wsi, Viewer *viewer)
{
    couServer *server = server_of(wsi);
    if (viewer->is_refused) {
        lws_close_reason(wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION, NULL, 0);
        return -1;
    }
    if (viewer->count > 0) {
        couMessage *message = viewer->queue[viewer->first];
        viewer->first = (viewer->first + 1) % MAX_QUEUE;
        --viewer->count;
        viewer->bytes -= couMessage_Bytes(message)->count;
        viewer->is_greeted = viewer->is_greeted || couMessage_Bytes(message)->data[0] == cou_tellStatus;
        lws_callback_on_writable(wsi);
        return send_message(wsi, message);
    }
    if (!viewer->is_greeted || viewer->frames_away >= MAX_FRAMES_AWAY) return 0;
    uint64_t number;
    couMessage *frame = couHub_Newest(server->hub, &number);
    take_departures(server); // those of this frame and before
    if (!frame || number <= viewer->frame_number || viewer->count > 0 || viewer->is_refused) {
        couMessage_Release(frame);
        return 0; // enqueued messages ask to be called for
    }
    viewer->frame_number = number;
    ++viewer->frames_away;
    note_wanted(server);
    return send_message(wsi, frame);
}

// Answers to frames are the server's own; all else is for the simulation.
static int receive(struct lws *wsi, Viewer *viewer, const uint8_t *data, size_t size)
{
    couServer *server = server_of(wsi);
    if (size >= 1 && data[0] == cou_askShown) {
        if (size != 4 || viewer->frames_away == 0) return -1;
        --viewer->frames_away;
        note_wanted(server);
        lws_callback_on_writable(wsi);
        return 0;
    }
    return couHub_Put(server->hub, cou_arrivalBytes, viewer->id, data, size) ? 0 : -1;
}

static int receive_part(struct lws *wsi, Viewer *viewer, const void *part, size_t size)
{
    if (!lws_frame_is_binary(wsi) || viewer->received_size + size > cou_maxMessage) {
        lws_close_reason(wsi, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, NULL, 0);
        return -1;
    }
    uint8_t *grown = realloc(viewer->received, viewer->received_size + size + 1);
    if (!grown) return -1;
    memcpy(grown + viewer->received_size, part, size);
    viewer->received = grown;
    viewer->received_size += size;
    if (lws_remaining_packet_payload(wsi) > 0 || !lws_is_final_fragment(wsi)) return 0;
    size_t whole = viewer->received_size;
    viewer->received_size = 0;
    int result = receive(wsi, viewer, viewer->received, whole);
    free(viewer->received);
    viewer->received = NULL;
    return result;
}

// --- libwebsockets -----------------------------------------------------------------------------------------------------------

static int serve(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size)
{
    couServer *server = server_of(wsi);
    Viewer *viewer = user;
    switch (reason) {
    case LWS_CALLBACK_HTTP: return answer_request(wsi, viewer, in);
    case LWS_CALLBACK_HTTP_WRITEABLE: return write_body(wsi, viewer);
    case LWS_CALLBACK_CLOSED_HTTP:
        if (viewer) couBytes_Clear(&viewer->body);
        return 0;
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
        if (!has_token(wsi) || !has_own_origin(wsi)) return refuse(wsi, HTTP_STATUS_FORBIDDEN);
        return server->viewer_count < cou_maxViewers ? 0 : refuse(wsi, HTTP_STATUS_SERVICE_UNAVAILABLE);
    case LWS_CALLBACK_ESTABLISHED:
        if (server->viewer_count >= cou_maxViewers || !join(server, wsi, viewer)) return -1;
        note_wanted(server);
        return 0;
    case LWS_CALLBACK_RECEIVE: return receive_part(wsi, viewer, in, size);
    case LWS_CALLBACK_SERVER_WRITEABLE: return send_next(wsi, viewer);
    case LWS_CALLBACK_CLOSED:
        leave(server, viewer);
        note_wanted(server);
        return 0;
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED: distribute(server); return 0;
    default: return 0; // nothing else is of interest: no extensions, no clients, no TLS
    }
}

static const struct lws_protocols protocols[] = {
    {.name = "coulis.v1", .callback = serve, .per_session_data_size = sizeof(Viewer), .rx_buffer_size = 65536},
    {.name = NULL},
};

static void wake(void *context) { lws_cancel_service(((couServer *)context)->context); }

static void *serve_all(void *context)
{
    couServer *server = context;
    while (!atomic_load(&server->is_ending) && lws_service(server->context, 0) >= 0) continue;
    return NULL;
}

// --- Starting and ending -----------------------------------------------------------------------------------------------------

static bool choose_token(couServer *server, const char *token, couFaults *faults)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    if (token) {
        size_t length = strlen(token);
        bool is_good = length >= 16 && length < cou_tokenSize && strspn(token, letters) == length;
        if (is_good) memcpy(server->token, token, length + 1);
        if (!is_good) couFaults_Add(faults, NULL, "token", "it must be 16 to 64 letters, digits, '-' or '_'");
        return is_good;
    }
    uint8_t random[32];
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random) {
        couFaults_Add(faults, NULL, "token", "the system gives no random numbers");
        return false;
    }
    for (size_t i = 0; i < sizeof random; ++i) server->token[i] = letters[random[i] % 64];
    return true;
}

static bool listen_on(couServer *server, const couServerDef *def, couFaults *faults)
{
    lws_set_log_level(0, NULL);
    struct lws_context_creation_info info = {
        .port = def->port,
        .iface = def->address,
        .protocols = protocols,
        .user = server,
        .gid = (gid_t)-1,
        .uid = (uid_t)-1,
        .vhost_name = "coulis",
        .timeout_secs = 10,
        .keepalive_timeout = 10,
        .fd_limit_per_thread = 128,
        .options = LWS_SERVER_OPTION_HTTP_HEADERS_SECURITY_BEST_PRACTICES_ENFORCE | LWS_SERVER_OPTION_EXPLICIT_VHOSTS |
                   LWS_SERVER_OPTION_DISABLE_IPV6,
    };
    if (strchr(def->address, ':')) info.options &= ~(uint64_t)LWS_SERVER_OPTION_DISABLE_IPV6;
    server->context = lws_create_context(&info);
    struct lws_vhost *vhost = server->context ? lws_create_vhost(server->context, &info) : NULL;
    server->port = vhost ? lws_get_vhost_listen_port(vhost) : 0;
    if (server->port > 0) return true;
    couFaults_Add(faults, NULL, "listen", "cannot listen on %s, port %d: the address is not this machine's, or the port is taken",
                  def->address, def->port);
    return false;
}

couServer *couStartServer(const couServerDef *def, couHub *hub, couFaults *faults)
{
    couServer *server = calloc(1, sizeof *server);
    if (!server) {
        couFaults_Add(faults, NULL, NULL, "out of memory");
        return NULL;
    }
    server->hub = hub;
    if (def->pictures) snprintf(server->pictures, sizeof server->pictures, "%s", def->pictures);
    bool is_good = choose_token(server, def->token, faults) && listen_on(server, def, faults);
    if (is_good) {
        couHub_SetWake(hub, wake, server);
        is_good = pthread_create(&server->thread, NULL, serve_all, server) == 0;
        if (!is_good) couFaults_Add(faults, NULL, NULL, "no thread for the server");
    }
    if (is_good) {
        bool is_any = strcmp(def->address, "0.0.0.0") == 0, has_colons = strchr(def->address, ':') != NULL;
        snprintf(server->url, sizeof server->url, "http://%s%.60s%s:%d/?token=%s", has_colons ? "[" : "",
                 is_any ? "127.0.0.1" : def->address, has_colons ? "]" : "", server->port, server->token);
        return server;
    }
    couHub_SetWake(hub, NULL, NULL);
    if (server->context) lws_context_destroy(server->context);
    free(server);
    return NULL;
}

void couStopServer(couServer *server)
{
    if (!server) return;
    couHub_SetWake(server->hub, NULL, NULL);
    atomic_store(&server->is_ending, true);
    lws_cancel_service(server->context);
    pthread_join(server->thread, NULL);
    lws_context_destroy(server->context); // closes every connection
    free(server);
}

const char *couServer_Url(const couServer *server) { return server->url; }
int couServer_Port(const couServer *server) { return server->port; }
