// Parameter tables: defaults, range checks and text, for any def struct, driven by its table.

#include "coulis/params.h"
#include "base/base.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

const couParam *couParams_Find(const couParamTable *table, const char *name)
{
    for (int i = 0; i < table->count; ++i)
        if (strcmp(table->params[i].name, name) == 0) return &table->params[i];
    return NULL;
}

// --- Suggestions -------------------------------------------------------------------------------------------------------------

// Levenshtein distance with swaps of neighbours, on names of at most 63 characters.
static int edit_distance(const char *a, const char *b)
{
    enum { SIZE = 64 };
    int rows[3][SIZE + 1];
    int n = (int)strnlen(a, SIZE), m = (int)strnlen(b, SIZE);
    for (int j = 0; j <= m; ++j) rows[0][j] = j;
    for (int i = 1; i <= n; ++i) {
        int *row = rows[i % 3];
        const int *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
        row[0] = i;
        for (int j = 1; j <= m; ++j) {
            int same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
            int best = COU_MIN(above[j], row[j - 1]) + 1;
            best = COU_MIN(best, above[j - 1] + !same);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) best = COU_MIN(best, above2[j - 2] + 1);
            row[j] = best;
        }
    }
    return rows[n % 3][m];
}

static void consider(const char *candidate, const char *name, const char **best, int *best_distance)
{
    int distance = edit_distance(candidate, name);
    int allowed = COU_MAX(1, (int)strlen(name) / 3);
    if (distance <= allowed && distance < *best_distance) {
        *best = candidate;
        *best_distance = distance;
    }
}

const char *couSuggest(const char *const *names, int count, const char *name)
{
    const char *best = NULL;
    int distance = 1000;
    for (int i = 0; i < count; ++i) consider(names[i], name, &best, &distance);
    return best;
}

const char *couParams_Suggest(const couParamTable *table, const char *name)
{
    const char *best = NULL;
    int distance = 1000;
    for (int i = 0; i < table->count; ++i) consider(table->params[i].name, name, &best, &distance);
    return best;
}

void couFormatUnknown(char *text, size_t size, const char *kind, const char *name, const char *nearest)
{
    if (nearest)
        snprintf(text, size, "unknown %s '%.60s': did you mean '%s'?", kind, name, nearest);
    else
        snprintf(text, size, "unknown %s '%.60s'", kind, name);
}

// --- Fields ------------------------------------------------------------------------------------------------------------------

static int component_count(const couParam *param)
{
    return param->type == cou_paramVec3 ? 3 : param->type == cou_paramName ? 0 : 1;
}

size_t couParam_Size(const couParam *param)
{
    switch (param->type) {
    case cou_paramFloat: return sizeof(float);
    case cou_paramDouble: return sizeof(double);
    case cou_paramInt:
    case cou_paramChoice: return sizeof(int);
    case cou_paramBool: return sizeof(bool);
    case cou_paramVec3: return sizeof(couVec3);
    case cou_paramName: return COU_NAME_SIZE;
    }
    return 0;
}

static int choice_count(const couParam *param)
{
    int count = 0;
    while (param->choices && param->choices[count]) ++count;
    return count;
}

static void store(const couParam *param, void *def, const double *values)
{
    char *field = (char *)def + param->offset;
    switch (param->type) {
    case cou_paramFloat: *(float *)field = (float)values[0]; break;
    case cou_paramDouble: *(double *)field = values[0]; break;
    case cou_paramInt:
    case cou_paramChoice: *(int *)field = (int)values[0]; break;
    case cou_paramBool: *(bool *)field = values[0] != 0; break;
    case cou_paramVec3: *(couVec3 *)field = (couVec3){(float)values[0], (float)values[1], (float)values[2]}; break;
    case cou_paramName: break;
    }
}

int couParam_GetNumbers(const couParam *param, const void *def, double values[3])
{
    const char *field = (const char *)def + param->offset;
    switch (param->type) {
    case cou_paramFloat: values[0] = *(const float *)field; return 1;
    case cou_paramDouble: values[0] = *(const double *)field; return 1;
    case cou_paramInt:
    case cou_paramChoice: values[0] = *(const int *)field; return 1;
    case cou_paramBool: values[0] = *(const bool *)field; return 1;
    case cou_paramVec3: {
        const couVec3 *v = (const couVec3 *)field;
        values[0] = v->x, values[1] = v->y, values[2] = v->z;
        return 3;
    }
    case cou_paramName: return 0;
    }
    return 0;
}

void couParams_SetDefaults(const couParamTable *table, void *def)
{
    for (int i = 0; i < table->count; ++i) store(&table->params[i], def, table->params[i].initial);
}

static bool is_in_range(const couParam *param, double value)
{
    switch (param->type) {
    case cou_paramBool: return value == 0 || value == 1;
    case cou_paramChoice: return value >= 0 && value < choice_count(param) && value == floor(value);
    case cou_paramInt:
        if (value != floor(value)) return false;
        break;
    default: break;
    }
    // Fields are floats: what counts is the value as it will be stored, against limits rounded alike.
    double min = param->min, max = param->max;
    if (param->type == cou_paramFloat || param->type == cou_paramVec3) value = (float)value, min = (float)min, max = (float)max;
    if (!(value >= min && value <= max)) return false;
    return !(param->is_min_open && value == min);
}

void couParam_FormatRange(const couParam *param, char *text, size_t size)
{
    bool has_min = param->min > -1e30, has_max = param->max < 1e30;
    const char *kind = param->type == cou_paramInt    ? "a whole number"
                       : param->type == cou_paramVec3 ? "three numbers"
                                                      : "a number";
    switch (param->type) {
    case cou_paramName: snprintf(text, size, "a name of at most %d characters", COU_NAME_SIZE - 1); return;
    case cou_paramBool: snprintf(text, size, "true or false"); return;
    case cou_paramChoice: {
        size_t used = 0;
        text[0] = 0;
        for (int i = 0; i < choice_count(param) && used < size; ++i)
            used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", param->choices[i]);
        return;
    }
    default: break;
    }
    const char *more = param->is_min_open ? ">" : ">=";
    if (has_min && has_max && !param->is_min_open)
        snprintf(text, size, "%s from %.10g to %.10g", kind, param->min, param->max);
    else if (has_min && has_max)
        snprintf(text, size, "%s %s %.10g and <= %.10g", kind, more, param->min, param->max);
    else if (has_min)
        snprintf(text, size, "%s %s %.10g", kind, more, param->min);
    else if (has_max)
        snprintf(text, size, "%s <= %.10g", kind, param->max);
    else
        snprintf(text, size, "%s", kind);
}

static void format_number(const couParam *param, const double *v, char *text, size_t size)
{
    switch (param->type) {
    case cou_paramName: snprintf(text, size, "-"); break;
    case cou_paramBool: snprintf(text, size, v[0] != 0 ? "true" : "false"); break;
    case cou_paramChoice:
        snprintf(text, size, "%s", v[0] >= 0 && v[0] < choice_count(param) ? param->choices[(int)v[0]] : "-");
        break;
    default:
        if (isnan(v[0]))
            snprintf(text, size, "auto");
        else if (param->type == cou_paramVec3)
            snprintf(text, size, "%g, %g, %g", v[0], v[1], v[2]);
        else
            snprintf(text, size, param->type == cou_paramDouble ? "%.15g" : "%.10g", v[0]);
    }
}

void couParam_FormatDefault(const couParam *param, char *text, size_t size) { format_number(param, param->initial, text, size); }

void couParam_FormatValue(const couParam *param, const void *def, char *text, size_t size)
{
    double values[3];
    if (couParam_GetNumbers(param, def, values) > 0)
        format_number(param, values, text, size);
    else
        snprintf(text, size, "%s", (const char *)def + param->offset);
}

void couParam_FormatHelp(const couParam *param, const void *def, char *text, size_t size)
{
    char value[96], words[160] = "", unit[40] = "";
    double number[3];
    couParam_FormatValue(param, def, value, sizeof value);
    if (param->type == cou_paramFloat && couParam_GetNumbers(param, def, number) == 1 && isfinite(number[0]))
        snprintf(value, sizeof value, "%.6g", number[0]); // the digits that a float has
    if (param->type == cou_paramChoice) couParam_FormatRange(param, words, sizeof words);
    if (*param->unit) snprintf(unit, sizeof unit, " [%s]", param->unit);
    bool is_off = param->type == cou_paramBool && strcmp(value, "false") == 0;
    if (is_off || !*value)
        snprintf(text, size, "%s%s", param->help, unit);
    else
        snprintf(text, size, "%s%s (%s%sdefault %s)", param->help, unit, words, *words ? "; " : "", value);
}

static void add_range_fault(const couParam *param, const char *table, const char *value, const char *where, couFaults *faults)
{
    char range[160], key[64];
    couParam_FormatRange(param, range, sizeof range);
    snprintf(key, sizeof key, "%s%s%s", table ? table : "", table ? "." : "", param->name);
    couFaults_Add(faults, where, key, "%s is %s%s%s%s; it must be %s", param->name, value, *param->unit ? " [" : "", param->unit,
                  *param->unit ? "]" : "", range);
}

static void format_numbers(const double *values, int count, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i < count && used < size; ++i)
        used += (size_t)snprintf(text + used, size - used, "%s%g", i ? ", " : "", values[i]);
}

bool couParams_Check(const couParamTable *table, const void *def, couFaults *faults)
{
    bool is_good = true;
    for (int i = 0; i < table->count; ++i) {
        const couParam *param = &table->params[i];
        double values[3];
        int count = couParam_GetNumbers(param, def, values);
        bool is_fine = true;
        for (int c = 0; c < count; ++c) {
            bool is_auto = param->is_auto && isnan(values[c]);
            if (!is_auto && !is_in_range(param, values[c])) is_fine = false;
        }
        if (is_fine) continue;
        char text[96];
        format_numbers(values, count, text, sizeof text);
        add_range_fault(param, table->name, text, NULL, faults);
        is_good = false;
    }
    return is_good;
}

bool couParam_SetNumbers(const couParam *param, const char *table, void *def, const double *values, int count, const char *where,
                         couFaults *faults)
{
    bool is_good = count == component_count(param);
    for (int c = 0; is_good && c < count; ++c) is_good = is_in_range(param, values[c]);
    if (is_good) {
        store(param, def, values);
        return true;
    }
    char text[96];
    format_numbers(values, count, text, sizeof text);
    add_range_fault(param, table, text, where, faults);
    return false;
}

// Numbers separated by commas or blanks; -1 when anything else stands there.
static int parse_numbers(const char *text, double values[3])
{
    int count = 0;
    for (;;) {
        while (isspace((unsigned char)*text) || *text == ',') ++text;
        if (!*text) return count;
        if (count == 3) return -1;
        char *end;
        values[count] = strtod(text, &end);
        if (end == text) return -1;
        ++count;
        text = end;
    }
}

bool couParam_SetText(const couParam *param, const char *table, void *def, const char *text, const char *where, couFaults *faults)
{
    double values[3] = {0};
    int count = -1;
    if (param->type == cou_paramName) {
        if (strlen(text) < COU_NAME_SIZE && *text) {
            snprintf((char *)def + param->offset, COU_NAME_SIZE, "%s", text);
            return true;
        }
    } else if (param->is_auto && strcmp(text, "auto") == 0) {
        values[0] = values[1] = values[2] = NAN;
        store(param, def, values);
        return true;
    } else if (param->type == cou_paramBool) {
        if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) count = 1, values[0] = *text == 't';
    } else if (param->type == cou_paramChoice) {
        for (int i = 0; i < choice_count(param); ++i)
            if (strcmp(param->choices[i], text) == 0) count = 1, values[0] = i;
    } else {
        count = parse_numbers(text, values);
    }
    if (count > 0) return couParam_SetNumbers(param, table, def, values, count, where, faults);
    char quoted[96];
    snprintf(quoted, sizeof quoted, "'%.80s'", text);
    add_range_fault(param, table, quoted, where, faults);
    return false;
}

size_t couParams_Size(const couParamTable *table)
{
    size_t size = 16;
    for (int i = 0; i < table->count; ++i) size = COU_MAX(size, table->params[i].offset + couParam_Size(&table->params[i]));
    return size;
}

bool couParams_SetByName(const couParamTable *table, void *def, const char *name, const char *text, const char *where,
                         couFaults *faults)
{
    const couParam *param = couParams_Find(table, name);
    if (param) return couParam_SetText(param, table->name, def, text, where, faults);
    char key[128], message[200];
    snprintf(key, sizeof key, "%s.%.60s", table->name, name);
    couFormatUnknown(message, sizeof message, "key", name, couParams_Suggest(table, name));
    couFaults_Add(faults, where, key, "%s", message);
    return false;
}
