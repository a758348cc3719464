// Texts made from declared commands: what stands in them, what does not. Reading them as man and bash do is the part of
// tests/package.
#include "cli/document/document.h"

#include <gmock/gmock.h>

#include "cli/commands.h"

namespace tilewright {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Declared {
  Declared() {
    app.option_defaults()->always_capture_default();
    CLI::App* run = app.add_subcommand("run", "Run it");
    run->add_option("CHIP", hardware, "a chip")->required();
    run->add_option("-m,--mode", mode, "how. Or 'what'")->check(CLI::IsMember({"fast", "slow"}));
    run->add_option("--cores", cores, "so many")->check(CLI::Range(1, 8));
    run->add_option("--sizes", sizes, "each");
    run->add_option("FOLDERS", folders, "more");
    run->add_flag("--check", check, "look at it");
    app.add_subcommand("db", "All of it")->add_subcommand("build", "Make it");
    app.add_subcommand("secret", "Not listed")->group("");
    hide_unset_defaults(app);
  }
  CLI::App app{"A program", "program"};
  bool check = false;
  std::string hardware, mode = "fast";
  int cores = 0;
  std::vector<int> sizes;
  std::vector<std::string> folders;
};

TEST(UnsetDefaults, AreNotShownAndOthersAre) {
  Declared declared;
  const std::string help = declared.app.get_subcommand("run")->help();
  EXPECT_THAT(help, HasSubstr("=fast"));
  EXPECT_THAT(help, Not(HasSubstr("=0")));
  EXPECT_THAT(help, Not(HasSubstr("[]")));
}

TEST(UnsetDefaults, AreShownWhenTheOptionAcceptsThem) {
  Declared declared;
  declared.app.get_subcommand("run")->get_option("--cores")->default_str("1");
  hide_unset_defaults(declared.app);
  EXPECT_THAT(declared.app.get_subcommand("run")->help(), HasSubstr("=1"));
}

TEST(ManPage, HasEveryListedCommandWithItsOptionsAndDefaults) {
  const std::string page = man_page(Declared().app, "1.2");
  EXPECT_THAT(page, HasSubstr("tilewright 1.2"));
  EXPECT_THAT(page, HasSubstr(".SS \"tilewright run CHIP [FOLDERS] [OPTIONS]\""));
  EXPECT_THAT(page, HasSubstr(".SS \"tilewright db build [OPTIONS]\""));
  EXPECT_THAT(page, HasSubstr("\\-\\-mode"));
  EXPECT_THAT(page, HasSubstr("(default: fast)"));
  EXPECT_THAT(page, Not(HasSubstr("secret")));
}

TEST(BashCompletion, OffersCommandsOptionsAndChoices) {
  const std::string script = bash_completion(Declared().app);
  EXPECT_THAT(script, HasSubstr("compgen -W 'run db --help --version'"));
  EXPECT_THAT(script, HasSubstr("'run:--mode'|'run:-m') words='fast slow'"));
  EXPECT_THAT(script, HasSubstr("--check"));
  EXPECT_THAT(script, HasSubstr("db) words='build'"));
  EXPECT_THAT(script, Not(HasSubstr("secret")));
}

}  // namespace
}  // namespace tilewright
