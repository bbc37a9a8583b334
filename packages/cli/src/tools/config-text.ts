import type { FlagValues } from '../flags/catalogue.ts';
import type { DescribedConfig } from '../kafka/configs.ts';
import { jsonLine } from './record-text.ts';
import { table } from './table.ts';

/** Configs as a table, or as JSON with all details. */
export function configsText(configs: readonly DescribedConfig[], form: FlagValues['output']): string {
  if (form === 'json') return jsonLine(configs);
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
