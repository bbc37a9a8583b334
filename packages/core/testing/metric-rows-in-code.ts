import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The names of the metric rows that the files of these places define. */
export function metricRowsInCode(folder: string, places: readonly string[]): readonly string[] {
  return places
    .flatMap((place) => globSync(place, { cwd: folder }))
    .filter((path) => !path.endsWith('.test.ts'))
    .flatMap((path) => {
      const text = readFileSync(join(folder, path), 'utf8');
      const rows = text.matchAll(/name: '(\w+)',\s+kind: '(?:counter|gauge|histogram)'/g);
      return Array.from(rows, ([, name]) => name!);
    });
}
