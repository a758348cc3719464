// libsystemc exports its own main, which calls sc_main. Linking gtest_main after it would run no test and return 0, so
// the tests start here.
#include <gmock/gmock.h>

#include <systemc>

#include "tests/support/property.h"

int sc_main(int argc, char** argv) {
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  tilewright::test::seed_rapidcheck();
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
