// Blocks of rows of one image that enter an array side by side in place of images, where the array takes several images
// at a time (MatmulSpec::image_granule) and a convolution has fewer: what compilers for such arrays call
// space-to-batch. Only the order changes in which an instruction walks its operands; nothing is moved.
#pragma once

#include <vector>

#include "sim/isa/instruction.h"

namespace tilewright {

// Into how many blocks the rows of an image are cut, or the columns where there is one row: a divisor of them, the one
// with which the array streams least; 1: as they are.
std::int64_t image_blocks(std::int64_t rows, std::int64_t columns, int granule);

// Whether each of `images` images, fewer than the array takes, is an instruction of its own in blocks.
bool streams_in_blocks(std::int64_t images, int granule);

// The instructions that compute `matmul` of a convolution: itself, or one for each image in blocks.
std::vector<Matmul> in_image_blocks(const Matmul& matmul, int granule);

}  // namespace tilewright
