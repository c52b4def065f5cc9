// One page, one script, one style sheet, with fixed names: cmake/embed.cmake puts web/dist into the program.
import { defineConfig } from "vite";

export default defineConfig({
    base: "./",
    build: {
        outDir: "dist",
        assetsInlineLimit: 0,
        modulePreload: false,
        rollupOptions: {
            output: { entryFileNames: "viewer.js", chunkFileNames: "[name].js", assetFileNames: "viewer[extname]" },
        },
    },
});
