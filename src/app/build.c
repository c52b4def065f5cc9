// What this program was built from and by, for run.json. The commit is looked up at each build (cmake/commit.cmake).
#include "app/app.h"
#include "app/commit.h"

const char *couBuildCommit(void) { return COU_COMMIT; }

const char *couBuildCompiler(void)
{
#if defined __clang__
    return "clang " __clang_version__ " (" COU_BUILD_TYPE ")";
#else
    return "gcc " __VERSION__ " (" COU_BUILD_TYPE ")";
#endif
}
