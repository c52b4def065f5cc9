/// What contacts and joints keep bodies from doing, as rows of linear equations between velocities, for who has to know before
/// the solver runs: liquid that presses on a body on the floor must not take it for one in free fall.
#pragma once

#include "rigid/bodies.h"

/// row[0] . u_a + row[1] . u_b = 0; of a contact at least 0. u: velocity and spin of the centre of mass.
typedef struct couBodyHold {
    int body[2];      ///< -1: the world
    double row[2][6]; ///< turning about the centre of mass at the beginning of the step
    bool is_contact;  ///< holds only what approaches
    bool is_friction; ///< along the contact before it; holds while that does
} couBodyHold;

typedef COU_ARRAY(couBodyHold) couBodyHolds;

/// All of free and awake bodies, where the step began. Limits and motors of joints are left out. False without memory.
bool couFindHolds(couBodies *bodies, couBodyHolds *holds);
