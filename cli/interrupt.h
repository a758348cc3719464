// Ctrl-C (and a scheduler's SIGTERM) as a question that long commands ask between two pieces of work. A second one ends
// the program at once.
#pragma once

namespace tilewright {

// Exit code of a command that was interrupted, as shells have it.
inline constexpr int kInterruptedExit = 130;

// From now on the first signal only makes interrupted() true.
void catch_interrupts();
bool interrupted();

}  // namespace tilewright
