import { RegistryError } from '../registry-error.ts';
import { InvalidPayload } from '../schema-format.ts';
import type { PayloadResult, PayloadTask } from '../schema-work/payload-task.ts';
import type { SchemaPool } from '../schema-work/schema-pool.ts';

type UsedResult = Exclude<PayloadResult, { readonly kind: 'invalid' | 'tooLarge' }>;

/** Runs a task in a thread. Throws `InvalidPayload` for all that the payload or the load of the threads can cause. */
export async function inThread(pool: SchemaPool, task: PayloadTask): Promise<UsedResult> {
  let result: PayloadResult;
  try {
    result = await pool.run(task);
  } catch (error) {
    // Too many tasks wait, or the process stops.
    if (!(error instanceof RegistryError)) throw error;
    throw new InvalidPayload('too many large payloads wait for a thread');
  }
  switch (result.kind) {
    case 'invalid':
      throw new InvalidPayload(result.problem);
    case 'tooLarge':
      throw new InvalidPayload(`it takes too much time or memory to ${task.kind}`);
    default:
      return result;
  }
}
