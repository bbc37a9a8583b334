import * as s from '../shapes/shape.ts';
import { jsonTask } from './json-task.ts';

/** The kind of job that copies schemas of the registry of a cluster to another one. */
export const schemaExportKind = 'schema_export';

/** Which exporter a job runs. What it does, with its secrets, is in the registry. */
const exporterTask = s.struct({
  name: s.text,
  /** Counts what users did to the exporter: a job of an earlier generation has nothing more to do. */
  generation: s.whole,
  /** The values of the secrets that its config refers to. */
  secrets: s.optional(s.texts),
  /** The values of its sealed secrets, by their sealed texts. */
  opened: s.optional(s.texts),
});
type ExporterTask = s.TypeOf<typeof exporterTask>;

export const { write: writeExporterTask, read: readExporterTask } = jsonTask<ExporterTask>(exporterTask);

/**
 * The scope of the jobs of an exporter: after a user changed it or a secret of it, the next one does not wait for a
 * pause to end.
 */
export function exporterScope({
  name,
  generation,
  secretsDigest,
}: Pick<ExporterTask, 'name' | 'generation'> & { readonly secretsDigest?: string | undefined }): string {
  return secretsDigest === undefined ? `${name} ${generation}` : `${name} ${generation} ${secretsDigest}`;
}

/** Keys of entries of the registry that say what exporters do, and how far they are. */
export const exporterKeys = { definitions: 'exporter/', statuses: 'exporter-status/' } as const;

/** Whether a change of an entry of the registry concerns exporters: all but those that they make themselves. */
export function isExportedKey(key: string): boolean {
  return !key.startsWith(exporterKeys.definitions) && !key.startsWith(exporterKeys.statuses);
}
