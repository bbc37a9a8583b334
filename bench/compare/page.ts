import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chartsOf } from './charts.ts';
import { writeComparisons } from './comparisons.ts';
import { resultsText } from './report.ts';
import type { ResultsFile } from './results-file.ts';
import { svgOf } from './svg.ts';

const pageName = 'docs/reference/benchmarks.md';
const chartFolder = 'docs/reference/benchmarks';
const begin = '<!-- results: written by npm run bench:kafka -->';
const end = '<!-- end of results -->';

const newPage = `# Benchmarks beside Apache Kafka

\`npm run bench:kafka\` takes the results and writes this page between its two marks;
[bench/README.md](../../bench/README.md) says how it does that and how to read them. Rows whose names begin with
\`light\`, \`threads\` or \`store\` are loaded by a light client, all others by Apache's.

${begin}
${end}
`;

/** Puts the results between the marks and keeps the text around them, which says why a bar is missed. */
export function pageWith(before: string, results: ResultsFile): string {
  const [from, to] = [before.indexOf(begin), before.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`${pageName} has no marks ${begin} and ${end}`);
  const images = chartsOf(results).map(({ name, title }) => `![${title}](benchmarks/${name}.svg)\n`);
  const text = [begin, ...images, resultsText(results)].join('\n\n').replaceAll(/\n{3,}/g, '\n\n');
  return `${before.slice(0, from)}${text}\n${before.slice(to)}`;
}

/** Writes page and charts and what another page has of them, and returns the name of the page. */
export function writePage(root: string, results: ResultsFile): string {
  const path = join(root, pageName);
  // Charts of rows that are gone must not stay.
  rmSync(join(root, chartFolder), { recursive: true, force: true });
  mkdirSync(join(root, chartFolder), { recursive: true });
  for (const chart of chartsOf(results)) {
    writeFileSync(join(root, chartFolder, `${chart.name}.svg`), svgOf(chart));
  }
  writeFileSync(path, pageWith(existsSync(path) ? readFileSync(path, 'utf8') : newPage, results));
  writeComparisons(root, results);
  return pageName;
}
