// Builds the page into one file that needs nothing else: report/formats/page.html, which norn has in it and writes its
// findings into (report/formats/html.cc). The file is committed; tools/build-page makes it.
import { defineConfig, type Plugin } from 'vite';

// Puts the script and the style into the page, in place of the links to them.
function oneFile(): Plugin {
  return {
    name: 'one-file',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const page = bundle['index.html'];
      if (page === undefined || page.type !== 'asset') throw new Error('no index.html was built');
      let html = String(page.source);
      for (const [name, part] of Object.entries(bundle)) {
        if (part.type === 'chunk') {
          const code = part.code.trim().replaceAll('</script', '<\\/script');
          html = html.replace(new RegExp(`<script[^>]*${name}[^>]*></script>`), '');
          html = html.replace('</body>', () => `<script type="module">${code}</script>\n</body>`);
        } else if (name.endsWith('.css')) {
          html = html.replace(new RegExp(`<link[^>]*${name}[^>]*>`), () => `<style>${String(part.source).trim()}</style>`);
        } else {
          continue;
        }
        delete bundle[name];
      }
      page.source = html;
    },
  };
}

export default defineConfig({
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
  build: {
    target: 'es2020',
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    modulePreload: false,
    emptyOutDir: true,
    rollupOptions: { output: { inlineDynamicImports: true, entryFileNames: 'page.js', assetFileNames: 'page[extname]' } },
  },
  plugins: [oneFile()],
});
