// Clients of a WebSocket server on this machine, all on one epoll loop, which measure how much CPU
// time the server's process takes for what they ask of it.
//
//   load PORT PID [tls] echo CONNECTIONS WINDOW BYTES SECONDS [text|deflate FILE]
//   load PORT PID [tls] connect COUNT
//   load PORT PID [tls] hold CONNECTIONS ECHOES
//   load PORT PID [tls] broadcast CONNECTIONS MESSAGES
//
// Each connection of `echo` sends WINDOW messages in one write, and the next ones once all have
// returned. With `deflate` a message is the compressed payload in FILE, which inflates to BYTES.
// `connect` opens connections one after the other, each for one echo. The result is a line of JSON;
// times are in microseconds. `tls` needs OpenSSL 3, and trusts any server.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

typedef struct {
  int descriptor;
  // What of the last round is not sent, and not received.
  size_t unsent, missing;
  double sent_at;
} Client;

static int port;
static clockid_t server_clock;
static uint8_t block[1 << 18];

static void fail(const char *problem) {
  fprintf(stderr, "load: %s: %s\n", problem, strerror(errno));
  exit(1);
}

static double seconds(clockid_t clock) {
  struct timespec time;
  if (clock_gettime(clock, &time)) fail("the server has ended");
  return time.tv_sec + time.tv_nsec * 1e-9;
}

// The resident memory of a process in bytes.
static long resident_bytes(int process) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/statm", process);
  FILE *file = fopen(path, "r");
  long size, resident = 0;
  if (!file || fscanf(file, "%ld %ld", &size, &resident) != 2) fail(path);
  fclose(file);
  return resident * sysconf(_SC_PAGESIZE);
}

// MARK: TLS

// OpenSSL is found when it is needed, so that the build needs none of its headers.
static struct {
  void *(*TLS_client_method)(void), *(*SSL_CTX_new)(void *), *(*SSL_new)(void *);
  int (*SSL_set_fd)(void *, int), (*SSL_connect)(void *), (*SSL_get_error)(void *, int);
  int (*SSL_read)(void *, void *, int), (*SSL_write)(void *, const void *, int);
  long (*SSL_CTX_ctrl)(void *, int, long, void *);
  void (*SSL_free)(void *);
} tls;
static void *context;
// The sessions by descriptor; null without TLS.
static void **sessions;

static void *found(void *library, const char *name) {
  void *symbol = dlsym(library, name);
  if (!symbol) fail(dlerror());
  return symbol;
}

static void use_tls(size_t descriptors) {
  void *library = dlopen("libssl.so.3", RTLD_NOW);
  if (!library) fail(dlerror());
#define FIND(name) tls.name = found(library, #name)
  FIND(TLS_client_method), FIND(SSL_CTX_new), FIND(SSL_new), FIND(SSL_set_fd), FIND(SSL_connect);
  FIND(SSL_get_error), FIND(SSL_read), FIND(SSL_write), FIND(SSL_CTX_ctrl), FIND(SSL_free);
#undef FIND
  context = tls.SSL_CTX_new(tls.TLS_client_method());
  // SSL_CTX_set_mode: partial writes, and a retry from elsewhere.
  tls.SSL_CTX_ctrl(context, 33, 3, NULL);
  sessions = calloc(descriptors, sizeof *sessions);
}

static void begin_tls(int descriptor) {
  if (!context) return;
  void *session = sessions[descriptor] = tls.SSL_new(context);
  tls.SSL_set_fd(session, descriptor);
  if (tls.SSL_connect(session) != 1) fail("TLS handshake");
}

// The result of a call for a session, as that of a system call.
static ssize_t result(void *session, int count) {
  if (count > 0) return count;
  int problem = tls.SSL_get_error(session, count);
  // SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE
  errno = problem == 2 || problem == 3 ? EAGAIN : EIO;
  return -1;
}

static ssize_t send_some(int descriptor, const void *bytes, size_t count) {
  void *session = context ? sessions[descriptor] : NULL;
  return session ? result(session, tls.SSL_write(session, bytes, count)) : write(descriptor, bytes, count);
}

static ssize_t receive_some(int descriptor, void *bytes, size_t count) {
  void *session = context ? sessions[descriptor] : NULL;
  return session ? result(session, tls.SSL_read(session, bytes, count)) : read(descriptor, bytes, count);
}

static void close_connection(int descriptor) {
  if (context) tls.SSL_free(sessions[descriptor]);
  close(descriptor);
}

// MARK: Connections

static const char *extensions = "";

static void write_all(int descriptor, const void *bytes, size_t count) {
  for (size_t sent = 0; sent < count;) {
    ssize_t now = send_some(descriptor, (const char *)bytes + sent, count - sent);
    if (now <= 0) fail("write");
    sent += now;
  }
}

static void read_all(int descriptor, size_t count) {
  while (count) {
    ssize_t got = receive_some(descriptor, block, count < sizeof block ? count : sizeof block);
    if (got <= 0) fail("read");
    count -= got;
  }
}

// Opens a connection, from another address after each 20,000, since one has 28,000 free ports.
static int opened(int index) {
  int descriptor = socket(AF_INET, SOCK_STREAM, 0), one = 1;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(0x7F000001 + index / 20000)}};
  setsockopt(descriptor, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof one);
  if (descriptor < 0 || bind(descriptor, (void *)&address, sizeof address)) fail("bind");
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(descriptor, (void *)&address, sizeof address)) fail("connect");
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  begin_tls(descriptor);
  char request[512];
  int length = snprintf(
      request, sizeof request,
      "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n%s\r\n",
      extensions);
  write_all(descriptor, request, length);
  // The head ends with the read, because the server sends nothing behind it.
  size_t count = 0;
  while (count < 4 || memcmp(block + count - 4, "\r\n\r\n", 4)) {
    ssize_t got = receive_some(descriptor, block + count, 4096 - count);
    if (got <= 0) fail("handshake");
    count += got;
  }
  if (memcmp(block, "HTTP/1.1 101", 12)) fail("the server refused");
  return descriptor;
}

// MARK: Frames

// Copies of one masked frame.
typedef struct {
  uint8_t *bytes;
  size_t count, answer_count;
} Burst;

// A frame of the payload in a file, or of letters.
static Burst make_burst(size_t copies, size_t length, int is_text, const uint8_t *payload) {
  size_t extra = length < 126 ? 0 : length < 65536 ? 2 : 8, header = 6 + extra;
  Burst burst = {malloc((header + length) * copies), (header + length) * copies,
                 (2 + extra + length) * copies};
  for (size_t copy = 0; copy < copies; copy++) {
    uint8_t *frame = burst.bytes + copy * (header + length), *key = frame + header - 4;
    // A payload is compressed: RSV1.
    frame[0] = (is_text ? 0x81 : 0x82) | (payload ? 0x40 : 0);
    frame[1] = 0x80 | (extra == 0 ? length : extra == 2 ? 126 : 127);
    for (size_t i = 0; i < extra; i++) frame[2 + i] = length >> 8 * (extra - 1 - i);
    memcpy(key, "\x12\x34\x56\x78", 4);
    for (size_t i = 0; i < length; i++) frame[header + i] = (payload ? payload[i] : 'a' + i % 26) ^ key[i & 3];
  }
  return burst;
}

// MARK: Measurements

static int compare(const void *some, const void *other) {
  float difference = *(const float *)some - *(const float *)other;
  return (difference > 0) - (difference < 0);
}

static void send_more(Client *client, const Burst *burst) {
  while (client->unsent) {
    ssize_t sent = send_some(client->descriptor, burst->bytes + burst->count - client->unsent, client->unsent);
    if (sent < 0 && errno == EAGAIN) return;
    if (sent <= 0) fail("write");
    client->unsent -= sent;
  }
}

static void begin_round(Client *client, const Burst *burst) {
  client->unsent = burst->count;
  client->missing = burst->answer_count;
  client->sent_at = seconds(CLOCK_MONOTONIC);
  send_more(client, burst);
}

// Reads what has arrived; returns whether the round is complete.
static int receive(Client *client) {
  while (client->missing) {
    ssize_t got = receive_some(client->descriptor, block, sizeof block);
    if (got < 0 && errno == EAGAIN) return 0;
    if (got <= 0) fail("the server has closed");
    if ((size_t)got > client->missing) fail("the server sent too much");
    client->missing -= got;
    // A read of TLS ends with a record.
    if (!context && got < (ssize_t)sizeof block) break;
  }
  return client->missing == 0;
}

// Sends one frame and returns the size of the frame that answers it.
static size_t measured_answer(const Burst *one) {
  int descriptor = opened(0);
  write_all(descriptor, one->bytes, one->count);
  size_t count = 0, size = 4;
  while (count < size) {
    ssize_t got = receive_some(descriptor, block + count, sizeof block - count);
    if (got <= 0) fail("read");
    count += got;
    if (count >= 4) size = block[1] < 126 ? 2 + block[1] : 4 + (block[2] << 8 | block[3]);
  }
  close_connection(descriptor);
  return size;
}

static uint8_t *contents(const char *path, size_t *count) {
  FILE *file = fopen(path, "rb");
  if (!file) fail(path);
  *count = fread(block, 1, sizeof block, file);
  fclose(file);
  return memcpy(malloc(*count), block, *count);
}

static void measure_echo(int count, int window, size_t length, double duration, char **more) {
  int is_text = more[0] != NULL;
  uint8_t *payload = NULL;
  if (is_text && !strcmp(more[0], "deflate")) {
    // Without a context each answer has the same bytes.
    extensions = "Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover; "
                 "client_no_context_takeover\r\n";
    payload = contents(more[1], &length);
  }
  Burst burst = make_burst(window, length, is_text, payload);
  if (payload) {
    Burst one = make_burst(1, length, is_text, payload);
    burst.answer_count = window * measured_answer(&one);
  }
  Client *clients = calloc(count, sizeof *clients);
  int poller = epoll_create1(0);
  for (int i = 0; i < count; i++) {
    clients[i].descriptor = opened(i);
    fcntl(clients[i].descriptor, F_SETFL, O_NONBLOCK);
    struct epoll_event event = {EPOLLIN | EPOLLOUT | EPOLLET, {.ptr = clients + i}};
    epoll_ctl(poller, EPOLL_CTL_ADD, clients[i].descriptor, &event);
  }
  const size_t most = 1 << 24;
  float *latencies = malloc(most * sizeof *latencies);
  size_t rounds = 0;
  double start = 0, cpu = 0, now = seconds(CLOCK_MONOTONIC), warm = now + duration / 5, end = warm + duration;
  for (int i = 0; i < count; i++) begin_round(clients + i, &burst);
  struct epoll_event ready[512];
  while (now < end) {
    int found = epoll_wait(poller, ready, 512, 100);
    for (int i = 0; i < found; i++) {
      Client *client = ready[i].data.ptr;
      send_more(client, &burst);
      if (!receive(client)) continue;
      if (start && rounds < most) latencies[rounds] = seconds(CLOCK_MONOTONIC) - client->sent_at;
      rounds++;
      begin_round(client, &burst);
    }
    now = seconds(CLOCK_MONOTONIC);
    if (!start && now >= warm) start = now, cpu = seconds(server_clock), rounds = 0;
  }
  double messages = (double)rounds * window, spent = seconds(server_clock) - cpu;
  size_t measured = rounds < most ? rounds : most;
  if (!measured) fail("no message returned");
  qsort(latencies, measured, sizeof *latencies, compare);
  printf("{\"cpu\": %.4f, \"perSecond\": %.0f, \"p50\": %.1f, \"p99\": %.1f, \"busy\": %.3f}\n",
         spent / messages * 1e6, messages / (now - start), latencies[measured / 2] * 1e6,
         latencies[measured * 99 / 100] * 1e6, spent / (now - start));
}

static void measure_connections(int count) {
  Burst burst = make_burst(1, 64, 0, NULL);
  int warm = count / 10;
  double start = 0, cpu = 0;
  for (int i = 0; i < warm + count; i++) {
    if (i == warm) start = seconds(CLOCK_MONOTONIC), cpu = seconds(server_clock);
    int descriptor = opened(i);
    write_all(descriptor, burst.bytes, burst.count);
    read_all(descriptor, burst.answer_count);
    close_connection(descriptor);
  }
  printf("{\"cpu\": %.4f, \"perSecond\": %.0f}\n", (seconds(server_clock) - cpu) / count * 1e6,
         count / (seconds(CLOCK_MONOTONIC) - start));
}

static void measure_memory(int process, int count, int echoes) {
  Burst burst = make_burst(1, 64, 0, NULL);
  long before = resident_bytes(process);
  int *descriptors = malloc(count * sizeof *descriptors);
  for (int i = 0; i < count; i++) {
    descriptors[i] = opened(i);
    for (int echo = 0; echo < echoes; echo++) {
      write_all(descriptors[i], burst.bytes, burst.count);
      read_all(descriptors[i], burst.answer_count);
    }
  }
  // The server may tidy up after the last handshake.
  usleep(500000);
  printf("{\"before\": %ld, \"bytes\": %.1f}\n", before,
         (double)(resident_bytes(process) - before) / count);
}

static void measure_broadcast(int count, int messages) {
  Burst burst = make_burst(1, 64, 0, NULL);
  int *descriptors = malloc(count * sizeof *descriptors);
  for (int i = 0; i < count; i++) descriptors[i] = opened(i);
  double cpu = 0, start = 0;
  for (int message = 0; message <= messages; message++) {
    // The first one is not counted.
    if (message == 1) cpu = seconds(server_clock), start = seconds(CLOCK_MONOTONIC);
    write_all(descriptors[0], burst.bytes, burst.count);
    for (int i = 0; i < count; i++) read_all(descriptors[i], burst.answer_count);
  }
  printf("{\"cpu\": %.1f, \"time\": %.1f}\n", (seconds(server_clock) - cpu) / messages * 1e6,
         (seconds(CLOCK_MONOTONIC) - start) / messages * 1e6);
}

int main(int argc, char **argv) {
  const char *usage = "load PORT PID [tls] echo|connect|hold|broadcast ...\n";
  if (argc < 5) return fprintf(stderr, "%s", usage), 1;
  port = atoi(argv[1]);
  int process = atoi(argv[2]);
  if (clock_getcpuclockid(process, &server_clock)) fail("no such process");
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  if (!strcmp(argv[3], "tls")) {
    use_tls(files.rlim_max);
    argv++, argc--;
  }
  if (argc < 5) return fprintf(stderr, "%s", usage), 1;
  const char *what = argv[3];
  if (!strcmp(what, "echo") && argc > 7)
    measure_echo(atoi(argv[4]), atoi(argv[5]), atol(argv[6]), atof(argv[7]), argv + 8);
  else if (!strcmp(what, "connect"))
    measure_connections(atoi(argv[4]));
  else if (!strcmp(what, "hold") && argc > 5)
    measure_memory(process, atoi(argv[4]), atoi(argv[5]));
  else if (!strcmp(what, "broadcast") && argc > 5)
    measure_broadcast(atoi(argv[4]), atoi(argv[5]));
  else
    return fprintf(stderr, "%s", usage), 1;
}
