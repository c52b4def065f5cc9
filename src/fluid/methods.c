// The methods. To add one: a file that defines a couMethod, and a line here.

#include "fluid/fluid.h"

extern const couMethod couMethodPvfs;

static const couMethod *const methods[] = {&couMethodPvfs};

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
    const couMethod *found = couFindMethod(method);
    return found ? found->params : NULL;
}
