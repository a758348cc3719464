// A tiling database that others have changed, as a target. Bytes alone hardly get past SQLite and the rows' checksums,
// so the input is a list of changes to a good file, a line each:
//   TABLE ROW COLUMN TYPE VALUE    sets a cell: record or answer; numbers, taken modulo what there is; TYPE one of
//                                  t (text), i (whole number), r (real), b (blob), n (null)
//   + TABLE ROW COLUMN TYPE VALUE  and gives the row the checksum that fits it
//   - TABLE ROW                    deletes a row
//   byte OFFSET VALUE              sets a byte of the file, after all of the others
// Other lines change nothing.
#pragma once

#include <string_view>

namespace tilewright::fuzz {

// Reads all that a database holds. Besides what every target finds: a record that is served although its row, or the
// file's pages, had been changed without its checksum.
void database(std::string_view input);

}  // namespace tilewright::fuzz
