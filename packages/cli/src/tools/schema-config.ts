import type { RegistryClient } from '@weir/registry';
import type { CommandValues } from '../flags/catalogue.ts';
import type { Handler } from '../handler.ts';
import { printResult } from '../results/results.ts';
import { table } from '../results/table.ts';
import { withRegistry } from './schemas/open-registry.ts';

type Values = CommandValues<'cli schema-config'>;

/** Sets the compatibility level and the mode of a subject or of the whole registry, and prints what holds then. */
export const schemaConfigTool: Handler<'cli schema-config'> = async (values, deps) => {
  const { subject } = values;
  const rows = await withRegistry(values, deps, async (registry, stop) => {
    await change(registry, values, stop);
    const [level, ownLevel, mode, ownMode] = await Promise.all([
      registry.config(subject, { defaultToGlobal: true, stop }),
      subject === undefined ? undefined : registry.config(subject, { stop }),
      registry.mode(subject, { defaultToGlobal: true, stop }),
      subject === undefined ? undefined : registry.mode(subject, { stop }),
    ]);
    return {
      compatibility: level?.compatibilityLevel,
      isCompatibilityInherited: subject !== undefined && ownLevel?.compatibilityLevel === undefined,
      mode,
      isModeInherited: subject !== undefined && ownMode === undefined,
    };
  });
  const shown = (value: string | undefined, isInherited: boolean) =>
    `${value ?? '-'}${isInherited ? ' (inherited)' : ''}`;
  return printResult(values, deps, {
    json: { subject, ...rows },
    text: () =>
      table(
        ['SUBJECT', 'COMPATIBILITY', 'MODE'],
        [
          [
            subject ?? '(all)',
            shown(rows.compatibility, rows.isCompatibilityInherited),
            shown(rows.mode, rows.isModeInherited),
          ],
        ],
      ),
  });
};

async function change(registry: RegistryClient, values: Values, stop: AbortSignal): Promise<void> {
  const { subject, compatibility, 'schema-mode': mode, force } = values;
  if (compatibility === 'INHERITED') await registry.deleteConfig(subject, { stop });
  else if (compatibility !== undefined) await registry.putConfig({ compatibility }, subject, { stop });
  if (mode === 'INHERITED') await registry.deleteMode(subject, { stop });
  else if (mode !== undefined) await registry.putMode(mode, subject, { force, stop });
}
