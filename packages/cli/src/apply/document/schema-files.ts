import { open, stat } from 'node:fs/promises';
import { formatBytes } from '@weir/core';
import { cliLimits } from '../../limits.ts';
import type { DesiredCluster, DesiredSchema } from '../desired.ts';
import type { DocumentProblem } from './problem.ts';

/** Reads the files that schemas name, and returns the clusters with their texts. */
export async function withSchemaFiles(
  clusters: readonly DesiredCluster[],
): Promise<{ readonly clusters: readonly DesiredCluster[]; readonly problems: readonly DocumentProblem[] }> {
  const reader = new SchemaFiles();
  const problems: DocumentProblem[] = [];
  const read: DesiredCluster[] = [];
  for (const cluster of clusters) {
    const { schemaRegistry } = cluster;
    if (schemaRegistry?.subjects === undefined) {
      read.push(cluster);
      continue;
    }
    const subjects = [];
    for (const subject of schemaRegistry.subjects) {
      const schemas: DesiredSchema[] = [];
      for (const schema of subject.schemas) {
        const found = await reader.read(schema);
        if ('problem' in found) problems.push({ place: schema.place, message: found.problem });
        else schemas.push({ ...schema, text: found.text });
      }
      subjects.push({ ...subject, schemas });
    }
    read.push({ ...cluster, schemaRegistry: { ...schemaRegistry, subjects } });
  }
  return { clusters: read, problems };
}

/** Reads each file once, up to a limit for all of them together. */
class SchemaFiles {
  readonly #texts = new Map<string, string>();
  #bytes = 0;

  async read({
    subject,
    file,
    text,
  }: DesiredSchema): Promise<{ readonly text: string } | { readonly problem: string }> {
    const refuse = (rule: string) => ({ problem: `subject ${subject}: ${rule}` });
    const found = file === undefined ? { text } : await this.#file(file);
    if ('problem' in found) return refuse(found.problem);
    const name = file === undefined ? 'the text' : file.name;
    if (found.text.trim() === '') return refuse(`${name} is empty`);
    if (found.text.length > cliLimits.applySchemaBytesMax)
      return refuse(`${name} is larger than ${formatBytes(cliLimits.applySchemaBytesMax)}`);
    return found;
  }

  async #file({ name, path }: NonNullable<DesiredSchema['file']>) {
    const known = this.#texts.get(path);
    if (known !== undefined) return { text: known };
    const bytes = await readStart(path, cliLimits.applySchemaBytesMax + 1).catch((error: unknown) => error);
    if (!Buffer.isBuffer(bytes)) return { problem: `failed to read ${name}: ${(bytes as Error).message}` };
    this.#bytes += bytes.length;
    if (this.#bytes > cliLimits.applySchemaFilesBytesMax)
      return {
        problem: `${name}: all files together are larger than ${formatBytes(cliLimits.applySchemaFilesBytesMax)}`,
      };
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
      this.#texts.set(path, text);
      return { text };
    } catch {
      return { problem: `${name} is not UTF-8` };
    }
  }
}

/** The first bytes of a regular file. Reading a pipe or a device might never end. */
async function readStart(path: string, bytesMax: number): Promise<Buffer> {
  if (!(await stat(path)).isFile()) throw new Error('not a regular file');
  const file = await open(path);
  try {
    const buffer = Buffer.alloc(bytesMax);
    let length = 0;
    while (length < bytesMax) {
      const { bytesRead } = await file.read(buffer, length, bytesMax - length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return buffer.subarray(0, length);
  } finally {
    await file.close();
  }
}
