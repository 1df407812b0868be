// Clients of a WebSocket server on this machine, all on one epoll loop, which measure how much CPU
// time the server's process takes for what they ask of it.
//
//   load PORT PID echo CONNECTIONS WINDOW BYTES SECONDS [text]
//   load PORT PID connect COUNT
//   load PORT PID hold CONNECTIONS ECHOES
//   load PORT PID broadcast CONNECTIONS MESSAGES
//
// Each connection of `echo` sends WINDOW messages in one write, and the next ones once all have
// returned. `connect` opens connections one after the other, each for one echo. The result is a line
// of JSON; times are in microseconds.
#define _GNU_SOURCE
#include <arpa/inet.h>
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

// MARK: Connections

static void write_all(int descriptor, const void *bytes, size_t count) {
  for (size_t sent = 0; sent < count;) {
    ssize_t now = write(descriptor, (const char *)bytes + sent, count - sent);
    if (now <= 0) fail("write");
    sent += now;
  }
}

static void read_all(int descriptor, size_t count) {
  while (count) {
    ssize_t got = read(descriptor, block, count < sizeof block ? count : sizeof block);
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
  static const char request[] =
      "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";
  write_all(descriptor, request, sizeof request - 1);
  // The head ends with the read, because the server sends nothing behind it.
  size_t count = 0;
  while (count < 4 || memcmp(block + count - 4, "\r\n\r\n", 4)) {
    ssize_t got = read(descriptor, block + count, 4096 - count);
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

static Burst make_burst(size_t copies, size_t length, int is_text) {
  size_t extra = length < 126 ? 0 : length < 65536 ? 2 : 8, header = 6 + extra;
  Burst burst = {malloc((header + length) * copies), (header + length) * copies,
                 (2 + extra + length) * copies};
  for (size_t copy = 0; copy < copies; copy++) {
    uint8_t *frame = burst.bytes + copy * (header + length), *key = frame + header - 4;
    frame[0] = is_text ? 0x81 : 0x82;
    frame[1] = 0x80 | (extra == 0 ? length : extra == 2 ? 126 : 127);
    for (size_t i = 0; i < extra; i++) frame[2 + i] = length >> 8 * (extra - 1 - i);
    memcpy(key, "\x12\x34\x56\x78", 4);
    for (size_t i = 0; i < length; i++) frame[header + i] = ('a' + i % 26) ^ key[i & 3];
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
    ssize_t sent = write(client->descriptor, burst->bytes + burst->count - client->unsent, client->unsent);
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
    ssize_t got = read(client->descriptor, block, sizeof block);
    if (got < 0 && errno == EAGAIN) return 0;
    if (got <= 0) fail("the server has closed");
    if ((size_t)got > client->missing) fail("the server sent too much");
    client->missing -= got;
    if (got < (ssize_t)sizeof block) break;
  }
  return client->missing == 0;
}

static void measure_echo(int count, int window, size_t length, double duration, int is_text) {
  Burst burst = make_burst(window, length, is_text);
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
  Burst burst = make_burst(1, 64, 0);
  int warm = count / 10;
  double start = 0, cpu = 0;
  for (int i = 0; i < warm + count; i++) {
    if (i == warm) start = seconds(CLOCK_MONOTONIC), cpu = seconds(server_clock);
    int descriptor = opened(i);
    write_all(descriptor, burst.bytes, burst.count);
    read_all(descriptor, burst.answer_count);
    close(descriptor);
  }
  printf("{\"cpu\": %.4f, \"perSecond\": %.0f}\n", (seconds(server_clock) - cpu) / count * 1e6,
         count / (seconds(CLOCK_MONOTONIC) - start));
}

static void measure_memory(int process, int count, int echoes) {
  Burst burst = make_burst(1, 64, 0);
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
  Burst burst = make_burst(1, 64, 0);
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
  const char *usage = "load PORT PID echo|connect|hold|broadcast ...\n";
  if (argc < 5) return fprintf(stderr, "%s", usage), 1;
  port = atoi(argv[1]);
  int process = atoi(argv[2]);
  if (clock_getcpuclockid(process, &server_clock)) fail("no such process");
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  const char *what = argv[3];
  if (!strcmp(what, "echo") && argc > 7)
    measure_echo(atoi(argv[4]), atoi(argv[5]), atol(argv[6]), atof(argv[7]), argc > 8);
  else if (!strcmp(what, "connect"))
    measure_connections(atoi(argv[4]));
  else if (!strcmp(what, "hold") && argc > 5)
    measure_memory(process, atoi(argv[4]), atoi(argv[5]));
  else if (!strcmp(what, "broadcast") && argc > 5)
    measure_broadcast(atoi(argv[4]), atoi(argv[5]));
  else
    return fprintf(stderr, "%s", usage), 1;
}
