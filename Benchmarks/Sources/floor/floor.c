// The least that a WebSocket server can do on one epoll loop: the handshake, and frames that return
// unmasked in the order in which they arrive. It checks nothing: no UTF-8, limits, deadlines,
// fragments or answers to pings. What a server takes beyond this is its own work, since the system
// calls are the same.
//
//   floor PORT              echoes each message
//   floor PORT broadcast    sends each message to all clients
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct Client {
  int descriptor;
  int is_open;
  // Bytes that are not processed or not written. NULL, and no memory, when there are none.
  uint8_t *input, *output;
  size_t input_count, input_room, output_count, output_start;
  struct Client *previous, *next;
} Client;

static Client *clients;
static int poller, is_broadcasting;
// All clients read into the first block, and their output of one read is in the second one.
static uint8_t read_block[1 << 19], write_block[1 << 19];

// MARK: SHA-1 and Base64 (RFC 6455, section 4.2.2)

static uint32_t rotated(uint32_t word, int bits) { return word << bits | word >> (32 - bits); }

static void sha1_block(uint32_t state[5], const uint8_t block[64]) {
  uint32_t words[80], a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
  for (int i = 0; i < 16; i++) {
    uint32_t word;
    memcpy(&word, block + 4 * i, 4);
    words[i] = ntohl(word);
  }
  for (int i = 16; i < 80; i++)
    words[i] = rotated(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
  for (int i = 0; i < 80; i++) {
    uint32_t mixed = i < 20   ? ((b & c) | (~b & d)) + 0x5A827999
                     : i < 40 ? (b ^ c ^ d) + 0x6ED9EBA1
                     : i < 60 ? ((b & c) | (b & d) | (c & d)) + 0x8F1BBCDC
                              : (b ^ c ^ d) + 0xCA62C1D6;
    uint32_t next = rotated(a, 5) + mixed + e + words[i];
    e = d, d = c, c = rotated(b, 30), b = a, a = next;
  }
  state[0] += a, state[1] += b, state[2] += c, state[3] += d, state[4] += e;
}

// Writes the 28 characters that accept a key of 24.
static void accept_key(const char *key, char *accept) {
  uint8_t text[128] = {0};
  memcpy(text, key, 24);
  memcpy(text + 24, "258EAFA5-E914-47DA-95CA-C5AB0DC85B11", 36);
  // 60 bytes and the end mark need two blocks.
  text[60] = 0x80;
  text[126] = 480 >> 8, text[127] = 480 & 0xFF;
  uint32_t state[5] = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
  sha1_block(state, text);
  sha1_block(state, text + 64);
  uint8_t digest[21] = {0};
  for (int i = 0; i < 20; i++) digest[i] = state[i / 4] >> (24 - 8 * (i % 4));
  const char *digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (int i = 0; i < 7; i++) {
    uint32_t three = digest[3 * i] << 16 | digest[3 * i + 1] << 8 | digest[3 * i + 2];
    for (int j = 0; j < 4; j++) accept[4 * i + j] = digits[three >> (18 - 6 * j) & 63];
  }
  accept[27] = '=';
}

// MARK: Writing

static void watch(Client *client, uint32_t events, int operation) {
  struct epoll_event event = {events, {.ptr = client}};
  epoll_ctl(poller, operation, client->descriptor, &event);
}

static int write_output(Client *client) {
  while (client->output_start < client->output_count) {
    size_t left = client->output_count - client->output_start;
    ssize_t sent =
        send(client->descriptor, client->output + client->output_start, left, MSG_NOSIGNAL);
    if (sent < 0) return errno == EAGAIN ? 0 : -1;
    client->output_start += sent;
  }
  free(client->output);
  client->output = NULL;
  client->output_start = client->output_count = 0;
  watch(client, EPOLLIN, EPOLL_CTL_MOD);
  return 0;
}

// Sends, and keeps what the system does not take.
static int write_bytes(Client *client, const uint8_t *bytes, size_t count) {
  while (!client->output && count) {
    ssize_t sent = send(client->descriptor, bytes, count, MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN) return -1;
    if (sent < 0) {
      watch(client, EPOLLIN | EPOLLOUT, EPOLL_CTL_MOD);
      break;
    }
    bytes += sent, count -= sent;
  }
  if (!count) return 0;
  client->output = realloc(client->output, client->output_count + count);
  memcpy(client->output + client->output_count, bytes, count);
  client->output_count += count;
  return 0;
}

// A client that has ended meanwhile is found by its own event.
static int deliver(Client *client, const uint8_t *bytes, size_t count) {
  if (!is_broadcasting) return write_bytes(client, bytes, count);
  for (Client *other = clients; other; other = other->next)
    if (other->is_open) write_bytes(other, bytes, count);
  return 0;
}

// MARK: Reading

static int answer_handshake(Client *client, char *head) {
  const char *name = "Sec-WebSocket-Key: ";
  char *key = strcasestr(head, name);
  if (!key || strlen(key) < strlen(name) + 24) return -1;
  char answer[] =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Accept: ____________________________\r\n\r\n";
  accept_key(key + strlen(name), strchr(answer, '_'));
  client->is_open = 1;
  return write_bytes(client, (uint8_t *)answer, sizeof answer - 1);
}

static void unmask(uint8_t *target, const uint8_t *source, const uint8_t *key, size_t count) {
  uint8_t repeated[8];
  for (int i = 0; i < 8; i++) repeated[i] = key[i & 3];
  uint64_t mask, word;
  memcpy(&mask, repeated, 8);
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    memcpy(&word, source + i, 8);
    word ^= mask;
    memcpy(target + i, &word, 8);
  }
  for (; i < count; i++) target[i] = source[i] ^ key[i & 3];
}

// Returns how many bytes were used, -1 when the connection ends.
static ssize_t process_frames(Client *client, const uint8_t *input, size_t count) {
  size_t used = 0, made = 0;
  while (count - used >= 2) {
    const uint8_t *frame = input + used;
    size_t left = count - used, header = 2, length = frame[1] & 127;
    if (length == 126) {
      if (left < 4) break;
      length = frame[2] << 8 | frame[3], header = 4;
    } else if (length == 127) {
      if (left < 10) break;
      header = 10, length = 0;
      for (int i = 2; i < 10; i++) length = length << 8 | frame[i];
    }
    if (left < header + 4 + length) break;
    if ((frame[0] & 15) == 8) return -1;
    size_t total = header + length;
    int fits = total <= sizeof write_block;
    if (made && (!fits || made + total > sizeof write_block)) {
      if (deliver(client, write_block, made) < 0) return -1;
      made = 0;
    }
    uint8_t *output = fits ? write_block + made : malloc(total);
    memcpy(output, frame, header);
    output[1] &= 127;
    unmask(output + header, frame + header + 4, frame + header, length);
    if (fits) {
      made += total;
    } else {
      int result = deliver(client, output, total);
      free(output);
      if (result < 0) return -1;
    }
    used += header + 4 + length;
  }
  if (made && deliver(client, write_block, made) < 0) return -1;
  return used;
}

// Reads behind a frame that did not fit into one read.
static int read_rest(Client *client) {
  if (client->input_room - client->input_count < 65536) {
    client->input_room = client->input_room * 2 + 65536;
    client->input = realloc(client->input, client->input_room);
  }
  ssize_t got = recv(client->descriptor, client->input + client->input_count,
                     client->input_room - client->input_count, 0);
  if (got <= 0) return got < 0 && errno == EAGAIN ? 0 : -1;
  client->input_count += got;
  ssize_t used = process_frames(client, client->input, client->input_count);
  if (used < 0) return -1;
  client->input_count -= used;
  memmove(client->input, client->input + used, client->input_count);
  if (!client->input_count) {
    free(client->input);
    client->input = NULL;
    client->input_room = 0;
  }
  return 0;
}

static int read_input(Client *client) {
  if (client->input) return read_rest(client);
  ssize_t got = recv(client->descriptor, read_block, sizeof read_block - 1, 0);
  if (got <= 0) return got < 0 && errno == EAGAIN ? 0 : -1;
  if (!client->is_open) {
    read_block[got] = 0;
    return answer_handshake(client, (char *)read_block);
  }
  ssize_t used = process_frames(client, read_block, got);
  if (used < 0) return -1;
  if (used == got) return 0;
  client->input_count = got - used;
  client->input_room = client->input_count + 65536;
  client->input = malloc(client->input_room);
  memcpy(client->input, read_block + used, client->input_count);
  return 0;
}

// MARK: The loop

static void accept_client(int listener) {
  int descriptor = accept4(listener, NULL, NULL, SOCK_NONBLOCK), one = 1;
  if (descriptor < 0) return;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  Client *client = calloc(1, sizeof *client);
  client->descriptor = descriptor;
  client->next = clients;
  if (clients) clients->previous = client;
  clients = client;
  watch(client, EPOLLIN, EPOLL_CTL_ADD);
}

static void end(Client *client) {
  if (client->next) client->next->previous = client->previous;
  if (client->previous) client->previous->next = client->next;
  if (clients == client) clients = client->next;
  close(client->descriptor);
  free(client->input);
  free(client->output);
  free(client);
}

int main(int argc, char **argv) {
  if (argc < 2) return fprintf(stderr, "floor PORT [broadcast]\n"), 1;
  is_broadcasting = argc > 2;
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  int listener = socket(AF_INET, SOCK_STREAM, 0), one = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons(atoi(argv[1])), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t length = sizeof address;
  if (bind(listener, (void *)&address, length) || listen(listener, 4096))
    return perror("listen"), 1;
  getsockname(listener, (void *)&address, &length);
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  poller = epoll_create1(0);
  struct epoll_event event = {EPOLLIN, {.ptr = NULL}}, ready[512];
  epoll_ctl(poller, EPOLL_CTL_ADD, listener, &event);
  for (;;) {
    int count = epoll_wait(poller, ready, 512, -1);
    for (int i = 0; i < count; i++) {
      Client *client = ready[i].data.ptr;
      if (!client) {
        accept_client(listener);
        continue;
      }
      int result = ready[i].events & EPOLLOUT ? write_output(client) : 0;
      if (result == 0 && ready[i].events & ~EPOLLOUT) result = read_input(client);
      if (result < 0) end(client);
    }
  }
}
