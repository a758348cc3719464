// Ctrl-C while the interpreter is not running: long calls ask between two pieces of work.
#pragma once

namespace tilewright {

// Throws the exception of a Python signal handler (KeyboardInterrupt) when one has something to say. The caller does
// not hold the interpreter's lock.
void check_interrupt();

}  // namespace tilewright
