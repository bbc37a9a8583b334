import { object, type Shape, text, whole } from '../shapes/shape.ts';

/** The kind of job that copies schemas of the registry of a cluster to another one. */
export const schemaExportKind = 'schema_export';

/** Which exporter a job runs. What it does, with its secrets, is in the registry. */
interface ExporterTask {
  readonly name: string;
  /** Counts what users did to the exporter: a job of an earlier generation has nothing more to do. */
  readonly generation: number;
}

const shape: Shape<ExporterTask> = object<ExporterTask>({ name: text, generation: whole });

export function writeExporterTask(task: ExporterTask): Uint8Array {
  return Buffer.from(JSON.stringify(task));
}

export function readExporterTask(task: Uint8Array): ExporterTask {
  const read = JSON.parse(Buffer.from(task).toString()) as ExporterTask;
  const problem = shape(read, 'task');
  if (problem !== undefined) throw new RangeError(problem);
  return read;
}

/** The scope of the jobs of an exporter: after a user changed it, the next one does not wait for a pause to end. */
export function exporterScope({ name, generation }: ExporterTask): string {
  return `${name} ${generation}`;
}

/** Keys of entries of the registry that say what exporters do, and how far they are. */
export const exporterKeys = { definitions: 'exporter/', statuses: 'exporter-status/' } as const;

/** Whether a change of an entry of the registry concerns exporters: all but those that they make themselves. */
export function isExportedKey(key: string): boolean {
  return !key.startsWith(exporterKeys.definitions) && !key.startsWith(exporterKeys.statuses);
}
