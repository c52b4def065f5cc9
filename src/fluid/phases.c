// Phases that every particle method uses: the cell sort, neighbour lists, contacts, collisions.

#include "fluid/fluid.h"

void couPhase_Sort(couStep *step)
{
    couFluid *fluid = step->fluid;
    couGridReport found;
    // Cells a little larger than h, so that rounding cannot put a pair within h two cells apart.
    bool is_good = couGrid_Sort(&fluid->grid, &fluid->table, fluid->position_column, fluid->id_column, 1.001f * fluid->h,
                                &fluid->parallel, &found);
    step->report->nan_count += found.nan_count;
    step->report->lost_count += found.lost_count;
    if (found.nan_count || found.lost_count) step->report->first_bad_id = found.first_bad_id;
    if (!is_good) step->has_failed = true;
}

void couPhase_Neighbors(couStep *step)
{
    couFluid *fluid = step->fluid;
    if (!couNeighbors_Find(&fluid->neighbors, &fluid->grid, couFluid_Position(fluid), fluid->table.count, fluid->h, NULL,
                           &fluid->parallel)) {
        step->has_failed = true;
        return;
    }
    step->separate(step);
    step->report->pair_count += fluid->neighbors.pair_count;
    step->report->crowded_count += fluid->neighbors.crowded_count;
}

void couPhase_Contacts(couStep *step)
{
    if (!step->find_contacts(step)) step->has_failed = true;
}

void couPhase_Bodies(couStep *step) { step->couple(step); }

void couPhase_Collide(couStep *step) { step->collide(step); }
