// Files written as a whole or not at all, and what is no regular file.
#include "sim/base/text_file.h"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <thread>

#include "sim/base/error.h"
#include "tests/support/files.h"
#include "tests/support/scratch_folder.h"

namespace tilewright {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith;
using testing::HasSubstr;
using testing_support::read_file;

class TextFile : public testing::Test {
 protected:
  std::string at(const std::string& name) const { return (scratch_.path() / name).string(); }
  std::string error(const std::string& path, const std::string& content = "new") const {
    try {
      write_text_file(path, content);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }
  std::ptrdiff_t entries() const {
    return std::distance(fs::directory_iterator(scratch_.path()), fs::directory_iterator());
  }

  testing_support::ScratchFolder scratch_{"text_file"};
};

// Writing past `bytes` fails for the rest of the scope, as on a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

TEST_F(TextFile, IsReadAsItWasWritten) {
  const std::string content("a\0b\r\nc", 6);
  write_text_file(at("f"), content);
  EXPECT_EQ(read_text_file(at("f")), content);
  write_text_file(at("f"), "");
  EXPECT_EQ(read_text_file(at("f")), "");
  EXPECT_EQ(entries(), 1);
}

TEST_F(TextFile, MakesTheFoldersAbove) {
  write_text_file(at("a/b/f"), "x");
  EXPECT_EQ(read_text_file(at("a/b/f")), "x");
}

TEST_F(TextFile, WhatCannotBeReadSaysWhy) {
  EXPECT_THROW(read_text_file(at("absent")), UserError);
  try {
    read_text_file(scratch_.path().string());
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), EndsWith("text_file_" + std::to_string(getpid()) + ": cannot be read: Is a directory"));
  }
}

TEST_F(TextFile, KeepsTheAccessRightsOfTheEarlierFile) {
  write_text_file(at("script"), "old");
  fs::permissions(at("script"), fs::perms(0750));
  write_text_file(at("script"), "new");
  EXPECT_EQ(fs::status(at("script")).permissions(), fs::perms(0750));
  EXPECT_EQ(read_text_file(at("script")), "new");
}

TEST_F(TextFile, AFailureLeavesTheEarlierFileAndNothingBesideIt) {
  write_text_file(at("f"), "old");
  {
    const FileSizeLimit limit(100);
    EXPECT_EQ(error(at("f"), std::string(101, 'x')), at("f") + ": cannot be written: File too large");
  }
  EXPECT_EQ(read_text_file(at("f")), "old");
  EXPECT_EQ(entries(), 1);
  const FileSizeLimit limit(100);
  EXPECT_EQ(error(at("f"), std::string(100, 'x')), "");
}

TEST_F(TextFile, ADeviceIsWrittenIntoAndStaysOne) {
  write_text_file("/dev/null", "x");
  struct stat status {};
  ASSERT_EQ(stat("/dev/null", &status), 0);
  EXPECT_TRUE(S_ISCHR(status.st_mode));
}

TEST_F(TextFile, AFullDeviceIsTheUsersError) {
  EXPECT_EQ(error("/dev/full"), "/dev/full: cannot be written: No space left on device");
}

TEST_F(TextFile, APipeIsWrittenInto) {
  ASSERT_EQ(mkfifo(at("pipe").c_str(), 0600), 0);
  std::string read;
  std::thread reader([&] { read = read_text_file(at("pipe")); });
  write_text_file(at("pipe"), "through");
  reader.join();
  EXPECT_EQ(read, "through");
  EXPECT_TRUE(fs::is_fifo(at("pipe")));
}

TEST_F(TextFile, ALinkStaysALink) {
  write_text_file(at("target"), "a longer text than the new one");
  fs::create_symlink("target", at("link"));
  fs::create_symlink("later", at("dangling"));
  write_text_file(at("link"), "new");
  write_text_file(at("dangling"), "new too");
  EXPECT_TRUE(fs::is_symlink(at("link")));
  EXPECT_TRUE(fs::is_symlink(at("dangling")));
  EXPECT_EQ(read_text_file(at("target")), "new");
  EXPECT_EQ(read_text_file(at("later")), "new too");
}

TEST_F(TextFile, RefusesWhatIsNoFile) {
  fs::create_directories(at("folder"));
  write_text_file(at("file"), "x");
  EXPECT_THAT(error(at("folder")), HasSubstr("is no name for a file"));
  EXPECT_THAT(error(""), HasSubstr("is no name for a file"));
  EXPECT_THAT(error(at("file/below")), HasSubstr("file is no folder"));
  EXPECT_THAT(error(at(std::string(300, 'n'))), HasSubstr("cannot be written: File name too long"));
}

}  // namespace
}  // namespace tilewright
