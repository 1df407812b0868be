// System calls that Swift's Glibc module does not export. Header-only: it has no source file.
#ifndef CSYSTEM_H
#define CSYSTEM_H

#include <stdint.h>

#include "Zlib.h"

#ifdef __linux__

#include <execinfo.h>
#include <linux/sockios.h>
#include <malloc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "OpenSSL.h"

/// Whether the calling thread is the one that the process began with.
static inline int csystem_is_first_thread(void) { return syscall(SYS_gettid) == getpid(); }

/// Calls `backtrace` of execinfo.h.
static inline int csystem_backtrace(void **addresses, int capacity) {
  return backtrace(addresses, capacity);
}

/// Calls `backtrace_symbols` of execinfo.h; the caller frees the result.
static inline char **csystem_backtrace_symbols(void *const *addresses, int count) {
  return backtrace_symbols(addresses, count);
}

// epoll. Every function returns the result of the system call and leaves errno as it is.
//
// `struct epoll_event` is packed on x86-64, which Swift cannot express: its fields are read and
// written here only, and Swift handles pointers to it.

static inline int csystem_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

static inline int csystem_epoll_add(int epoll, int descriptor, uint32_t events, uint64_t token) {
  struct epoll_event event = {.events = events, .data = {.u64 = token}};
  return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

static inline int csystem_epoll_remove(int epoll, int descriptor) {
  struct epoll_event ignored = {0};  // Kernels before 2.6.9 wanted a pointer.
  return epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, &ignored);
}

static inline int csystem_epoll_wait(int epoll, struct epoll_event *events, int capacity,
                                     int milliseconds) {
  return epoll_wait(epoll, events, capacity, milliseconds);
}

static inline uint32_t csystem_epoll_events(const struct epoll_event *event) {
  return event->events;
}

static inline uint64_t csystem_epoll_token(const struct epoll_event *event) {
  return event->data.u64;
}

// Enumerators and macros as plain integers.
static const uint32_t csystem_epoll_in = EPOLLIN;
static const uint32_t csystem_epoll_out = EPOLLOUT;
static const uint32_t csystem_epoll_error = EPOLLERR;
static const uint32_t csystem_epoll_hangup = EPOLLHUP;
static const uint32_t csystem_epoll_peer_ended = EPOLLRDHUP;
static const uint32_t csystem_epoll_edge = EPOLLET;
static const uint32_t csystem_epoll_urgent = EPOLLPRI;

// eventfd: a counter that wakes a poller.

static inline int csystem_eventfd_create(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

static inline int csystem_eventfd_signal(int descriptor) { return eventfd_write(descriptor, 1); }

// GNU functions that <sys/socket.h> and <pthread.h> hide from Swift.

extern int accept4(int, struct sockaddr *, socklen_t *, int);
extern int pthread_setname_np(pthread_t, const char *);

/// Accepts the next connection: non-blocking and closed on exec.
static inline int csystem_accept(int descriptor) {
  return accept4(descriptor, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

/// What the peer of a TCP connection has acknowledged.
struct csystem_tcp_status {
  /// Bytes that are written but not acknowledged.
  int outstanding;
  uint32_t milliseconds_since_acknowledgement;
  /// Segments that are sent but not acknowledged.
  uint32_t segments_in_flight;
  /// Consecutive probes of a zero window without an answer.
  uint32_t unanswered_probes;
};

static inline int csystem_read_tcp_status(int descriptor, struct csystem_tcp_status *status) {
  // The kernel's struct begins like glibc's; newer kernels append fields.
  struct tcp_info info = {0};
  socklen_t length = sizeof info;
  if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return -1;
  if (ioctl(descriptor, SIOCOUTQ, &status->outstanding) != 0) return -1;
  status->milliseconds_since_acknowledgement = info.tcpi_last_ack_recv;
  status->segments_in_flight = info.tcpi_unacked;
  status->unanswered_probes = info.tcpi_probes;
  return 0;
}

/// Names the calling thread; Linux refuses names of more than 15 bytes.
static inline int csystem_name_thread(const char *name) {
  return pthread_setname_np(pthread_self(), name);
}

// The heap: bytes that are allocated now. Tests measure growth with it.

static inline size_t csystem_heap_in_use(void) {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

#endif  // __linux__
#endif  // CSYSTEM_H
