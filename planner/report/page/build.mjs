// Bundles the page into one HTML text with a place for the data: dist/page.html, which is kept in the tree so that a
// build needs neither npm nor a network. scripts/build_page calls it; its head holds the hash of what it was made from.
//   node build.mjs OUTPUT.html
import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import path from 'node:path';

const here = path.dirname(fileURLToPath(import.meta.url));
const read = (name) => readFile(path.join(here, name), 'utf8');
const sha256 = (text) => createHash('sha256').update(text).digest('hex');

// Of every source's name and hash, as check_bundle.cmake computes it.
async function hash_of_sources() {
  const names = ['build.mjs', 'package-lock.json', 'package.json',
                 ...(await readdir(path.join(here, 'src'))).map((name) => `src/${name}`)].sort();
  const lines = await Promise.all(names.map(async (name) => `${name} ${sha256(await read(name))}\n`));
  return sha256(lines.join(''));
}

const bundle = await build({
  entryPoints: [path.join(here, 'src/main.js')],
  bundle: true, minify: true, write: false, format: 'iife', target: 'es2020', legalComments: 'inline', charset: 'utf8',
});
const script = bundle.outputFiles[0].text.replaceAll('</script', '<\\/script');
const [style, template, sources] = [await read('src/style.css'), await read('src/page.html'), await hash_of_sources()];
const page = template.replace('/*SOURCES*/', sources).replace('/*STYLE*/', () => style).replace('/*SCRIPT*/', () => script);
await writeFile(process.argv[2], page);
