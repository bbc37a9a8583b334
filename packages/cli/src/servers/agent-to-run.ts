import type { Clock, Environment, Log } from '@weir/core';
import type { CommandValues } from '../flags/catalogue.ts';
import type { ReadyPorts } from './processes/messages.ts';

/** One agent of a Kafka cluster or of a schema registry. */
export interface AgentToRun {
  readonly values: CommandValues<'agent'>;
  readonly agentId: string;
  /** The cores that this agent may use. */
  readonly cpuCount: number;
  readonly onReady: (ports: ReadyPorts) => void;
  /** Called when the agent stops: how long it may continue to serve. */
  readonly stopDeadlineMs: () => number;
  readonly stop: AbortSignal;
  readonly clock: Clock;
  readonly environment: Environment;
  readonly log: Log;
}
