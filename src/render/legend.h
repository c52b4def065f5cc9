/// What legends and automatic ranges share.
#pragma once

/// 1, 2 or 5 times a power of ten, so that from low to high there are four to ten steps; low < high.
double couNiceStep(double low, double high);
