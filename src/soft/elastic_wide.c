// Forces of finite elements, four cells at a time in double precision: the gradient of the displacement, a stress, the forces of
// the corners [elastic.c has the laws]. What a strain needs of a symmetric matrix is computed once.

#include "soft/cell_forces.h"

/// Rows are components, columns derivatives.
typedef struct Matrix {
    couDouble3W x, y, z;
} Matrix;

/// xx, yy, zz, xy, xz, yz
typedef struct Symmetric {
    couDoubleW xx, yy, zz, xy, xz, yz;
} Symmetric;

static inline couDouble3W load_gradient(const couCellGroup *group, int corner)
{
    return (couDouble3W){couLoadDoubleW(group->gradient[corner][0]), couLoadDoubleW(group->gradient[corner][1]),
                         couLoadDoubleW(group->gradient[corner][2])};
}

static inline couDouble3W combine(couDoubleW a, couDoubleW b, couDoubleW c, const couDouble3W g[3])
{
    return (couDouble3W){a * g[0].x + b * g[1].x + c * g[2].x, a * g[0].y + b * g[1].y + c * g[2].y,
                         a * g[0].z + b * g[1].z + c * g[2].z};
}

// Gradient in the cells of what the block's points have.
static inline Matrix gradient_of(const couCellGroup *group, const couDouble3W g[3], const couDouble4 *values)
{
    couDouble3W u0 = couGatherDoubleW(values, group->corner[0]), d[3];
    for (int k = 0; k < 3; ++k) d[k] = couSubDoubleW(couGatherDoubleW(values, group->corner[k + 1]), u0);
    return (Matrix){combine(d[0].x, d[1].x, d[2].x, g), combine(d[0].y, d[1].y, d[2].y, g), combine(d[0].z, d[1].z, d[2].z, g)};
}

// (G + G^T + G^T G) / 2, which is (F^T F - I) / 2 without the loss of digits.
static inline Symmetric green_strain(const Matrix *g)
{
    couDouble3W a = {g->x.x, g->y.x, g->z.x}, b = {g->x.y, g->y.y, g->z.y}, c = {g->x.z, g->y.z, g->z.z};
    return (Symmetric){g->x.x + 0.5 * couDotDoubleW(a, a),
                       g->y.y + 0.5 * couDotDoubleW(b, b),
                       g->z.z + 0.5 * couDotDoubleW(c, c),
                       0.5 * ((g->x.y + g->y.x) + couDotDoubleW(a, b)),
                       0.5 * ((g->x.z + g->z.x) + couDotDoubleW(a, c)),
                       0.5 * ((g->y.z + g->z.y) + couDotDoubleW(b, c))};
}

// + damping sym(F^T dF/dt)
static inline Symmetric add_rate(Symmetric e, const Matrix *f, const Matrix *r, double damping)
{
    couDouble3W a = {f->x.x, f->y.x, f->z.x}, b = {f->x.y, f->y.y, f->z.y}, c = {f->x.z, f->y.z, f->z.z};
    couDouble3W p = {r->x.x, r->y.x, r->z.x}, q = {r->x.y, r->y.y, r->z.y}, s = {r->x.z, r->y.z, r->z.z};
    double half = 0.5 * damping;
    return (Symmetric){e.xx + damping * couDotDoubleW(a, p),
                       e.yy + damping * couDotDoubleW(b, q),
                       e.zz + damping * couDotDoubleW(c, s),
                       e.xy + half * (couDotDoubleW(a, q) + couDotDoubleW(b, p)),
                       e.xz + half * (couDotDoubleW(a, s) + couDotDoubleW(c, p)),
                       e.yz + half * (couDotDoubleW(b, s) + couDotDoubleW(c, q))};
}

static inline couDouble3W row_times(couDouble3W row, const Symmetric *s)
{
    return (couDouble3W){row.x * s->xx + row.y * s->xy + row.z * s->xz, row.x * s->xy + row.y * s->yy + row.z * s->yz,
                         row.x * s->xz + row.y * s->yz + row.z * s->zz};
}

static inline Matrix green_stress(const couCellTask *task, const couCellGroup *group, const couDouble3W g[3], const Matrix *u)
{
    Symmetric e = green_strain(u);
    Matrix f = *u;
    f.x.x += 1.0, f.y.y += 1.0, f.z.z += 1.0;
    if (task->velocity) {
        Matrix rate = gradient_of(group, g, task->velocity);
        e = add_rate(e, &f, &rate, task->damping);
    }
    couDoubleW pressure = task->lambda * (e.xx + e.yy + e.zz);
    double twice = 2.0 * task->mu;
    Symmetric s = {
        twice * e.xx + pressure, twice * e.yy + pressure, twice * e.zz + pressure, twice * e.xy, twice * e.xz, twice * e.yz};
    return (Matrix){row_times(f.x, &s), row_times(f.y, &s), row_times(f.z, &s)};
}

static inline Matrix cauchy_stress(const couCellTask *task, const Matrix *g)
{
    couDoubleW pressure = task->lambda * (g->x.x + g->y.y + g->z.z);
    couDoubleW xy = task->mu * (g->x.y + g->y.x), xz = task->mu * (g->x.z + g->z.x), yz = task->mu * (g->y.z + g->z.y);
    double twice = 2.0 * task->mu;
    return (Matrix){
        {twice * g->x.x + pressure, xy, xz}, {xy, twice * g->y.y + pressure, yz}, {xz, yz, twice * g->z.z + pressure}};
}

static inline Matrix hybrid_stress(const couCellTask *task, const Matrix *g)
{
    couDoubleW pressure = (task->lambda + task->mu) * (g->x.x + g->y.y + g->z.z);
    couDoubleW mu = {task->mu, task->mu, task->mu, task->mu};
    Matrix p = {couScaleDoubleW(mu, g->x), couScaleDoubleW(mu, g->y), couScaleDoubleW(mu, g->z)};
    p.x.x += pressure, p.y.y += pressure, p.z.z += pressure;
    return p;
}

COU_SPECIALIZED void add_forces(const couCellTask *task, couCellLaw law)
{
    for (size_t k = 0; k < task->group_count; ++k) {
        const couCellGroup *group = &task->groups[k];
        const couDouble3W g[3] = {load_gradient(group, 0), load_gradient(group, 1), load_gradient(group, 2)};
        Matrix u = gradient_of(group, g, task->displacement);
        Matrix p = law == cou_lawGreen    ? green_stress(task, group, g, &u)
                   : law == cou_lawCauchy ? cauchy_stress(task, &u)
                                          : hybrid_stress(task, &u);
        couDoubleW weight = 0.0 - couLoadDoubleW(group->volume);
        couDouble3W f[3];
        for (int c = 0; c < 3; ++c)
            f[c] = (couDouble3W){weight * couDotDoubleW(p.x, g[c]), weight * couDotDoubleW(p.y, g[c]),
                                 weight * couDotDoubleW(p.z, g[c])};
        couDouble3W sum = couAddDoubleW(couAddDoubleW(f[0], f[1]), f[2]);
        couScatterDoubleW(task->force, group->corner[0], (couDouble3W){0.0 - sum.x, 0.0 - sum.y, 0.0 - sum.z});
        for (int c = 0; c < 3; ++c) couScatterDoubleW(task->force, group->corner[c + 1], f[c]);
    }
}

void COU_WIDE(couAddCellForces)(const couCellTask *task)
{
    if (task->law == cou_lawGreen)
        add_forces(task, cou_lawGreen);
    else if (task->law == cou_lawCauchy)
        add_forces(task, cou_lawCauchy);
    else
        add_forces(task, cou_lawHybrid);
}
