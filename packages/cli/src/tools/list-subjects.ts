import type { Handler } from '../handler.ts';
import { printResult } from '../results/results.ts';
import { table } from '../results/table.ts';
import { withRegistry } from './schemas/open-registry.ts';

/** Schemas that are asked for at once. Registries return no more than a thousand. */
const pageSchemas = 500;

interface Row {
  readonly subject: string;
  readonly type: string;
  readonly latestVersion: number;
  readonly latestId: number;
  readonly isDeleted: boolean;
}

/** Lists subjects with their last versions. */
export const listSubjectsTool: Handler<'cli list-subjects'> = async (values, deps) => {
  const rows = new Map<string, Row>();
  const deleted = values['include-deleted'];
  const prefix = values['subject-prefix'];
  await withRegistry(values, deps, async (registry, stop) => {
    for (let offset = 0; ; offset += pageSchemas) {
      const page = await registry.schemas({
        ...(prefix === undefined ? {} : { prefix }),
        // Of a deleted subject no version is the latest one.
        latestOnly: !deleted,
        deleted,
        offset,
        limit: pageSchemas,
        stop,
      });
      for (const { subject = '', version = 0, id = 0, schemaType, isDeleted = false } of page) {
        const known = rows.get(subject);
        if (known !== undefined && isAfter(known, { version, isDeleted })) continue;
        rows.set(subject, { subject, type: schemaType, latestVersion: version, latestId: id, isDeleted });
      }
      if (page.length < pageSchemas) break;
    }
  });
  const sorted = [...rows.values()].sort((a, b) => (a.subject < b.subject ? -1 : 1));
  return printResult(values, deps, {
    json: sorted,
    text: () =>
      table(
        ['SUBJECT', 'TYPE', 'VERSION', 'ID', ...(deleted ? ['DELETED'] : [])],
        sorted.map((row) => [
          row.subject,
          row.type,
          String(row.latestVersion),
          String(row.latestId),
          ...(deleted ? [row.isDeleted ? 'yes' : 'no'] : []),
        ]),
      ),
  });
};

/** A live version is shown rather than a deleted one, and of those the last. */
function isAfter(known: Row, { version, isDeleted }: { version: number; isDeleted: boolean }): boolean {
  return known.isDeleted === isDeleted ? known.latestVersion > version : isDeleted;
}
