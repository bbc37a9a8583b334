import { shownText } from '../problem.ts';
import { type FlagName, type FlagValues, flagRow } from './catalogue.ts';

/** The values as lines `-flag=value` for the log of a starting process, in the order of the object, secrets hidden. */
export function describeValues(values: Partial<FlagValues>): readonly string[] {
  const lines: string[] = [];
  for (const [name, value] of Object.entries(values) as [FlagName, unknown][]) {
    if (value === undefined) continue;
    const row = flagRow(name);
    lines.push(`${row.hasFlag ? '-' : ''}${name}=${shownText(row, row.type.print(value))}`);
  }
  return lines;
}
