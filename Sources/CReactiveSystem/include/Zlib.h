// zlib, loaded at run time: it need not be installed to compile.
#ifndef CSYSTEM_ZLIB_H
#define CSYSTEM_ZLIB_H

#ifdef __linux__

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

/// `z_stream` as zlib defines it since 1.0; zlib checks its size when a stream is made.
struct csystem_zlib_stream {
  const uint8_t *next_in;
  unsigned int avail_in;
  unsigned long total_in;
  uint8_t *next_out;
  unsigned int avail_out;
  unsigned long total_out;
  const char *message;
  void *state;
  void *allocate;
  void *release;
  void *opaque;
  int data_type;
  unsigned long adler;
  unsigned long reserved;
};

/// The functions of zlib that are used.
struct csystem_zlib {
  const char *version;
  int (*deflate_init)(struct csystem_zlib_stream *, int level, int method, int window_bits,
                      int memory_level, int strategy, const char *version, int stream_size);
  int (*deflate)(struct csystem_zlib_stream *, int flush);
  int (*deflate_end)(struct csystem_zlib_stream *);
  int (*inflate_init)(struct csystem_zlib_stream *, int window_bits, const char *version,
                      int stream_size);
  int (*inflate)(struct csystem_zlib_stream *, int flush);
  int (*inflate_reset_keep)(struct csystem_zlib_stream *);
  int (*inflate_sync_point)(struct csystem_zlib_stream *);
  int (*inflate_end)(struct csystem_zlib_stream *);
};

static const int csystem_zlib_ok = 0;
static const int csystem_zlib_stream_end = 1;
static const int csystem_zlib_no_memory = -4;
static const int csystem_zlib_no_progress = -5;

/// Loads the functions from a library; 0 if all are found. It is never unloaded.
static inline int csystem_zlib_load(struct csystem_zlib *zlib, const char *name) {
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library) return -1;
  const char *(*version)(void) = (const char *(*)(void))dlsym(library, "zlibVersion");
  struct {
    void *slot;
    const char *name;
  } symbols[] = {
      {&zlib->deflate_init, "deflateInit2_"},
      {&zlib->deflate, "deflate"},
      {&zlib->deflate_end, "deflateEnd"},
      {&zlib->inflate_init, "inflateInit2_"},
      {&zlib->inflate, "inflate"},
      {&zlib->inflate_reset_keep, "inflateResetKeep"},
      {&zlib->inflate_sync_point, "inflateSyncPoint"},
      {&zlib->inflate_end, "inflateEnd"},
  };
  if (!version) return -1;
  zlib->version = version();
  for (size_t index = 0; index < sizeof symbols / sizeof *symbols; index++) {
    void *found = dlsym(library, symbols[index].name);
    if (!found) return -1;
    __builtin_memcpy(symbols[index].slot, &found, sizeof found);
  }
  return 0;
}

// Raw streams (negative window bits): WebSockets use no zlib header and no checksum.

static inline int csystem_deflate_init(const struct csystem_zlib *zlib,
                                       struct csystem_zlib_stream *stream, int window_bits,
                                       int memory_level) {
  // Level -1 is zlib's default between speed and size; 8 is the only method.
  return zlib->deflate_init(stream, -1, 8, -window_bits, memory_level, 0, zlib->version,
                            sizeof *stream);
}

/// Compresses the input; at the `end` all output is flushed to a whole byte.
static inline int csystem_deflate(const struct csystem_zlib *zlib,
                                  struct csystem_zlib_stream *stream, int end) {
  return zlib->deflate(stream, end ? 2 /* Z_SYNC_FLUSH */ : 0 /* Z_NO_FLUSH */);
}

static inline void csystem_deflate_end(const struct csystem_zlib *zlib,
                                       struct csystem_zlib_stream *stream) {
  zlib->deflate_end(stream);
}

static inline int csystem_inflate_init(const struct csystem_zlib *zlib,
                                       struct csystem_zlib_stream *stream, int window_bits) {
  return zlib->inflate_init(stream, -window_bits, zlib->version, sizeof *stream);
}

static inline int csystem_inflate(const struct csystem_zlib *zlib,
                                  struct csystem_zlib_stream *stream) {
  return zlib->inflate(stream, 2 /* Z_SYNC_FLUSH */);
}

/// Begins another stream of the same peer, which may refer to the bytes before it.
static inline int csystem_inflate_continue(const struct csystem_zlib *zlib,
                                           struct csystem_zlib_stream *stream) {
  return zlib->inflate_reset_keep(stream);
}

/// Whether a flush without its last four bytes has ended: a stored block's length would follow.
static inline int csystem_inflate_is_flushed(const struct csystem_zlib *zlib,
                                             struct csystem_zlib_stream *stream) {
  return zlib->inflate_sync_point(stream) == 1;
}

static inline void csystem_inflate_end(const struct csystem_zlib *zlib,
                                       struct csystem_zlib_stream *stream) {
  zlib->inflate_end(stream);
}

#endif  // __linux__
#endif  // CSYSTEM_ZLIB_H
