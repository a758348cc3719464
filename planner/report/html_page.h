// The page of `tilewright report`, made from page/ at build time: one HTML text that loads nothing, with /*DATA*/ where
// its data go.
#pragma once

namespace tilewright {

extern const char* const kHtmlPage;

}  // namespace tilewright
