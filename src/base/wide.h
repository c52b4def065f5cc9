/// Eight floats at a time. Hot loops (*_wide.c) are written once against this header and compiled four times: for x86-64-v4, for
/// x86-64-v3, for the baseline (the compiler splits the vectors), and scalar, which is the tested reference. In all four the type
/// is the compiler's vector, so that formulas are written with operators (`w * (far + near * w)`, `r2 < 1.0f`) and a float among
/// them stands for eight of it. What has no operator is a function here: the scalar build goes lane by lane, the others use what
/// the processor has. Every operation is exactly rounded and sums go in one fixed order, so all four give the same bits.
///
/// `-a` turns the sign of zero too; where 0 must stay 0, write `0.0f - a`.
#pragma once

#include "base/base.h"

#if !COU_WIDE_SCALAR && defined(__SSE2__)
#include <immintrin.h>
#endif

#define COU_WIDTH 8

/// For loops that are written once and wanted several times, each with some arguments known: the compiler alone shares them.
#define COU_SPECIALIZED static inline __attribute__((always_inline))

#ifndef COU_WIDE_SUFFIX
#define COU_WIDE_SUFFIX scalar
#endif
#define COU_JOIN2(a, b) a##_##b
#define COU_JOIN(a, b) COU_JOIN2(a, b)
/// The name of this variant of a function: COU_WIDE(couRelaxCells) is couRelaxCells_v3 and so on.
#define COU_WIDE(name) COU_JOIN(name, COU_WIDE_SUFFIX)

typedef float couFloatW __attribute__((vector_size(32)));
/// What a comparison gives: -1 where it is true, else 0.
typedef int32_t couMaskW __attribute__((vector_size(32)));
/// Eight vectors.
typedef struct couVec3W {
    couFloatW x, y, z;
} couVec3W;

static inline couFloatW couSetW(float a) { return (couFloatW){a, a, a, a, a, a, a, a}; }
/// From anywhere: not aligned, and of any type of four bytes.
static inline couFloatW couLoadW(const float *p)
{
    couFloatW a;
    memcpy(&a, p, sizeof a);
    return a;
}
static inline void couStoreW(float *p, couFloatW a) { memcpy(p, &a, sizeof a); }

// --- Lanes and records -------------------------------------------------------------------------------------------------------

#if COU_WIDE_SCALAR

/// a where the mask is true, else b.
static inline couFloatW couSelectW(couMaskW m, couFloatW a, couFloatW b)
{
    for (int k = 0; k < COU_WIDTH; ++k) a[k] = m[k] ? a[k] : b[k];
    return a;
}
/// Sum of the lanes in the order ((0+4)+(2+6)) + ((1+5)+(3+7)).
static inline float couSumW(couFloatW a) { return ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7])); }
/// Eight records (x, y, z, w) from anywhere.
static inline couVec3W couLoadRecordsW(const couVec4 *base, const uint32_t *index, couFloatW *w)
{
    couVec3W a;
    for (int k = 0; k < COU_WIDTH; ++k) {
        couVec4 record = base[index[k]];
        a.x[k] = record.x, a.y[k] = record.y, a.z[k] = record.z, (*w)[k] = record.w;
    }
    return a;
}
/// Eight records (x, y, z, w), stored one after the other.
static inline void couStoreRecordsW(couVec4 *records, couVec3W a, couFloatW w)
{
    for (int k = 0; k < COU_WIDTH; ++k) records[k] = (couVec4){a.x[k], a.y[k], a.z[k], w[k]};
}
/// Record a += b.
static inline void couAddRecord(couVec4 *a, const couVec4 *b)
{
    *a = (couVec4){a->x + b->x, a->y + b->y, a->z + b->z, a->w + b->w};
}
/// Appends the indices whose bit is set, in order; may write up to COU_WIDTH entries. Returns how many count.
static inline int couCompressW(uint32_t *out, const uint32_t *index, unsigned bits)
{
    int count = 0;
    for (int k = 0; k < COU_WIDTH; ++k)
        if (bits >> k & 1) out[count++] = index[k];
    return count;
}

#else

typedef float couFloat4 __attribute__((vector_size(16)));
#define COU_LOW(a) __builtin_shufflevector(a, a, 0, 1, 2, 3)
#define COU_HIGH(a) __builtin_shufflevector(a, a, 4, 5, 6, 7)
#define COU_BOTH(lo, hi) __builtin_shufflevector(lo, hi, 0, 1, 2, 3, 4, 5, 6, 7)

static inline couFloatW couSelectW(couMaskW m, couFloatW a, couFloatW b)
{
    return (couFloatW)((m & (couMaskW)a) | (~m & (couMaskW)b));
}

static inline float couSumW(couFloatW a)
{
    couFloat4 b = COU_LOW(a) + COU_HIGH(a);
    return (b[0] + b[2]) + (b[1] + b[3]);
}

static inline couFloat4 couLoad4(const couVec4 *p)
{
    couFloat4 a;
    memcpy(&a, p, sizeof a);
    return a;
}

// 128-bit loads and shuffles: hardware gathers took twice as long when we measured them.
static inline couVec3W couLoadRecordsW(const couVec4 *base, const uint32_t *index, couFloatW *w)
{
    couFloatW a04 = COU_BOTH(couLoad4(base + index[0]), couLoad4(base + index[4]));
    couFloatW a15 = COU_BOTH(couLoad4(base + index[1]), couLoad4(base + index[5]));
    couFloatW a26 = COU_BOTH(couLoad4(base + index[2]), couLoad4(base + index[6]));
    couFloatW a37 = COU_BOTH(couLoad4(base + index[3]), couLoad4(base + index[7]));
    couFloatW xy01 = __builtin_shufflevector(a04, a15, 0, 8, 1, 9, 4, 12, 5, 13);
    couFloatW zw01 = __builtin_shufflevector(a04, a15, 2, 10, 3, 11, 6, 14, 7, 15);
    couFloatW xy23 = __builtin_shufflevector(a26, a37, 0, 8, 1, 9, 4, 12, 5, 13);
    couFloatW zw23 = __builtin_shufflevector(a26, a37, 2, 10, 3, 11, 6, 14, 7, 15);
    *w = __builtin_shufflevector(zw01, zw23, 2, 3, 10, 11, 6, 7, 14, 15);
    return (couVec3W){__builtin_shufflevector(xy01, xy23, 0, 1, 8, 9, 4, 5, 12, 13),
                      __builtin_shufflevector(xy01, xy23, 2, 3, 10, 11, 6, 7, 14, 15),
                      __builtin_shufflevector(zw01, zw23, 0, 1, 8, 9, 4, 5, 12, 13)};
}

static inline void couStoreRecordsW(couVec4 *records, couVec3W a, couFloatW w)
{
    couFloatW xy01 = __builtin_shufflevector(a.x, a.y, 0, 8, 1, 9, 4, 12, 5, 13);   // x0 y0 x1 y1 | x4 y4 x5 y5
    couFloatW xy23 = __builtin_shufflevector(a.x, a.y, 2, 10, 3, 11, 6, 14, 7, 15); // x2 y2 x3 y3 | x6 y6 x7 y7
    couFloatW zw01 = __builtin_shufflevector(a.z, w, 0, 8, 1, 9, 4, 12, 5, 13);
    couFloatW zw23 = __builtin_shufflevector(a.z, w, 2, 10, 3, 11, 6, 14, 7, 15);
    couFloatW r04 = __builtin_shufflevector(xy01, zw01, 0, 1, 8, 9, 4, 5, 12, 13);
    couFloatW r15 = __builtin_shufflevector(xy01, zw01, 2, 3, 10, 11, 6, 7, 14, 15);
    couFloatW r26 = __builtin_shufflevector(xy23, zw23, 0, 1, 8, 9, 4, 5, 12, 13);
    couFloatW r37 = __builtin_shufflevector(xy23, zw23, 2, 3, 10, 11, 6, 7, 14, 15);
    couFloat4 rows[8] = {COU_LOW(r04),  COU_LOW(r15),  COU_LOW(r26),  COU_LOW(r37),
                         COU_HIGH(r04), COU_HIGH(r15), COU_HIGH(r26), COU_HIGH(r37)};
    memcpy(records, rows, sizeof rows);
}

static inline void couAddRecord(couVec4 *a, const couVec4 *b)
{
    couFloat4 sum = couLoad4(a) + couLoad4(b);
    memcpy(a, &sum, sizeof sum);
}

#if defined(__AVX512VL__)
// Into a register: compressing into memory is microcode on Zen 4.
static inline int couCompressW(uint32_t *out, const uint32_t *index, unsigned bits)
{
    __m256i values = _mm256_loadu_si256((const __m256i *)index);
    _mm256_storeu_si256((__m256i *)out, _mm256_maskz_compress_epi32((__mmask8)bits, values));
    return __builtin_popcount(bits);
}
#elif defined(__AVX2__)
/// Row b: the positions of the set bits of b, as bytes.
extern const uint64_t couCompressTable[256];
static inline int couCompressW(uint32_t *out, const uint32_t *index, unsigned bits)
{
    __m256i lanes = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)couCompressTable[bits]));
    __m256i values = _mm256_loadu_si256((const __m256i *)index);
    _mm256_storeu_si256((__m256i *)out, _mm256_permutevar8x32_epi32(values, lanes));
    return __builtin_popcount(bits);
}
#else
static inline int couCompressW(uint32_t *out, const uint32_t *index, unsigned bits)
{
    int count = 0;
    for (; bits; bits &= bits - 1) out[count++] = index[__builtin_ctz(bits)];
    return count;
}
#endif

#endif

// --- What the processor has instructions for ---------------------------------------------------------------------------------

#if COU_WIDE_SCALAR || !defined(__SSE2__)

static inline couFloatW couSqrtW(couFloatW a)
{
    for (int k = 0; k < COU_WIDTH; ++k) a[k] = sqrtf(a[k]);
    return a;
}
/// b where the two do not compare.
static inline couFloatW couMinW(couFloatW a, couFloatW b)
{
    for (int k = 0; k < COU_WIDTH; ++k) a[k] = a[k] < b[k] ? a[k] : b[k];
    return a;
}
static inline couFloatW couMaxW(couFloatW a, couFloatW b)
{
    for (int k = 0; k < COU_WIDTH; ++k) a[k] = a[k] > b[k] ? a[k] : b[k];
    return a;
}
/// Bit k is set where lane k is true.
static inline unsigned couBitsW(couMaskW m)
{
    unsigned bits = 0;
    for (int k = 0; k < COU_WIDTH; ++k) bits |= (m[k] ? 1u : 0u) << k;
    return bits;
}
static inline couFloatW couLoadShortsW(const int16_t *p)
{
    couFloatW a;
    for (int k = 0; k < COU_WIDTH; ++k) a[k] = (float)p[k];
    return a;
}
/// Whole numbers from -32768 to 32767.
static inline void couStoreShortsW(int16_t *p, couFloatW a)
{
    for (int k = 0; k < COU_WIDTH; ++k) p[k] = (int16_t)a[k];
}

#elif defined(__AVX2__)

static inline couFloatW couSqrtW(couFloatW a) { return (couFloatW)_mm256_sqrt_ps((__m256)a); }
static inline couFloatW couMinW(couFloatW a, couFloatW b) { return (couFloatW)_mm256_min_ps((__m256)a, (__m256)b); }
static inline couFloatW couMaxW(couFloatW a, couFloatW b) { return (couFloatW)_mm256_max_ps((__m256)a, (__m256)b); }
static inline unsigned couBitsW(couMaskW m) { return (unsigned)_mm256_movemask_ps((__m256)m); }
static inline couFloatW couLoadShortsW(const int16_t *p)
{
    return (couFloatW)_mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)p)));
}
static inline void couStoreShortsW(int16_t *p, couFloatW a)
{
    __m256i n = _mm256_cvtps_epi32((__m256)a);
    _mm_storeu_si128((__m128i *)p, _mm_packs_epi32(_mm256_castsi256_si128(n), _mm256_extracti128_si256(n, 1)));
}

#else

#define COU_HALVES(function, a, b) \
    COU_BOTH((couFloat4)function((__m128)COU_LOW(a), (__m128)COU_LOW(b)), \
             (couFloat4)function((__m128)COU_HIGH(a), (__m128)COU_HIGH(b)))
static inline couFloatW couSqrtW(couFloatW a)
{
    return COU_BOTH((couFloat4)_mm_sqrt_ps((__m128)COU_LOW(a)), (couFloat4)_mm_sqrt_ps((__m128)COU_HIGH(a)));
}
static inline couFloatW couMinW(couFloatW a, couFloatW b) { return COU_HALVES(_mm_min_ps, a, b); }
static inline couFloatW couMaxW(couFloatW a, couFloatW b) { return COU_HALVES(_mm_max_ps, a, b); }
static inline unsigned couBitsW(couMaskW m)
{
    couFloatW f = (couFloatW)m;
    return (unsigned)_mm_movemask_ps((__m128)COU_LOW(f)) | (unsigned)_mm_movemask_ps((__m128)COU_HIGH(f)) << 4;
}
static inline couFloatW couLoadShortsW(const int16_t *p)
{
    __m128i n = _mm_loadu_si128((const __m128i *)p);
    __m128i low = _mm_srai_epi32(_mm_unpacklo_epi16(n, n), 16), high = _mm_srai_epi32(_mm_unpackhi_epi16(n, n), 16);
    return COU_BOTH((couFloat4)_mm_cvtepi32_ps(low), (couFloat4)_mm_cvtepi32_ps(high));
}
static inline void couStoreShortsW(int16_t *p, couFloatW a)
{
    __m128i low = _mm_cvtps_epi32((__m128)COU_LOW(a)), high = _mm_cvtps_epi32((__m128)COU_HIGH(a));
    _mm_storeu_si128((__m128i *)p, _mm_packs_epi32(low, high));
}

#endif

// A float in the last places of these stands for eight of it, as with operators: couMaxW(1.0f - q, 0.0f).
static inline couFloatW couSameW(couFloatW a) { return a; }
#define COU_WIDEN(a) _Generic((a), float : couSetW, couFloatW : couSameW)(a)
#define couMinW(a, b) couMinW(a, COU_WIDEN(b))
#define couMaxW(a, b) couMaxW(a, COU_WIDEN(b))
#define couSelectW(m, a, b) couSelectW(m, COU_WIDEN(a), COU_WIDEN(b))

// --- The same for every build ------------------------------------------------------------------------------------------------

/// One float of each of eight rows. Scalar loads: hardware gathers are slower.
static inline couFloatW couLoadEachW(const float *base, const uint32_t *index)
{
    float values[COU_WIDTH] = {base[index[0]], base[index[1]], base[index[2]], base[index[3]],
                               base[index[4]], base[index[5]], base[index[6]], base[index[7]]};
    return couLoadW(values);
}
/// To the nearest whole number, halves to even; |a| < 2^22.
static inline couFloatW couRoundW(couFloatW a)
{
    const float magic = 12582912.0f;
    return (a + magic) - magic;
}

static inline couVec3W couSet3W(couVec3 a) { return (couVec3W){couSetW(a.x), couSetW(a.y), couSetW(a.z)}; }
static inline couVec3W couLoad3W(const float columns[3][COU_WIDTH])
{
    return (couVec3W){couLoadW(columns[0]), couLoadW(columns[1]), couLoadW(columns[2])};
}
static inline void couStore3W(float columns[3][COU_WIDTH], couVec3W a)
{
    couStoreW(columns[0], a.x), couStoreW(columns[1], a.y), couStoreW(columns[2], a.z);
}
/// Records whose fourth number is not needed.
static inline couVec3W couLoadVectorsW(const couVec4 *base, const uint32_t *index)
{
    couFloatW unused;
    return couLoadRecordsW(base, index, &unused);
}
static inline couVec3W couAddW(couVec3W a, couVec3W b) { return (couVec3W){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline couVec3W couSubW(couVec3W a, couVec3W b) { return (couVec3W){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline couVec3W couScaleW(couFloatW s, couVec3W a) { return (couVec3W){s * a.x, s * a.y, s * a.z}; }
/// a + s b
static inline couVec3W couMulAddW(couVec3W a, couFloatW s, couVec3W b)
{
    return (couVec3W){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static inline couFloatW couDotW(couVec3W a, couVec3W b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline couVec3 couSum3W(couVec3W a) { return (couVec3){couSumW(a.x), couSumW(a.y), couSumW(a.z)}; }

// --- Sixteen at a time -------------------------------------------------------------------------------------------------------

/// For loops of a few operations whose results are bits, such as the search: with AVX-512 one register, else two or more.
typedef float couFloat16W __attribute__((vector_size(64)));
enum { COU_WIDTH16 = 16 };

static inline couFloat16W couLoad16W(const float *p)
{
    couFloat16W a;
    memcpy(&a, p, sizeof a);
    return a;
}

#if defined(__AVX512F__) && !COU_WIDE_SCALAR
/// Bit k is set where a < b in lane k.
static inline unsigned couLess16W(couFloat16W a, float b) { return _mm512_cmp_ps_mask((__m512)a, _mm512_set1_ps(b), _CMP_LT_OQ); }
/// As couCompressW.
static inline int couCompress16W(uint32_t *out, const uint32_t *index, unsigned bits)
{
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi32((__mmask16)bits, _mm512_loadu_si512(index)));
    return __builtin_popcount(bits);
}
#else
static inline unsigned couLess16W(couFloat16W a, float b)
{
    float lanes[COU_WIDTH16];
    memcpy(lanes, &a, sizeof a);
    return couBitsW(couLoadW(lanes) < b) | couBitsW(couLoadW(lanes + COU_WIDTH) < b) << COU_WIDTH;
}
static inline int couCompress16W(uint32_t *out, const uint32_t *index, unsigned bits)
{
    int count = couCompressW(out, index, bits & 0xff);
    return count + couCompressW(out + count, index + COU_WIDTH, bits >> COU_WIDTH);
}
#endif

// --- Instruction sets --------------------------------------------------------------------------------------------------------

/// The instruction sets that hot loops are built for, slowest first.
typedef enum couIsa { cou_isaScalar, cou_isaBase, cou_isaV3, cou_isaV4, cou_isaCount } couIsa;
/// The best one that this processor has; it has those before it too.
couIsa couBestIsa(void);
const char *couIsaName(couIsa isa);
#if COU_HAS_X86
#define COU_X86(name, suffix) name##_##suffix
#else
#define COU_X86(name, suffix) name##_base
#endif
/// The variants of a function, in the order of couIsa.
#define COU_VARIANTS(name) \
    { \
        name##_scalar, name##_base, COU_X86(name, v3), COU_X86(name, v4) \
    }
/// Declares the variants of `type name(...)`.
#define COU_DECLARE_WIDE(type, name, ...) \
    type name##_scalar(__VA_ARGS__); \
    type name##_base(__VA_ARGS__); \
    type name##_v3(__VA_ARGS__); \
    type name##_v4(__VA_ARGS__)
