// Files read and written as a whole.
#pragma once

#include <string>

namespace tilewright {

// UserError naming the file and the system's reason.
std::string read_text_file(const std::string& path);

// Throws UserError when write_text_file() could not succeed: a folder, a parent that is no folder, no right to write.
// Call it before a long computation.
void check_output_file(const std::string& path);

// A regular file is there as a whole or as it was before: the content goes beside it, to the disk, and takes its place
// (and its access rights). Missing folders are made. What is no regular file (a device, a pipe, a symbolic link) is
// written into and stays what it is. UserError with the system's reason (no space left, ...) on a failure.
void write_text_file(const std::string& path, const std::string& content);

// What was renamed in the folder stays so after a loss of power.
void flush_folder(const std::string& folder);

// Throws UserError when nothing could be made at `path`: the nearest folder above that exists is not writable.
void check_parent_folder(const std::string& path);

}  // namespace tilewright
