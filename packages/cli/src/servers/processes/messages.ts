import type { CommandValues } from '../../flags/catalogue.ts';

/** One of the agents of a supervisor. A process that replaces a crashed one is the same agent to its clients. */
export interface ProcessPlace {
  /** From 1, for display. */
  readonly number: number;
  readonly agentId: string;
  /** 0 until a process has taken a free port; from then on that port. */
  readonly kafkaPort: number;
  readonly registryPort: number;
  readonly httpPort: number;
  readonly tablesPort: number;
}

/** The ports of a ready process. */
export interface ReadyPorts {
  readonly host: string;
  /** Present if it serves a Kafka cluster. */
  readonly kafkaPort?: number | undefined;
  /** Present if it serves a schema registry. */
  readonly registryPort?: number | undefined;
  /** Present if it writes the tables of a data lake. */
  readonly tablesPort?: number | undefined;
  readonly httpPort: number;
}

/**
 * Messages from a supervisor to a process. Settings are sent this way and not on the command line, where every user of
 * the machine could read the agent key.
 */
export type ToProcess =
  | { readonly kind: 'start'; readonly values: CommandValues<'agent'>; readonly place: ProcessPlace }
  | { readonly kind: 'stop' };

/** Messages from a process to its supervisor. */
export type FromProcess =
  | { readonly kind: 'ready'; readonly ports: ReadyPorts }
  /** The process cannot continue; the message is one line. */
  | { readonly kind: 'failed'; readonly message: string };
