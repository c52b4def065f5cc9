// The methods. To add one: a file that defines a couMethod, and a line here.

#include "fluid/fluid.h"

extern const couMethod couMethodPvfs, couMethodMueller, couMethodSesph, couMethodWcsph, couMethodPcisph, couMethodIisph,
    couMethodDfsph;

static const couMethod *const methods[] = {&couMethodPvfs,   &couMethodMueller, &couMethodSesph, &couMethodWcsph,
                                           &couMethodPcisph, &couMethodIisph,   &couMethodDfsph};

const couMethod *couFindMethod(const char *name)
{
    for (int m = 0; m < COU_COUNT(methods); ++m)
        if (strcmp(methods[m]->name, name) == 0) return methods[m];
    return NULL;
}

const char *const *couMethodNames(void)
{
    static const char *names[COU_COUNT(methods) + 1];
    for (int m = 0; m < COU_COUNT(methods); ++m) names[m] = methods[m]->name;
    return names;
}

const char *couMethodHelp(const char *method)
{
    const couMethod *found = couFindMethod(method);
    return found ? found->help : NULL;
}

const couParamTable *couMethodParams(const char *method)
{
    for (int m = 0; m < COU_COUNT(methods); ++m)
        if (strcmp(methods[m]->name, method) == 0 || strcmp(methods[m]->params->name, method) == 0) return methods[m]->params;
    return NULL;
}

const char *const *couMethodTableNames(void)
{
    static const char *names[2 * COU_COUNT(methods) + 1];
    int count = 0;
    for (int m = 0; m < COU_COUNT(methods); ++m) {
        names[count++] = methods[m]->name;
        bool is_known = false;
        for (int k = 0; k < count; ++k) is_known |= strcmp(names[k], methods[m]->params->name) == 0;
        if (!is_known) names[count++] = methods[m]->params->name;
    }
    return names;
}
