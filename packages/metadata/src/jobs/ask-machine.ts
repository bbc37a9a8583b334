import type { Machine } from '../leader/machine-kind.ts';

/** Reads the state of the cluster; resolves when all that was read is durable. */
export type AskMachine = <Answer>(question: (machine: Machine, nowMs: number) => Answer) => Promise<Answer>;
