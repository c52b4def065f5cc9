/// Eigenvalues and axes of small symmetric matrices.
#pragma once

/// Jacobi's rotations of a symmetric 3 x 3 matrix: a becomes diagonal, the columns of v its axes.
void couDiagonalize3(double a[3][3], double v[3][3]);
