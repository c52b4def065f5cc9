/// Bounds of what viewers may ask for.
#pragma once

enum { cou_maxViewers = 16, cou_maxMessage = 256 << 10 };
