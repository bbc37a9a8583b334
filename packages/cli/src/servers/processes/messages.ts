import type { CommandValues } from '../../flags/catalogue.ts';

/** One of the agents of a supervisor. Whoever takes the place after a crash is the same agent to its clients. */
export interface ProcessPlace {
  /** Counted from 1, for people. */
  readonly number: number;
  readonly agentId: string;
  /** 0 until a process has taken a free port; from then on that one. */
  readonly kafkaPort: number;
  readonly httpPort: number;
}

/** Where a process that is ready listens. */
export interface ReadyPorts {
  readonly host: string;
  readonly kafkaPort: number;
  readonly httpPort: number;
}

/**
 * What a supervisor says to a process. Settings go this way and not over the command line, where everybody on the machine could
 * read the agent key.
 */
export type ToProcess =
  | { readonly kind: 'start'; readonly values: CommandValues<'agent'>; readonly place: ProcessPlace }
  | { readonly kind: 'stop' };

/** What a process says to its supervisor. */
export type FromProcess =
  | { readonly kind: 'ready'; readonly ports: ReadyPorts }
  /** It cannot go on, and says why in one line. */
  | { readonly kind: 'failed'; readonly message: string };
