// What Swift's Glibc module does not export. Header-only: nothing here is compiled on its own.
#ifndef CSYSTEM_H
#define CSYSTEM_H

#include <stdint.h>

#endif
