#include "CHeap.h"

#include <stdlib.h>

#ifdef __GLIBC__

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>

// The executable's malloc comes before glibc's for every library in the process; glibc's own goes
// by these names too, so there is nothing to look up and no order of initialisation to care for.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

// Off while time is measured: a call then takes one load more than glibc's.
static atomic_bool is_counting;
static atomic_long allocations;
static atomic_long kept;
static atomic_long peak;

static const long header = sizeof(size_t);

static bool counts(void) { return atomic_load_explicit(&is_counting, memory_order_relaxed); }

static void gone(void *block) {
  if (!block) return;
  long size = (long)malloc_usable_size(block) + header;
  atomic_fetch_sub_explicit(&kept, size, memory_order_relaxed);
}

static void *made(void *block) {
  if (!block) return block;
  long size = (long)malloc_usable_size(block) + header;
  long now = atomic_fetch_add_explicit(&kept, size, memory_order_relaxed) + size;
  long before = atomic_load_explicit(&peak, memory_order_relaxed);
  while (now > before && !atomic_compare_exchange_weak_explicit(
    &peak, &before, now, memory_order_relaxed, memory_order_relaxed)) {}
  atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
  return block;
}

void *malloc(size_t size) {
  void *block = __libc_malloc(size);
  return counts() ? made(block) : block;
}

void *calloc(size_t count, size_t size) {
  void *block = __libc_calloc(count, size);
  return counts() ? made(block) : block;
}

void *realloc(void *old, size_t size) {
  if (!counts()) return __libc_realloc(old, size);
  long before = old ? (long)malloc_usable_size(old) + header : 0;
  void *block = __libc_realloc(old, size);
  if (block || size == 0) atomic_fetch_sub_explicit(&kept, before, memory_order_relaxed);
  return made(block);
}

void *memalign(size_t alignment, size_t size) {
  void *block = __libc_memalign(alignment, size);
  return counts() ? made(block) : block;
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) {
    return EINVAL;
  }
  void *block = memalign(alignment, size);
  if (!block) return ENOMEM;
  *result = block;
  return 0;
}

void free(void *block) {
  if (counts()) gone(block);
  __libc_free(block);
}

bool heap_is_counted(void) { return true; }

void heap_count_begin(void) {
  atomic_store(&allocations, 0);
  atomic_store(&kept, 0);
  atomic_store(&peak, 0);
  atomic_store(&is_counting, true);
}

heap_count heap_count_end(void) {
  atomic_store(&is_counting, false);
  return (heap_count){atomic_load(&allocations), atomic_load(&kept), atomic_load(&peak)};
}

size_t heap_in_use(void) {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

#else

bool heap_is_counted(void) { return false; }
void heap_count_begin(void) {}
heap_count heap_count_end(void) { return (heap_count){0, 0, 0}; }
size_t heap_in_use(void) { return 0; }

#endif
