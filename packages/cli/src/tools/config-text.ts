import type { DescribedConfig } from '@weir/client';
import { table } from '../results/table.ts';

/** Configs as a table; JSON has all details. */
export function configsTable(configs: readonly DescribedConfig[]): string {
  return table(
    ['CONFIG', 'VALUE', 'SOURCE', 'CHANGEABLE'],
    configs.map(({ name, value, sensitive, source, readOnly }) => [
      name,
      sensitive ? '(secret)' : (value ?? '(none)'),
      source,
      readOnly ? 'no' : 'yes',
    ]),
  );
}
