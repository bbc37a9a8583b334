import type { FlagName } from './catalogue.ts';
import type { Setting } from './settings.ts';

/** One warning per setting that was made by an earlier name. */
export function deprecationWarnings(settings: ReadonlyMap<FlagName, Setting>): readonly string[] {
  const warnings: string[] = [];
  for (const { row, spelling } of settings.values()) {
    if (row.deprecatedNames?.includes(spelling) !== true) continue;
    warnings.push(`${spelling} is the former name of ${spelling.startsWith('-') ? `-${row.name}` : row.env}`);
  }
  return warnings;
}
