import type { OutputOf } from '@weir/api/client';
import { problemOf } from '../../api/client.ts';

type Described = OutputOf<'describe_schema'>;
type Registered = OutputOf<'register_schema'>;

interface RegistryCalls {
  /** A version, deleted or not. */
  read(version: number): Promise<Described>;
  register(schema: Described): Promise<Pick<Registered, 'schema_id' | 'version'>>;
}

export interface Restored {
  /** The new number of each version that is there again, in order. */
  readonly versions: readonly number[];
  /** Versions that got another id than they had. */
  readonly otherIds: number;
  /** Why the rest is missing. */
  readonly problem?: string;
}

/**
 * Registers the schemas of a deleted subject again, the oldest first. The registry has no way to unmark versions: a
 * schema that is registered again keeps its id and gets the next version number. What it refuses ends the work, because
 * later versions build on earlier ones.
 */
export async function restoreVersions(versions: readonly number[], calls: RegistryCalls): Promise<Restored> {
  const done: number[] = [];
  let otherIds = 0;
  try {
    // All are read before the first is registered, which removes the mark of its deleted version.
    const schemas: Described[] = [];
    for (const version of versions) schemas.push(await calls.read(version));
    for (const schema of schemas) {
      const made = await calls.register(schema);
      if (made.schema_id !== schema.schema_id) otherIds++;
      done.push(made.version);
    }
  } catch (error) {
    return { versions: done, otherIds, problem: problemOf(error).message };
  }
  return { versions: done, otherIds };
}

/** What became of an undo, with nothing left out. */
export function restoredText(
  name: string,
  wanted: number,
  { versions, otherIds, problem }: Restored,
): string {
  const [first] = versions;
  const last = versions.at(-1);
  const numbers = versions.length === 1 ? `version ${first}` : `versions ${first} to ${last}`;
  const ids = otherIds === 0 ? 'with the same ids' : `${otherIds} with a new id`;
  if (problem === undefined) return `Restored ${name}: ${numbers}, ${ids}`;
  if (versions.length === 0) return `Failed to restore ${name}: ${problem}`;
  return `Restored ${versions.length} of ${wanted} schemas of ${name} as ${numbers}: ${problem}`;
}
