import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the version of a module that go.mod requires. */
export function goModuleVersion(module: string): string {
  const text = readFileSync(join(import.meta.dirname, 'go.mod'), 'utf8');
  const line = text.split('\n').find((candidate) => candidate.trim().startsWith(`${module} v`));
  if (line === undefined) throw new Error(`go.mod does not require ${module}`);
  return line.trim().slice(`${module} v`.length);
}
