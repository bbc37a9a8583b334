import assert from 'node:assert/strict';
import { it } from 'node:test';
import { RegistryError } from '../src/registry-error.ts';
import type { RegistryService } from '../src/service/registry-service.ts';
import { fieldListService } from './field-list-service.ts';

/** A request, and the answer or the code of the refusal. */
type Step = readonly [title: string, request: (service: RegistryService) => unknown, answer: unknown];

/** Runs requests in order against one registry. */
export function requestTable(title: string, steps: readonly Step[]): void {
  it(title, async () => {
    const service = fieldListService({
      clock: { nowMs: () => 1000, monotonicMs: () => 0, after: () => () => {} },
    });
    for (const [step, request, expected] of steps) {
      const answer = await answerOrCode(request(service));
      assert.deepEqual(JSON.parse(JSON.stringify(answer ?? null)), expected ?? null, step);
    }
    await service.end();
  });
}

/** An answer, or the code of the refusal. */
export async function answerOrCode(reply: unknown): Promise<unknown> {
  try {
    return await reply;
  } catch (error) {
    if (error instanceof RegistryError) return error.code;
    throw error;
  }
}
