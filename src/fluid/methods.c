// The methods. To add one: a file that defines a couMethod, and a line here.

#include "fluid/fluid.h"

#define METHODS(X) \
    X(Pvfs) \
    X(Mueller) \
    X(Sesph) \
    X(Wcsph) \
    X(Pcisph) \
    X(Iisph) \
    X(Dfsph)

#define DECLARE(name) extern const couMethod couMethod##name;
METHODS(DECLARE)

#define ADDRESS(name) &couMethod##name,
static const couMethod *const methods[] = {METHODS(ADDRESS)};
enum { METHOD_COUNT = COU_COUNT(methods) };

// Names for those who want a list, made before anybody can ask.
static const char *names[METHOD_COUNT + 1], *table_names[2 * METHOD_COUNT + 1];

__attribute__((constructor)) static void list_names(void)
{
    int count = 0;
    for (int m = 0; m < METHOD_COUNT; ++m) {
        names[m] = table_names[count++] = methods[m]->name;
        bool is_known = false;
        for (int k = 0; k < count; ++k) is_known |= strcmp(table_names[k], methods[m]->params->name) == 0;
        if (!is_known) table_names[count++] = methods[m]->params->name;
    }
}

const char *const *couMethodNames(void) { return names; }
const char *const *couMethodTableNames(void) { return table_names; }

const couMethod *couFindMethod(const char *name)
{
    for (int m = 0; m < METHOD_COUNT; ++m)
        if (strcmp(methods[m]->name, name) == 0) return methods[m];
    return NULL;
}

const char *couMethodHelp(const char *method)
{
    const couMethod *found = couFindMethod(method);
    return found ? found->help : NULL;
}

const couMethodTraits *couFindMethodTraits(const char *method)
{
    const couMethod *found = couFindMethod(method);
    return found ? &found->traits : NULL;
}

const couParamTable *couMethodParams(const char *method)
{
    for (int m = 0; m < METHOD_COUNT; ++m)
        if (strcmp(methods[m]->name, method) == 0 || strcmp(methods[m]->params->name, method) == 0) return methods[m]->params;
    return NULL;
}

const char *couMethod_FindGap(const couMethod *method)
{
    const struct {
        const char *name;
        bool is_there;
    } parts[] = {
        {"name", method->name && method->name[0]},
        {"help", method->help && method->help[0]},
        {"params", method->params && method->params_bytes},
        {"phases", method->phases && method->phases[0].function},
        {"support_ratio", method->support_ratio},
        {"prepare", method->prepare},
        {"suggest_step", method->suggest_step},
        {"height_error", method->height_error},
        {"materials_changed", method->materials_changed},
        {"contact_radius", method->contact_radius > 0.0f},
        {"claims", method->traits.claims},
    };
    for (int k = 0; k < COU_COUNT(parts); ++k)
        if (!parts[k].is_there) return parts[k].name;
    return NULL;
}
