/*
 * A market that answers each request after the same time, and is never what the others wait for:
 * paced PORT MILLISECONDS [PAGES]
 *
 * GET answers PAGES/ITEMS_PER_PAGE/PAGE_NO.json, the empty first page where there is none, and 204 past the end. POST
 * reads a create, whatever its size, and answers as v2b does, with the values of its `params`. One thread, epoll; the
 * time is the same for all, so a queue in order of arrival is all the timing there is.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* What is kept of a request: its head and, of a create, the part `params`, which comes first. */
enum { KEPT = 1 << 15 };

struct connection {
    int socket;
    size_t kept;       /* bytes of `request` */
    size_t head;       /* its length; 0 until all of it is here */
    size_t left;       /* bytes of the body that are still to come */
    char *reply;       /* while it waits to be sent */
    size_t length, sent;
    struct timespec due;
    struct connection *next; /* in the queue of those that wait for their time */
    char request[KEPT + 1];
};

static struct connection *first, *last;
static const char *pages;
static long delay;
static long long identifier;
static char scratch[1 << 18];

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void shut(struct connection *connection) {
    close(connection->socket);
    free(connection->reply);
    free(connection);
}

/* The number that follows a text in a string; the fallback where there is none. */
static double number(const char *string, const char *text, double fallback) {
    const char *found = string ? strstr(string, text) : NULL;
    return found ? strtod(found + strlen(text), NULL) : fallback;
}

static void frame(struct connection *connection, const char *status, const char *body, size_t length) {
    connection->reply = malloc(length + 256);
    if (!connection->reply) fail("malloc");
    int head = sprintf(connection->reply,
                       "HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n", status, length);
    memcpy(connection->reply + head, body, length);
    connection->length = head + length;
    connection->sent = 0;
}

static void answer_page(struct connection *connection) {
    int page = number(connection->request, "page_no=", 1), size = number(connection->request, "items_per_page=", 100);
    char path[4096];
    snprintf(path, sizeof path, "%s/%d/%d.json", pages ? pages : "", size, page);
    int file = pages ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file >= 0) {
        struct stat about;
        if (fstat(file, &about)) fail(path);
        char *body = malloc(about.st_size + 1);
        if (!body || read(file, body, about.st_size) != about.st_size) fail(path);
        close(file);
        frame(connection, "200 OK", body, about.st_size);
        free(body);
    } else if (page == 1) {
        int length = snprintf(scratch, sizeof scratch,
                              "{\"pageNo\":1,\"itemsPerPage\":%d,\"totalCount\":0,\"offset\":0,\"limit\":%d,\"lastPage\":0,"
                              "\"hasNext\":false,\"hasPrev\":false,\"pages\":[]}",
                              size, size);
        frame(connection, "200 OK", scratch, length);
    } else {
        frame(connection, "204 No Content", "", 0);
    }
}

static void answer_create(struct connection *connection) {
    char *values = strchr(connection->request + connection->head, '{');
    char *end = values ? strstr(values, "}\r\n--") : NULL;
    if (!end) {
        frame(connection, "400 Bad Request", "{}", 2);
        return;
    }
    *end = 0;
    char *secret = strstr(values, ",\"secret\":");
    if (secret) *secret = 0;
    double price = number(values, "\"price\":", 0), off = number(values, "\"discounted_price\":", 0);
    long long id = ++identifier;
    int length = snprintf(
        scratch, sizeof scratch,
        "{\"id\":%lld,\"vendor_id\":1,%s,%s\"bargain_price\":%.2f,\"created_at\":\"2026-11-22T00:00:00\","
        "\"issued_at\":\"2026-11-22T00:00:00\",\"thumbnail\":\"http://127.0.0.1/training-resources/1/20261122/%032lld_thumb.jpg\","
        "\"images\":[{\"id\":%lld,\"url\":\"http://127.0.0.1/training-resources/1/20261122/%032lld_origin.jpg\","
        "\"thumbnail_url\":\"http://127.0.0.1/training-resources/1/20261122/%032lld_thumb.jpg\","
        "\"issued_at\":\"2026-11-22T00:00:00\"}],\"vendors\":{\"id\":1,\"name\":\"benchmark\"}}",
        id, values + 1, off == 0 ? "\"discounted_price\":0.0," : "", price - off, id, id, id, id);
    frame(connection, "201 Created", scratch, length);
}

static void wait_for_its_time(struct connection *connection) {
    if (!strncmp(connection->request, "POST", 4))
        answer_create(connection);
    else
        answer_page(connection);
    clock_gettime(CLOCK_MONOTONIC, &connection->due);
    connection->due.tv_nsec += delay * 1000000;
    connection->due.tv_sec += connection->due.tv_nsec / 1000000000;
    connection->due.tv_nsec %= 1000000000;
    connection->next = NULL;
    if (last)
        last->next = connection;
    else
        first = connection;
    last = connection;
}

/* Reads what there is; a client sends its next request only after our reply. */
static void receive(struct connection *connection) {
    for (;;) {
        int spare = KEPT - connection->kept;
        ssize_t count = spare > 0 ? read(connection->socket, connection->request + connection->kept, spare)
                                  : read(connection->socket, scratch, sizeof scratch);
        if (count < 0 && errno == EAGAIN) return;
        if (count <= 0) {
            shut(connection);
            return;
        }
        if (spare > 0) {
            connection->kept += count;
            connection->request[connection->kept] = 0;
        }
        if (connection->head) {
            connection->left -= count;
        } else {
            char *end = strstr(connection->request, "\r\n\r\n");
            if (!end) continue;
            connection->head = end + 4 - connection->request;
            connection->left = number(strcasestr(connection->request, "\r\ncontent-length:"), ":", 0) -
                               (connection->kept - connection->head);
        }
        if (!connection->left) {
            wait_for_its_time(connection);
            return;
        }
    }
}

/* Sends what the socket takes; whether all of it. */
static int deliver(struct connection *connection) {
    while (connection->sent < connection->length) {
        ssize_t count = send(connection->socket, connection->reply + connection->sent,
                             connection->length - connection->sent, MSG_NOSIGNAL);
        if (count < 0 && errno == EAGAIN) return 0;
        if (count < 0) connection->sent = connection->length;
        else connection->sent += count;
    }
    free(connection->reply);
    connection->reply = NULL;
    connection->kept = connection->head = 0;
    return 1;
}

int main(int count, char **arguments) {
    if (count < 3) return 64;
    delay = atol(arguments[2]);
    pages = count > 3 ? arguments[3] : NULL;
    signal(SIGPIPE, SIG_IGN);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(arguments[1]))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), yes = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 1024)) fail("listen");
    int poll = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    epoll_ctl(poll, EPOLL_CTL_ADD, listener, &event);
    for (;;) {
        struct timespec pause, now;
        if (first) {
            clock_gettime(CLOCK_MONOTONIC, &now);
            long long left = (first->due.tv_sec - now.tv_sec) * 1000000000LL + first->due.tv_nsec - now.tv_nsec;
            if (left < 0) left = 0;
            pause = (struct timespec){left / 1000000000, left % 1000000000};
        }
        struct epoll_event events[256];
        int ready = epoll_pwait2(poll, events, 256, first ? &pause : NULL, NULL);
        for (int index = 0; index < ready; index++) {
            struct connection *connection = events[index].data.ptr;
            if (!connection) {
                int accepted = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
                if (accepted < 0) continue;
                setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
                connection = calloc(1, sizeof *connection);
                if (!connection) fail("calloc");
                connection->socket = accepted;
                /* Edges: a waiting connection is not reported again and again. */
                event = (struct epoll_event){.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.ptr = connection};
                epoll_ctl(poll, EPOLL_CTL_ADD, accepted, &event);
            } else if (!connection->reply) {
                receive(connection);
            } else if (connection->due.tv_sec == 0 && deliver(connection)) {
                receive(connection);
            }
        }
        clock_gettime(CLOCK_MONOTONIC, &now);
        while (first && (now.tv_sec > first->due.tv_sec ||
                         (now.tv_sec == first->due.tv_sec && now.tv_nsec >= first->due.tv_nsec))) {
            struct connection *connection = first;
            first = first->next;
            if (!first) last = NULL;
            connection->due.tv_sec = 0; /* its time has come: from here on only the socket holds it up */
            if (deliver(connection)) receive(connection);
        }
    }
}
