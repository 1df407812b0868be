#ifndef CHEAP_H
#define CHEAP_H

#include <stdbool.h>
#include <stddef.h>

/// The counts of the heap; bytes include the allocator's header.
typedef struct {
  long allocations;
  long bytes_kept;  // allocated less freed
  long bytes_peak;  // the most that `bytes_kept` ever was
} heap_count;

/// Whether this platform's allocator can be counted (glibc).
bool heap_is_counted(void);

/// Starts counting, on all threads.
void heap_count_begin(void);

/// Ends counting and returns the counts.
heap_count heap_count_end(void);

/// The bytes in use as `mallinfo2` sees them: blocks in a thread's cache count as used.
size_t heap_in_use(void);

#endif
