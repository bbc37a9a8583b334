import type { Handler } from '../handler.ts';
import { printResult } from '../results/results.ts';
import { withRegistry } from './schemas/open-registry.ts';

/** Deletes a subject, or one version of it, and prints the versions. */
export const deleteSchemaTool: Handler<'cli delete-schema'> = async (values, deps) => {
  const { permanent, 'schema-version': version } = values;
  const subject = values.subject!;
  const versions = await withRegistry(values, deps, async (registry, stop) =>
    version === undefined
      ? await registry.deleteSubject(subject, { permanent, stop })
      : [await registry.deleteVersion(subject, version, { permanent, stop })],
  );
  const words = versions.length === 1 ? 'version' : 'versions';
  return printResult(values, deps, {
    json: { subject, versions, permanent },
    text: () => `deleted ${words} ${versions.join(', ')} of ${subject}${permanent ? ' permanently' : ''}\n`,
  });
};
