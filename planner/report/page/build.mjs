// Bundles the page into one HTML text with a place for the data, and writes it as a C++ source.
//   node build.mjs OUTPUT.cpp
import { build } from 'esbuild';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import path from 'node:path';

const here = path.dirname(fileURLToPath(import.meta.url));
const bundle = await build({
  entryPoints: [path.join(here, 'src/main.js')],
  bundle: true, minify: true, write: false, format: 'iife', target: 'es2020', legalComments: 'inline', charset: 'utf8',
});
const script = bundle.outputFiles[0].text.replaceAll('</script', '<\\/script');
const style = await readFile(path.join(here, 'src/style.css'), 'utf8');
const template = await readFile(path.join(here, 'src/page.html'), 'utf8');
const page = template.replace('/*STYLE*/', () => style).replace('/*SCRIPT*/', () => script);

// A string literal may be limited in length; adjacent ones are one.
const literals = [];
for (let at = 0; at < page.length; at += 8000) literals.push(`R"~page~(${page.slice(at, at + 8000)})~page~"`);
await writeFile(process.argv[2], `#include "planner/report/html_page.h"

namespace tilewright {

const char* const kHtmlPage =
${literals.join('\n')};

}  // namespace tilewright
`);
