// GLSL of the page. Colours are linear until the end; a particle's 8 bytes are its vertex.

const HEAD = "#version 300 es\nprecision highp float;\nprecision highp int;\n";

const LIGHT = `
uniform vec3 uSky, uGround;
vec3 shade(vec3 color, vec3 normal, vec3 toEye) {
    vec3 sun = normalize(vec3(0.45, 0.8, 0.4));
    float diffuse = max(dot(normal, sun), 0.0);
    vec3 ambient = mix(uGround, uSky, 0.5 + 0.5 * normal.y);
    float shine = max(dot(normal, normalize(sun + toEye)), 0.0);
    shine *= shine, shine *= shine, shine *= shine, shine *= shine, shine *= shine; // to the 32nd, without a logarithm
    return color * (ambient + 0.75 * diffuse) + 0.25 * shine;
}
vec3 display(vec3 linear) {
    // The display's curve by roots, to 0.003, which software GL draws faster than pow().
    vec3 x = clamp(linear, 0.0, 1.0), a = sqrt(x), b = sqrt(a), c = sqrt(b);
    return max(0.662002687 * a + 0.684122060 * b - 0.323583601 * c - 0.0225411470 * x, 0.0);
}
`;

// Turbo-like: blue, green, yellow, red, by a polynomial of Mikhailov's map (2019).
export const COLORMAP = `
vec3 colormap(float x) {
    vec4 v4 = vec4(1.0, x, x * x, x * x * x);
    vec2 v2 = v4.zw * v4.z;
    vec3 c = vec3(
        dot(v4, vec4(0.13572138, 4.61539260, -42.66032258, 132.13108234)) + dot(v2, vec2(-152.94239396, 59.28637943)),
        dot(v4, vec4(0.09140261, 2.19418839, 4.84296658, -14.18503333)) + dot(v2, vec2(4.27729857, 2.82956604)),
        dot(v4, vec4(0.10667330, 12.64194608, -60.58204836, 110.36276771)) + dot(v2, vec2(-89.90310912, 27.34824973)));
    return pow(clamp(c, 0.0, 1.0), vec3(2.2));
}
`;

/** The colours of the map above for a legend: display values. */
export function colormap(x: number): string {
    const v = [1, x, x * x, x ** 3, x ** 4, x ** 5];
    const rows = [
        [0.13572138, 4.6153926, -42.66032258, 132.13108234, -152.94239396, 59.28637943],
        [0.09140261, 2.19418839, 4.84296658, -14.18503333, 4.27729857, 2.82956604],
        [0.1066733, 12.64194608, -60.58204836, 110.36276771, -89.90310912, 27.34824973],
    ];
    const c = rows.map((row) =>
        Math.round(
            255 *
                Math.min(
                    1,
                    Math.max(
                        0,
                        row.reduce((sum, r, i) => sum + r * v[i], 0),
                    ),
                ),
        ),
    );
    return `rgb(${c.join(",")})`;
}

const PARTICLE =
    HEAD +
    `
layout(location = 0) in vec3 aPlace;    // 0 to 1 in the frame's bounds
layout(location = 1) in float aMaterial;
layout(location = 2) in float aValue;
uniform mat4 uView, uProjection;
uniform vec3 uLower, uSize;
uniform float uRadius, uPixels;         // [m]; pixels per metre at 1 m
uniform vec4 uMaterials[32];            // colour, opacity
uniform vec3 uAbsorption[32];
uniform int uColoring;
uniform bool uIsFlat;
out vec3 vColor;
out vec3 vEye;
out vec3 vAbsorption;
` +
    COLORMAP +
    `
void main() {
    vec4 eye = uView * vec4(uLower + aPlace * uSize, 1.0);
    gl_Position = uProjection * eye;
    float scale = uIsFlat ? 1.0 : 1.0 / max(-eye.z, 1e-6);
    gl_PointSize = clamp(2.0 * uRadius * uPixels * scale, 1.0, 256.0);
    int m = min(int(aMaterial + 0.5), 31);
    vColor = uMaterials[m].rgb;
    if (uColoring != 0) vColor = colormap(aValue);
    vAbsorption = uAbsorption[m];
    vEye = eye.xyz;
}
`;

// For renderers in software, which take their time over every pixel: the display's curve once a point, no highlight's roots.
const PLAIN_PARTICLE =
    HEAD +
    `
layout(location = 0) in vec3 aPlace;
layout(location = 1) in float aMaterial;
layout(location = 2) in float aValue;
uniform mat4 uView, uProjection;
uniform vec3 uLower, uSize;
uniform float uRadius, uPixels;
uniform vec4 uMaterials[32];
uniform int uColoring;
uniform bool uIsFlat;
out vec3 vColor;
` +
    COLORMAP +
    LIGHT +
    `
void main() {
    vec4 eye = uView * vec4(uLower + aPlace * uSize, 1.0);
    gl_Position = uProjection * eye;
    gl_PointSize = clamp(2.0 * uRadius * uPixels * (uIsFlat ? 1.0 : 1.0 / max(-eye.z, 1e-6)), 1.0, 256.0);
    vec3 color = uMaterials[min(int(aMaterial + 0.5), 31)].rgb;
    if (uColoring != 0) color = colormap(aValue);
    vColor = display(color);
}
`;

export const SHADERS = {
    sphere: [
        PARTICLE,
        HEAD +
            `
in vec3 vColor;
uniform vec3 uSunEye, uHalfEye, uUpEye;
uniform bool uIsFlat;
out vec4 outColor;
` +
            LIGHT +
            `
void main() {
    vec2 p = vec2(2.0 * gl_PointCoord.x - 1.0, 1.0 - 2.0 * gl_PointCoord.y);
    float r2 = dot(p, p);
    if (r2 > 1.0) discard;
    if (uIsFlat) {
        outColor = vec4(display(vColor * (1.15 - 0.45 * r2)), 1.0);
        return;
    }
    // As shade(), in the frame of the eye, where a sprite's normal is at hand and the light's directions are known.
    vec3 normal = vec3(p, sqrt(1.0 - r2));
    float diffuse = max(dot(normal, uSunEye), 0.0), shine = max(dot(normal, uHalfEye), 0.0);
    shine *= shine, shine *= shine, shine *= shine, shine *= shine, shine *= shine;
    vec3 ambient = mix(uGround, uSky, 0.5 + 0.5 * dot(normal, uUpEye));
    outColor = vec4(display(vColor * (ambient + 0.75 * diffuse) + 0.25 * shine), 1.0);
}
`,
    ],
    // display(color * light) is near display(color) * sqrt(light).
    plainSphere: [
        PLAIN_PARTICLE,
        HEAD +
            `
in vec3 vColor;
uniform vec3 uLight; // of the sun, across the picture and towards the eye; what is there without it
uniform float uAmbient;
uniform bool uIsFlat;
out vec4 outColor;
void main() {
    vec2 p = vec2(2.0 * gl_PointCoord.x - 1.0, 1.0 - 2.0 * gl_PointCoord.y);
    float r2 = dot(p, p);
    if (r2 > 1.0) discard;
    float light = uIsFlat ? 1.15 - 0.45 * r2 : uAmbient + max(dot(p, uLight.xy) + sqrt(1.0 - r2) * uLight.z, 0.0);
    outColor = vec4(vColor * sqrt(light), 1.0);
}
`,
    ],
    depth: [
        PARTICLE,
        HEAD +
            `
in vec3 vEye;
uniform mat4 uProjection;
uniform float uRadius;
out vec4 outColor;
void main() {
    vec2 p = 2.0 * gl_PointCoord - 1.0;
    float r2 = dot(p, p);
    if (r2 > 1.0) discard;
    float z = vEye.z + uRadius * sqrt(1.0 - r2);
    vec4 clip = uProjection * vec4(vEye.xy, z, 1.0);
    gl_FragDepth = 0.5 + 0.5 * clip.z / clip.w;
    outColor = vec4(-z, 0.0, 0.0, 1.0);
}
`,
    ],
    thickness: [
        PARTICLE,
        HEAD +
            `
in vec3 vAbsorption;
in vec3 vEye;
uniform float uVolume; // of a particle over half of the disc's area [m]
uniform sampler2D uSolidDepth;
uniform mat4 uProjection;
out vec4 outColor;
void main() {
    vec2 p = 2.0 * gl_PointCoord - 1.0;
    float r2 = dot(p, p);
    if (r2 > 1.0) discard;
    vec4 clip = uProjection * vec4(vEye, 1.0);
    if (0.5 + 0.5 * clip.z / clip.w > texelFetch(uSolidDepth, ivec2(gl_FragCoord.xy), 0).r) discard; // behind a body
    float t = uVolume * (1.0 - r2); // the particle's volume, spread so that neighbours blend
    outColor = vec4(vAbsorption * t, t);
}
`,
    ],
    quad:
        HEAD +
        `
out vec2 vPlace;
void main() {
    vPlace = vec2(gl_VertexID == 1 ? 2.0 : 0.0, gl_VertexID == 2 ? 2.0 : 0.0);
    gl_Position = vec4(2.0 * vPlace - 1.0, 0.0, 1.0);
}
`,
    // Bilateral along one axis: depths of one surface are smoothed, edges between two stay.
    smooth:
        HEAD +
        `
uniform sampler2D uDepth;
uniform vec2 uStep;
uniform float uReach, uRange; // [px]; [m]
in vec2 vPlace;
out vec4 outColor;
void main() {
    ivec2 here = ivec2(gl_FragCoord.xy);
    float z = texelFetch(uDepth, here, 0).r;
    if (z <= 0.0) { outColor = vec4(0.0); return; }
    int reach = int(clamp(uReach / z, 2.0, 16.0));
    float sum = 0.0, weight = 0.0;
    for (int i = -reach; i <= reach; ++i) {
        float other = texelFetch(uDepth, here + i * ivec2(uStep), 0).r;
        if (other <= 0.0) continue;
        float s = float(i) / float(reach), d = (other - z) / uRange, w = exp(-3.0 * s * s - d * d);
        sum += w * other;
        weight += w;
    }
    outColor = vec4(sum / max(weight, 1e-6), 0.0, 0.0, 1.0);
}
`,
    compose:
        HEAD +
        `
uniform sampler2D uDepth, uThickness, uScene, uSolidDepth;
uniform vec2 uSpread;          // eye-space x and y at depth 1 on the edge of the picture
uniform mat4 uView, uProjection;
uniform float uIndex;
uniform vec4 uOpaque;          // colour and share of matter that lets no light through
in vec2 vPlace;
out vec4 outColor;
` +
        LIGHT +
        `
vec3 eyeAt(ivec2 at, vec2 size) {
    float z = texelFetch(uDepth, at, 0).r;
    return vec3((2.0 * (vec2(at) + 0.5) / size - 1.0) * uSpread * z, -z);
}
vec3 linear(vec3 c) { return pow(c, vec3(2.2)); }
void main() {
    ivec2 here = ivec2(gl_FragCoord.xy);
    vec2 size = vec2(textureSize(uDepth, 0));
    vec3 behind = texelFetch(uScene, here, 0).rgb;
    float z = texelFetch(uDepth, here, 0).r;
    vec4 clip = uProjection * vec4(0.0, 0.0, -z, 1.0);
    bool isHidden = 0.5 + 0.5 * clip.z / clip.w > texelFetch(uSolidDepth, here, 0).r;
    if (z <= 0.0 || isHidden) { outColor = vec4(behind, 1.0); return; }
    vec3 p = eyeAt(here, size);
    vec3 px = eyeAt(here + ivec2(1, 0), size) - p, mx = p - eyeAt(here - ivec2(1, 0), size);
    vec3 py = eyeAt(here + ivec2(0, 1), size) - p, my = p - eyeAt(here - ivec2(0, 1), size);
    vec3 dx = abs(px.z) < abs(mx.z) ? px : mx, dy = abs(py.z) < abs(my.z) ? py : my;
    vec3 normal = normalize(cross(dx, dy));
    vec3 toEye = normalize(-p);
    vec4 thick = texelFetch(uThickness, here, 0);
    float fresnel = 0.02 + 0.98 * pow(1.0 - max(dot(normal, toEye), 0.0), 5.0);
    vec2 bend = normal.xy * (uIndex - 1.0) * min(thick.a / z, 0.3);
    vec3 through = linear(texture(uScene, (gl_FragCoord.xy) / size - bend).rgb) * exp(-thick.rgb);
    mat3 toWorld = transpose(mat3(uView));
    vec3 worldNormal = toWorld * normal, worldEye = toWorld * toEye;
    through = mix(through, shade(uOpaque.rgb, worldNormal, worldEye), uOpaque.a);
    vec3 mirror = reflect(-worldEye, worldNormal);
    vec3 sky = mix(uGround, uSky, 0.5 + 0.5 * mirror.y) * 1.6;
    vec3 sun = normalize(vec3(0.45, 0.8, 0.4));
    float shine = pow(max(dot(mirror, sun), 0.0), 120.0);
    outColor = vec4(display(mix(through, sky, fresnel) + 0.8 * shine), 1.0);
}
`,
    copy:
        HEAD +
        `
uniform sampler2D uScene;
in vec2 vPlace;
out vec4 outColor;
void main() { outColor = texelFetch(uScene, ivec2(gl_FragCoord.xy), 0); }
`,
    mesh: [
        HEAD +
            `
layout(location = 0) in vec3 aPlace;
layout(location = 1) in vec3 aNormal;
layout(location = 2) in vec3 aTint; // of solids; white for bodies
uniform mat4 uModel, uView, uProjection;
out vec3 vNormal, vWorld, vTint;
void main() {
    vec4 world = uModel * vec4(aPlace, 1.0);
    vTint = aTint;
    vNormal = mat3(uModel) * aNormal;
    vWorld = world.xyz;
    gl_Position = uProjection * uView * world;
}
`,
        HEAD +
            `
in vec3 vNormal, vWorld, vTint;
uniform vec4 uColor;
uniform vec3 uEye, uMiddle;
uniform float uGrid, uFade; // cell of the grid on endless planes [m], where it ends; 0: none
out vec4 outColor;
` +
            LIGHT +
            `
void main() {
    vec3 normal = normalize(vNormal), toEye = normalize(uEye - vWorld);
    if (dot(normal, toEye) < 0.0) normal = -normal;
    vec3 color = uColor.rgb * vTint;
    float alpha = uColor.a;
    if (uGrid > 0.0) {
        vec3 q = vWorld / uGrid, width = fwidth(q) + 1e-6;
        vec3 line = abs(fract(q - 0.5) - 0.5) / width;
        vec3 flatness = step(0.5, abs(normal));
        float nearest = min(line.x + 9.0 * flatness.x, min(line.y + 9.0 * flatness.y, line.z + 9.0 * flatness.z));
        color *= 1.0 - 0.18 * (1.0 - min(nearest, 1.0));
        alpha *= 1.0 - smoothstep(0.4 * uFade, uFade, distance(vWorld, uMiddle));
    }
    outColor = vec4(display(shade(color, normal, toEye)), alpha);
}
`,
    ],
    // Lit at the corners.
    plainMesh: [
        HEAD +
            `
layout(location = 0) in vec3 aPlace;
layout(location = 1) in vec3 aNormal;
layout(location = 2) in vec3 aTint;
uniform mat4 uModel, uView, uProjection;
uniform vec4 uColor;
uniform vec3 uEye;
out vec3 vColor;
out vec3 vWorld;
` +
            LIGHT +
            `
void main() {
    vec4 world = uModel * vec4(aPlace, 1.0);
    vec3 normal = mat3(uModel) * aNormal, toEye = normalize(uEye - world.xyz);
    vWorld = world.xyz;
    vColor = display(shade(uColor.rgb * aTint, dot(normal, toEye) < 0.0 ? -normal : normal, toEye));
    gl_Position = uProjection * uView * world;
}
`,
        HEAD +
            `
in vec3 vColor;
in vec3 vWorld;
uniform vec4 uColor;
uniform vec3 uMiddle;
uniform float uGrid, uFade;
out vec4 outColor;
void main() {
    outColor = vec4(vColor, uColor.a);
    if (uGrid > 0.0) {
        vec3 away = vWorld - uMiddle;
        outColor.a *= clamp((uFade * uFade - dot(away, away)) / (0.84 * uFade * uFade), 0.0, 1.0);
    }
}
`,
    ],
    plain: [
        HEAD +
            `
layout(location = 0) in vec3 aPlace;
uniform mat4 uModel, uView, uProjection;
void main() { gl_Position = uProjection * uView * uModel * vec4(aPlace, 1.0); }
`,
        HEAD +
            `
uniform vec4 uColor;
out vec4 outColor;
` +
            LIGHT +
            `
void main() { outColor = vec4(display(uColor.rgb), uColor.a); }
`,
    ],
};
