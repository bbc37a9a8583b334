import { systemEnvironment } from '@weir/core';

let chosen = Number(systemEnvironment.SERVICE_SERVING_THREADS ?? 1);

/** Serving threads of an agent or listener under test that asks for no number: 1, or what the environment says. */
export function servingThreadsUnderTest(): number {
  return chosen;
}

/** For a file that runs the tests of another file with several threads. Called before that file is imported. */
export function testWithServingThreads(threads: number): void {
  chosen = threads;
}
