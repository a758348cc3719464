// The page of `tilewright report`, kept as page/dist/page.html: one HTML text that loads nothing, with /*DATA*/ where
// its data go.
#pragma once

namespace tilewright {

extern const char* const kHtmlPage;

}  // namespace tilewright
